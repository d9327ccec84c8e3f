// Package std has facts about functions that aren't analyzed, mainly those of the standard library. Other functions are
// assumed neither to keep their arguments nor to return them.
//
// It has tables of names: it must not depend on the use of the answers. A name is that of types.Func.FullName,
// "strings.Cut" or "(*sync.Map).Load".
package std

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

// sequences are functions that return sequences of their argument's elements, or of its parts: the table of Flows can't
// express them.
var sequences = map[string]bool{}

func init() {
	for _, name := range []string{
		"slices.Values", "slices.All", "slices.Backward", "slices.Chunk", "maps.Keys", "maps.Values", "maps.All",
		"strings.FieldsSeq", "strings.FieldsFuncSeq", "strings.SplitSeq", "strings.SplitAfterSeq", "strings.Lines",
		"bytes.FieldsSeq", "bytes.FieldsFuncSeq", "bytes.SplitSeq", "bytes.SplitAfterSeq", "bytes.Lines",
	} {
		sequences[name] = true
	}
}

// IsSequence reports whether a function returns such a sequence.
func IsSequence(name string) bool { return sequences[name] }

// AfterFunc returns a function that keeps its goroutine from starting.
const AfterFunc = "context.AfterFunc"

// Spawns are functions that run an argument, by its number, in a goroutine.
var Spawns = map[string]int{
	"(*sync.WaitGroup).Go":                      1,
	"(*golang.org/x/sync/errgroup.Group).Go":    1,
	"(*golang.org/x/sync/errgroup.Group).TryGo": 1,
	"time.AfterFunc":                            1,
	AfterFunc:                                   1,
	"net/http.HandleFunc":                       1,
	"net/http.Handle":                           1,
	"(*net/http.ServeMux).HandleFunc":           2,
	"(*net/http.ServeMux).Handle":               2,
}

// Watchers are functions that have the garbage collector watch their first argument, with the consequence in an arena.
var Watchers = map[string]string{
	"weak.Make":            "the weak pointer holds as long as the chunk does, and points to another value after Reset",
	"runtime.SetFinalizer": "it isn't the beginning of a block, so that the program is ended",
	"runtime.AddCleanup":   "the cleanup waits for the whole chunk, which Reset uses again",
}

// Contexts are the parameter types of handlers with a single parameter, by framework.
var Contexts = [][2]string{
	{"github.com/valyala/fasthttp", "RequestCtx"},
	{"github.com/gin-gonic/gin", "Context"},
	{"github.com/labstack/echo/v4", "Context"},
	{"github.com/labstack/echo/v5", "Context"},
}

// Fresh are functions of the standard library whose result is on the heap. For others Flows has the arguments that
// the result may be.
var Fresh = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "errors.New": true,
	"strconv.Itoa": true, "strconv.Quote": true, "strconv.FormatInt": true, "strings.Clone": true,
	"strings.Join": true, "strings.Repeat": true, "(*strings.Builder).String": true, "(*bytes.Buffer).String": true,
	"(*bufio.Scanner).Text": true, "bytes.Clone": true, "slices.Clone": true, "maps.Clone": true, "io.ReadAll": true,
	"os.ReadFile": true, "encoding/json.Marshal": true, "strings.Split": true, "strings.Fields": true,
}

