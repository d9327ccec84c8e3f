package production

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/harena-go/arena/scout/internal/library"
)

// A made-up profile has one sample for each of some stacks, the innermost function first.
type sample struct {
	stack  string
	values []int64
}

func made(types string, samples ...sample) *profile.Profile {
	p := &profile.Profile{PeriodType: &profile.ValueType{Type: "x", Unit: "y"}, Period: 1}
	for _, name := range strings.Fields(types) {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "count"})
	}
	locations := map[string]*profile.Location{}
	for _, s := range samples {
		out := &profile.Sample{Value: s.values}
		for _, name := range strings.Fields(s.stack) {
			l := locations[name]
			if l == nil {
				f := &profile.Function{ID: uint64(len(locations) + 1), Name: name, Filename: "/src/" + filepath.Base(name) + ".go"}
				if strings.HasPrefix(name, "google.golang.org/") || strings.Contains(name, "/lib/") {
					f.Filename = "/mod/lib@v1.0.0/" + filepath.Base(name) + ".go"
				}
				l = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f, Line: 7}}}
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
				locations[name] = l
			}
			out.Location = append(out.Location, l)
		}
		p.Sample = append(p.Sample, out)
	}
	return p
}

func used(allocator, gc, rest int64) *profile.Profile {
	return made("samples cpu",
		sample{"runtime.mallocgcSmall runtime.newobject strings.Fields example.com/p.Parse main.main", []int64{allocator, allocator}},
		sample{"runtime.gcDrain runtime.gcBgMarkWorker", []int64{gc, gc}},
		sample{"example.com/p.Work main.main", []int64{rest, rest}})
}

var heap = made("alloc_objects alloc_space inuse_objects inuse_space",
	sample{"strings.Fields example.com/p.Parse main.main", []int64{100, 9000, 0, 0}},
	sample{"example.com/p.Keep main.main", []int64{10, 1000, 10, 1000}})

// TestLook: the shares are those of the profiles, the bound is the rest without them, and lines are the program's own.
func TestLook(t *testing.T) {
	l, err := Of("x", used(20, 30, 50), heap)
	if err != nil {
		t.Fatal(err)
	}
	if l.Allocator != 0.2 || l.GC != 0.3 || l.Dying != 0.9 || l.AtMost < 1.81 || l.AtMost > 1.82 {
		t.Errorf("%+v, want 20%%, 30%%, 90%%, 1/(1-0.45)", l)
	}
	if len(l.Lines) != 2 || l.Lines[0].Function != "example.com/p.Parse" || l.Lines[0].Share != 0.9 || l.Lines[0].Dying != 1 || l.Lines[0].CPU != 0.2 || l.Lines[1].Dying != 0 {
		t.Errorf("lines %+v", l.Lines)
	}
	var b bytes.Buffer
	l.Text(&b)
	if !strings.Contains(b.String(), "1.82x less CPU at most") {
		t.Error(b.String())
	}
}

// TestNo: the answer is no if there is nothing to gain, with an alternative, if there is one: a line of a library, or
// one that calls it, can't preallocate.
func TestNo(t *testing.T) {
	const no = "expect  no: the GC takes 2%, the allocator 3%, and arenas and their decoders would save 5% of CPU at most."
	for stack, want := range map[string]string{
		"strings.Fields example.com/p.Parse main.main":                     no + "\n",
		"example.com/p.Parse main.main":                                    no + " Preallocate p.Parse.go:7 instead, which has 90% of the bytes\n",
		"example.com/lib/q.Grow example.com/p.Parse main.main":             "would save 0% of CPU at most.\n",
		"encoding/json.typeFields encoding/json.Unmarshal example.com/p.F": "at most",
	} {
		l, err := Of("x", made("samples cpu",
			sample{"runtime.mallocgc runtime.growslice " + stack, []int64{3, 3}},
			sample{"runtime.gcDrain runtime.gcBgMarkWorker", []int64{2, 2}},
			sample{"example.com/p.Work main.main", []int64{95, 95}}), made("alloc_objects alloc_space inuse_objects inuse_space",
			sample{stack, []int64{100, 9000, 0, 0}}, sample{"example.com/p.Keep main.main", []int64{10, 1000, 10, 1000}}))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if l.Text(&b); !strings.Contains(b.String(), want) || strings.Contains(b.String(), "Preallocate") != strings.Contains(want, "Preallocate") {
			t.Errorf("%s\n%s\nwant %s", stack, b.String(), want)
		}
	}
}

