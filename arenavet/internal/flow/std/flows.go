package std

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

//go:generate go run ./generate

// generated is what functions of the standard library return of what they are given, and where they
// keep it, as it was made from the source: a line for each, in order, behind one with the version of Go
// that was read. What functions do with what they are given by calls through interfaces isn't in it.
//
//go:embed generated.txt
var generated string

// table are the lines of generated, and the version.
var table = sync.OnceValues(func() (lines []string, version string) {
	version, rest, _ := strings.Cut(generated, "\n")
	return strings.Split(strings.TrimSuffix(rest, "\n"), "\n"), version
})

// Flows says what a function of the standard library, or a method of a container, does with
// what it is given, as package summary reads it.
func Flows(name string) string {
	if text := ByHand(name); text != "" {
		return text
	}
	lines, _ := table()
	n := sort.Search(len(lines), func(n int) bool { return lines[n] >= name+"\t" })
	if n < len(lines) {
		if text, ok := strings.CutPrefix(lines[n], name+"\t"); ok {
			return text
		}
	}
	return ""
}

// ByHand is Flows of the functions whose source is too hard to read.
func ByHand(name string) string {
	if text := containers[name]; text != "" {
		return text
	}
	return added[name]
}

// IsContainer reports whether a function is a method of a container: what it does is known also where
// the table is made.
func IsContainer(name string) bool { return containers[name] != "" }

// Generated returns the table that was made from the source, and the version of Go that it was
// made from.
func Generated() (flows map[string]string, version string) {
	lines, version := table()
	flows = map[string]string{}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, "\t")
		flows[name] = text
	}
	return flows, version
}

// added are functions whose source is too hard to read.
var added = map[string]string{
	"(*text/template.Template).Parse":  "#0=0 0*.text+=1", // nodes hold parts of the text
	"(*html/template.Template).Parse":  "#0=0 0*.text*.text+=1",
	"html/template.New":                "#0*.text*.name=0",
	"(*expvar.Map).Add":                "0*.keys*[]+=1",
	"(*expvar.Map).AddFloat":           "0*.keys*[]+=1",
	"(net/http.ResponseWriter).Header": "#0=0*.header",
	"reflect.ValueOf":                  "#0.ptr=0", // addr is where what was set is seen by others
	"(reflect.Value).Interface":        "#0=0.ptr",
	"(reflect.Value).Elem":             "#0.addr=0.ptr #0.addr=0.addr",
	"(reflect.Value).Field":            "#0.addr=0.addr",
	"(reflect.Value).FieldByName":      "#0.addr=0.addr",
	"(reflect.Value).Index":            "#0.addr=0.addr #0.addr=0.ptr",
	"(reflect.Value).SetString":        "0.addr*[in]+=1",
	"(reflect.Value).SetBytes":         "0.addr*[in]+=1",
	"(reflect.Value).Set":              "0.addr*[in]+=1.ptr",
	"(reflect.Value).SetMapIndex": "0.ptr*[in]+=1.ptr 0.ptr*[in]+=2.ptr " +
		"0.addr*[in]+=1.ptr 0.addr*[in]+=2.ptr",
	"context.WithoutCancel":                  "#0=0 #0.c=0", // also its arena
	"context.WithCancel":                     "#0=0 #0*.Context=0",
	"context.WithTimeout":                    "#0=0 #0*.Context=0",
	"context.WithDeadline":                   "#0=0 #0*.Context=0",
	"context.WithValue":                      "#0=0 #0*.Context=0 #0*.key=1 #0*.val=2",
	"maps.Clone":                             "#0*[]=0*[] #0*[k]=0*[k]",
	"maps.Copy":                              "0*[]+=1*[] 0*[k]+=1*[k]",
	"(*regexp.Regexp).FindAll":               "#0*[]=1", // by functions that it calls
	"(*regexp.Regexp).FindAllString":         "#0*[]=1",
	"(*regexp.Regexp).FindAllStringSubmatch": "#0*[]*[]=1",
	"(*regexp.Regexp).FindAllSubmatch":       "#0*[]*[]=1",
	"html.EscapeString":                      "#0=0", // by a Replacer
	"(*strings.Replacer).Replace":            "#0=1", // by an interface
	"time.FixedZone":                         "#0*.name=0",
	"time.LoadLocation":                      "#0*.name=0",
	"time.ParseInLocation":                   "#0.loc=2",
	"(time.Time).Add":                        "#0.loc=0.loc",
	"(time.Time).Round":                      "#0.loc=0.loc",
	"(time.Time).Truncate":                   "#0.loc=0.loc",
	"(time.Time).Location":                   "#0=0.loc",
	"(time.Time).Zone":                       "#0=0.loc*.name",
	"(*time.Location).String":                "#0=0*.name",
	"sync.OnceFunc":                          "#0*.once=0", // what the function has captured
	"sync.OnceValue":                         "#0*.once=0",
	"sync.OnceValues":                        "#0*.once=0",
}