// Waits reports whether a function may wait until others are done with their arguments. It goes by the last part of the
// name, in any package: a wrong guess loses a finding, and invents none.
func Waits(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, w := range []string{"Wait", "Join", "Stop", "Close", "Shutdown", "Lock", "RLock", "Acquire", "Drain",
		"Flush", "Sync"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// Polls reports whether a function reads an atomic variable.
func Polls(name string) bool {
	return strings.Contains(name, "sync/atomic.") && strings.Contains(name, "Load")
}

// Locks reports whether a function enters a critical section.
func Locks(name string) bool {
	return strings.HasSuffix(name, "sync.Mutex).Lock") || strings.HasSuffix(name, "sync.RWMutex).Lock") ||
		name == "(sync.Locker).Lock" ||
		strings.HasSuffix(name, "semaphore.Weighted).Acquire")
}

// CallsBack reports whether a function calls its function arguments, all before it returns.
func CallsBack(name string) bool {
	switch {
	case strings.HasPrefix(name, "slices."), strings.HasPrefix(name, "sort."), strings.HasPrefix(name, "maps."),
		strings.HasPrefix(name, "strings."), strings.HasPrefix(name, "bytes."):
		return true
	}
	switch name {
	case "(*sync.Once).Do", "(*sync.Map).Range", "path/filepath.WalkDir", "io/fs.WalkDir", "path/filepath.Walk",
		"(*testing.T).Run", "(*testing.B).Run",
		"(*testing.B).RunParallel", "go/ast.Inspect", "testing.AllocsPerRun", "testing.Benchmark", "runtime/pprof.Do":
		return true
	}
	return false
}

// Serves reports whether a function of Spawns starts a goroutine for each request, so the same function many times at
// once.
func Serves(name string) bool {
	return strings.HasPrefix(name, "net/http") || strings.HasPrefix(name, "(*net/http")
}

//go:generate go test . -run TestTableIsTheLibrarys -update

// generated has the flows of the standard library's functions from arguments to results and stores, generated from the
// source: a sorted line for each, after a line with the version of Go. It lacks flows by calls through interfaces.
//
//go:embed generated.txt
var generated string

// table has the lines of generated.
var table = sync.OnceValue(func() []string { return strings.Split(strings.TrimSuffix(generated, "\n"), "\n")[1:] })

// Flows returns the flows of a function of the standard library, or of a method of a container, as package summary
// parses them.
func Flows(name string) string {
	if text := ByHand(name); text != "" {
		return text
	}
	lines := table()
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

// This part adds functions of libraries that keep a text: see docs/promises.md. Exec without arguments keeps none.
func init() {
	const pgx = "github.com/jackc/pgx/v5"
	for _, of := range []string{"(*" + pgx + ".Conn).", "(" + pgx + ".Tx).", "(*" + pgx + "/pgxpool.Pool)."} {
		added[of+"Query"], added[of+"QueryRow"] = "0*.statementCache+=2", "0*.statementCache+=2"
	}
	for _, typ := range []string{"Counter", "Gauge", "Histogram", "Summary"} {
		with := "(*github.com/prometheus/client_golang/prometheus." + typ + "Vec).With"
		added[with] = "0*.labels+=1*[]"
		added[with+"LabelValues"] = added[with]
	}
}

// This part describes containers whose source is too hard to analyze, as if they kept their contents in one field,
// [in].

// Deleters delete an element of their receiver, a map, by its key.
var Deleters = map[string]bool{
	"(net/http.Header).Del":          true,
	"(net/textproto.MIMEHeader).Del": true,
	"(net/url.Values).Del":           true,
}

// Collections is the prefix of the names of package collections' methods, parenthesis included. Summaries have their
// effects on arenas; their contents are in tables with computed addresses, and here.
const Collections = "(*github.com/harena-go/arena/collections."

// containers has methods and their flows, as in package summary.
var containers = map[string]string{
	"(*sync.Map).Clear":                        "0*[in]-",
	"(*sync.Map).CompareAndSwap":               "0*[in]+=3",
	"(*sync.Map).Delete":                       "0*[in]-",
	"(*sync.Map).Load":                         "#0=0*[in]",
	"(*sync.Map).LoadOrStore":                  "0*[in]+=1 0*[in]+=2",
	"(*sync.Map).Store":                        "0*[in]+=1 0*[in]+=2",
	"(*sync.Map).Swap":                         "0*[in]+=1 0*[in]+=2",
	"(*sync.Pool).Get":                         "#0=0*[in]",
	"(*sync.Pool).Put":                         "0*[in]+=1",
	"(*sync/atomic.Pointer[T]).CompareAndSwap": "0*[in]+=2",
	"(*sync/atomic.Pointer[T]).Load":           "#0=0*[in]",
	"(*sync/atomic.Pointer[T]).Store":          "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Pointer[T]).Swap":           "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Value).CompareAndSwap":      "0*[in]+=2",
	"(*sync/atomic.Value).Load":                "#0=0*[in]",
	"(*sync/atomic.Value).Store":               "0*[in]- 0*[in]+=1",
	"(*sync/atomic.Value).Swap":                "0*[in]- 0*[in]+=1",
	"container/heap.Push":                      "0*[in]+=1",
}

func init() {
	of := func(text string, names ...string) {
		for _, name := range names {
			containers[Collections+name] += text
		}
	}
	of("0*[in]+=1 0*[in]+=2 ", "Map[K, V]).Set", "Map[K, V]).LoadOrStore", "Map[K, V]).Swap")
	of("0*[in]+=1 ", "Deque[T]).PushBack", "Deque[T]).PushFront", "List[T]).PushFront", "List[T]).PushBack",
		"Segmented[T]).Push", "Set[T]).Add")
	of("0*[in]+=2 ", "Deque[T]).Set", "Slice[T]).Set", "Segmented[T]).Set")
	of("#0=0*[in] ", "Map[K, V]).Get", "Map[K, V]).LoadAndDelete", "Map[K, V]).LoadOrStore",
		"Deque[T]).PopFront", "Deque[T]).PopBack", "Deque[T]).At", "Deque[T]).Front", "Deque[T]).Back",
		"Segmented[T]).At")
	of("0*[in]- ", "Map[K, V]).Clear", "Deque[T]).Clear", "Segmented[T]).Clear", "Set[T]).Clear")
}

// This part lists buffers that return views of their contents, valid until the next use.

// shows are methods whose result is valid until one of changes is called.
var shows = map[string]bool{
	"(*bytes.Buffer).Bytes":         true,
	"(*bytes.Buffer).Next":          true,
	"(*bufio.Reader).Peek":          true,
	"(*bufio.Reader).ReadSlice":     true,
	"(*bufio.Reader).ReadLine":      true,
	"(*bufio.Scanner).Bytes":        true,
	Collections + "Buffer).Bytes":   true,
	Collections + "Buffer).Next":    true,
	Collections + "Slice[T]).Slice": true,
}

// changes are methods that invalidate earlier views. Appending alone doesn't, though the documentation says so: the
// earlier contents stay.
var changes = map[string]bool{
	"(*bytes.Buffer).Reset":          true,
	"(*bytes.Buffer).Truncate":       true,
	"(*bytes.Buffer).ReadFrom":       true,
	"(*bufio.Reader).Read":           true,
	"(*bufio.Reader).ReadByte":       true,
	"(*bufio.Reader).ReadRune":       true,
	"(*bufio.Reader).ReadSlice":      true,
	"(*bufio.Reader).ReadLine":       true,
	"(*bufio.Reader).ReadBytes":      true,
	"(*bufio.Reader).ReadString":     true,
	"(*bufio.Reader).Reset":          true,
	"(*bufio.Reader).WriteTo":        true,
	"(*bufio.Scanner).Scan":          true,
	Collections + "Buffer).Reset":    true,
	Collections + "Buffer).Truncate": true,
	Collections + "Slice[T]).Clear":  true,
	Collections + "Slice[T]).Delete": true,
}

// Shows reports whether a method returns a temporary view of its receiver's contents.
func Shows(name string) bool { return shows[name] }

// Changes returns the name in messages of a method that ends its receiver's views, "" if it doesn't. writes reports
// whether the method may write a view to its receiver.
func Changes(name string) (verb string, writes bool) {
	if writes = strings.HasSuffix(name, "Buffer).Write"); !writes && !changes[name] {
		return "", false
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, verb, _ = strings.Cut(strings.NewReplacer(")", "", "[T]", "").Replace(name), ".")
	return verb, writes
}
