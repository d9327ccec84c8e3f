package std

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

//go:generate go run ./generate

// generated has the flows of the standard library's functions from arguments to results and stores, generated from the
// source: a sorted line for each, after a line with the version of Go. It lacks flows by calls through interfaces.
//
//go:embed generated.txt
var generated string

// table has the lines of generated, and the version.
var table = sync.OnceValues(func() (lines []string, version string) {
	version, rest, _ := strings.Cut(generated, "\n")
	return strings.Split(strings.TrimSuffix(rest, "\n"), "\n"), version
})

// Flows returns the flows of a function of the standard library, or of a method of a container, as package summary
// parses them.
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

// ByHand is Flows for functions whose source is too hard to analyze.
func ByHand(name string) string {
	if text := containers[name]; text != "" {
		return text
	}
	return added[name]
}

// IsContainer reports whether a function is a method of a container: its flows are known even while the table is
// generated.
func IsContainer(name string) bool { return containers[name] != "" }

// Generated returns the table generated from the source, and the version of Go of the source.
func Generated() (flows map[string]string, version string) {
	lines, version := table()
	flows = map[string]string{}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, "\t")
		flows[name] = text
	}
	return flows, version
}

// added has functions whose source is too hard to analyze.
var added = map[string]string{
	"(*text/template.Template).Parse":  "#0=0 0*.text+=1", // nodes hold parts of the text
	"(*html/template.Template).Parse":  "#0=0 0*.text*.text+=1",
	"html/template.New":                "#0*.text*.name=0",
	"(*expvar.Map).Add":                "0*.keys*[]+=1",
	"(*expvar.Map).AddFloat":           "0*.keys*[]+=1",
	"(net/http.ResponseWriter).Header": "#0=0*.header",
	"reflect.ValueOf":                  "#0.ptr=0", // addr is where others see values that were set
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
	"(*regexp.Regexp).FindAll":               "#0*[]=1", // by callbacks
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
	"sync.OnceFunc":                          "#0*.once=0", // the captured function
	"sync.OnceValue":                         "#0*.once=0",
	"sync.OnceValues":                        "#0*.once=0",
}
