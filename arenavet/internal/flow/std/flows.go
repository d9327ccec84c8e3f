package std

//go:generate go run ./generate

// Flows says what a function of the standard library returns of what it is given, and
// where it keeps it. The text is a list of
//
//	#0*.Host=0      what field Host of what the first result points to may be: the first argument
//	#1*[]=0*.list   elements of the second result: what is in field list of what the first argument points to
//	0*[]+*[]=2      what is put into the elements of the map that is the first argument: slices
//	                with the third one as an element
//
// with paths as in package summary. The table is made from the library's source. What
// functions do with what they are given by calls through interfaces isn't in it.
func Flows(name string) string {
	if more, ok := added[name]; ok {
		return more
	}
	return generated[name]
}

// Generated returns the table that was made from the source, and GeneratedBy is the
// version of Go that it was made from.
func Generated() map[string]string { return generated }

// added are functions whose source is too hard to read.
var added = map[string]string{
	"(*text/template.Template).Parse":     "#0=0 0*.text+=1", // nodes hold parts of the text
	"(*html/template.Template).Parse":     "#0=0 0*.text*.text+=1",
	"html/template.New":                   "#0*.text*.name=0",
	"(*expvar.Map).Add":                   "0*.keys*[]+=1",
	"(*expvar.Map).AddFloat":              "0*.keys*[]+=1",
	"(net/http.ResponseWriter).Header":    "#0=0*.header",
	"reflect.ValueOf":                     "#0.ptr=0", // addr is where what was set is seen by others
	"(reflect.Value).Interface":           "#0=0.ptr",
	"(reflect.Value).Elem":                "#0.addr=0.ptr #0.addr=0.addr",
	"(reflect.Value).Field":               "#0.addr=0.addr",
	"(reflect.Value).FieldByName":         "#0.addr=0.addr",
	"(reflect.Value).Index":               "#0.addr=0.addr #0.addr=0.ptr",
	"(reflect.Value).SetString":           "0.addr*[in]+=1",
	"(reflect.Value).SetBytes":            "0.addr*[in]+=1",
	"(reflect.Value).Set":                 "0.addr*[in]+=1.ptr",
	"(reflect.Value).SetMapIndex":         "0.ptr*[in]+=1.ptr 0.ptr*[in]+=2.ptr 0.addr*[in]+=1.ptr 0.addr*[in]+=2.ptr",
	"(*net/mail.AddressParser).Parse":     "#0*.Name=1",
	"(*net/mail.AddressParser).ParseList": "#0*[]*.Name=1",
	"(net/mail.Header).AddressList":       "#0*[]*.Name=0*[]*[]",
	"net/mail.ParseAddress":               "#0*.Name=0",
	"net/mail.ParseAddressList":           "#0*[]*.Name=0",
	"context.WithoutCancel":               "#0=0 #0.c=0", // also its arena
	"context.WithCancel":                  "#0=0 #0*.Context=0",
	"context.WithTimeout":                 "#0=0 #0*.Context=0",
	"context.WithDeadline":                "#0=0 #0*.Context=0",
	"context.WithValue":                   "#0=0 #0*.Context=0 #0*.key=1 #0*.val=2",
	"maps.Clone":                          "#0*[]=0*[] #0*[k]=0*[k]",
	"maps.Copy":                           "0*[]+=1*[] 0*[k]+=1*[k]",
	"html.EscapeString":                   "#0=0", // by a Replacer
	"(*strings.Replacer).Replace":         "#0=1", // by an interface
	"time.FixedZone":                      "#0*.name=0",
	"time.LoadLocation":                   "#0*.name=0",
	"time.LoadLocationFromTZData":         "#0*.name=0",
	"time.Date":                           "#0.loc=7",
	"time.ParseInLocation":                "#0.loc=2",
	"(time.Time).In":                      "#0.loc=1",
	"(time.Time).Add":                     "#0.loc=0.loc",
	"(time.Time).AddDate":                 "#0.loc=0.loc",
	"(time.Time).Round":                   "#0.loc=0.loc",
	"(time.Time).Truncate":                "#0.loc=0.loc",
	"(time.Time).Location":                "#0=0.loc",
	"(time.Time).Zone":                    "#0=0.loc*.name",
	"(*time.Location).String":             "#0=0*.name",
	"iter.Pull":                           "#0*.pulled=0",
	"iter.Pull2":                          "#0*.pulled=0",
	"sync.OnceFunc":                       "#0*.once=0", // what the function has captured
	"sync.OnceValue":                      "#0*.once=0",
	"sync.OnceValues":                     "#0*.once=0",
}