// TestUnits: the unit is the outermost own function that a framework calls; middleware, generated code and loops
// aren't. The CPU of decoders, and of values that are built again, counts as saved.
func TestUnits(t *testing.T) {
	const (
		conn  = " net/http.HandlerFunc.ServeHTTP example.com/p.logged.func1 net/http.HandlerFunc.ServeHTTP net/http.(*conn).serve"
		reads = "encoding/json.(*decodeState).object encoding/json.Unmarshal example.com/p.read example.com/p.create" + conn
		again = "regexp.compile regexp.MustCompile example.com/p.check example.com/p.create" + conn
		own   = "example.com/p.item example.com/p.create" + conn
		row   = "example.com/lib/db.scan example.com/p.list" + conn
		rpc   = "google.golang.org/protobuf/proto.Unmarshal google.golang.org/grpc.(*Server).processUnaryRPC"
		call  = "example.com/p.(*server).Get example.com/pb._Shop_Get_Handler.func1 google.golang.org/grpc.chain example.com/pb._Shop_Get_Handler google.golang.org/grpc.(*Server).processUnaryRPC"
		loop  = "example.com/p.handle example.com/p.consume"
	)
	library.Of("encoding/json.Unmarshal").Times, library.Of("google.golang.org/protobuf/proto.Unmarshal").Times = 9.9, 7.4
	used := made("samples cpu",
		sample{reads, []int64{30, 30}}, sample{"runtime.mallocgc " + reads, []int64{10, 10}},
		sample{again, []int64{10, 10}}, sample{"runtime.mallocgc " + own, []int64{5, 5}}, sample{own, []int64{5, 5}},
		sample{"runtime.mallocgc " + row, []int64{5, 5}}, sample{rpc, []int64{5, 5}}, sample{call, []int64{5, 5}}, sample{loop, []int64{5, 5}},
		sample{"runtime.gcDrain runtime.gcBgMarkWorker", []int64{20, 20}})
	heap := made("alloc_objects alloc_space inuse_objects inuse_space",
		sample{reads, []int64{1, 400, 0, 0}}, sample{again, []int64{1, 100, 0, 0}}, sample{own, []int64{1, 100, 0, 0}},
		sample{row, []int64{1, 100, 0, 0}}, sample{rpc, []int64{1, 100, 0, 0}}, sample{call, []int64{1, 100, 0, 0}}, sample{loop, []int64{1, 100, 0, 0}})
	l, err := Of("x", used, heap)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, u := range l.Units {
		for _, g := range u.Groups {
			got[u.Function+", "+u.Caller+", "+g.Name] = fmt.Sprintf("%s %.3f", g.With, g.Saves)
		}
	}
	for key, want := range map[string]string{
		"example.com/p.create, net/http, JSON to structs":         "arenajson.Unmarshal 0.440", // 0.4 x (1 - 1/9.9) + 0.2 x 0.4
		"example.com/p.create, net/http, built again":             "a variable 0.120",
		"example.com/p.create, net/http, own lines":               "package arena 0.070",
		"example.com/p.list, net/http, other libraries":           " 0.000",
		"example.com/p.(*server).Get, gRPC, own lines":            "package arena 0.020",
		"example.com/p.handle, a goroutine of its own, own lines": "package arena 0.020",
		", , protobuf to messages":                                "arenaproto.Unmarshal 0.063",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if l.Units[0].Function != "example.com/p.create" || l.AtMost < 3.7 || l.AtMost > 3.8 {
		t.Errorf("%s first, %.3fx at most; all: %v", l.Units[0].Function, l.AtMost, got)
	}
	var b bytes.Buffer
	l.Text(&b)
	for _, want := range []string{"unit    p.create, called by net/http: 60% of bytes, 60% of CPU\n",
		" 40.0% of bytes, 40.0% of CPU  JSON to structs -> arenajson.Unmarshal saves 44% of CPU by its published 9.9x: p.read.go:7 json.Unmarshal\n",
		"hoist    10.0% of bytes  p.check.go:7 regexp.MustCompile, again in each p.create: if it is equal each time, build it once, in a variable\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestPair: the files may come in any order; files that aren't a pair are refused in one line.
func TestPair(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, p *profile.Profile) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if p == nil {
			f.WriteString("text\n")
		} else if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		return path
	}
	busy, memory, text := file("cpu", used(20, 30, 50)), file("heap", heap), file("text", nil)
	other := file("other", made("samples cpu", sample{"runtime.mallocgc example.org/q.F main.start", []int64{9, 9}}))
	for _, pair := range [][2]string{{busy, memory}, {memory, busy}} {
		if l, err := Read(pair[0], pair[1]); err != nil || l.GC != 0.3 {
			t.Errorf("%v: %+v, %v", pair, l, err)
		}
	}
	for _, c := range []struct{ first, second, want string }{
		{busy, busy, "no memory profile among them"},
		{memory, memory, "no CPU profile among them"},
		{busy, text, "is no profile"},
		{busy, filepath.Join(dir, "missing"), "no such file"},
		{other, memory, "are of different programs"},
	} {
		if _, err := Read(c.first, c.second); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %s: %v, want %s", c.first, c.second, err, c.want)
		}
	}
}

// TestFetch: a server with net/http/pprof is enough; one without, or none, is an error of one line.
func TestFetch(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/allocs", func(w http.ResponseWriter, _ *http.Request) { heap.Write(w) })
	mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("seconds") != "1" {
			t.Errorf("asked for %q", r.URL)
		}
		used(20, 30, 50).Write(w)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, address := range []string{server.URL, server.URL + "/", server.URL + "/debug/pprof"} {
		if l, err := Fetch(context.Background(), address, 1); err != nil || l.GC != 0.3 {
			t.Errorf("%s: %+v, %v", address, l, err)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	for address, want := range map[string]string{gone.URL: "404", "http://127.0.0.1:1": "refused", "http://": "is no address"} {
		if _, err := Fetch(context.Background(), address, 1); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}
