package sites

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/probe"
)

func owns(file string) bool { return strings.HasPrefix(file, "/p/") }

// calls returns a stack of functions, the innermost first: those of example.com/p are in /p/p.go, or in p_test.go.
func calls(names ...string) (stack []probe.Frame) {
	for i, name := range names {
		file := "/other/x.go"
		switch {
		case strings.HasPrefix(name, "example.com/p.Benchmark"):
			file = "/p/p_test.go"
		case strings.HasPrefix(name, "example.com/p."):
			file = "/p/p.go"
		}
		stack = append(stack, probe.Frame{Function: name, File: file, Line: 10 + i})
	}
	return stack
}

// TestOf: units have the allocations beneath their function, by the module's line; for the others the lines are known.
func TestOf(t *testing.T) {
	site := func(objects, bytes int64, names ...string) probe.Site {
		return probe.Site{Stack: calls(names...), Objects: objects, Bytes: bytes, AliveObjects: objects / 2, Alive: bytes / 2}
	}
	snapshot := &probe.Snapshot{Units: 10, Inside: 1, Sites: []probe.Site{
		site(10, 240, "runtime.newobject", "example.com/p.make", "example.com/p.Unit", "example.com/p.BenchmarkX", "testing.run"),
		site(2, 90, "runtime.mallocgc", "runtime.buildTypeAssertCache", "runtime.typeAssert", "example.com/p.make", "example.com/p.Unit", "example.com/p.BenchmarkX", "testing.run"),
		site(2, 96, "runtime.newobject", "example.com/p.make", "example.com/p.Unit", "example.com/p.BenchmarkX", "testing.run"),
		site(4, 96, "runtime.newobject", "example.com/p.make", "example.com/p.Unit", "example.com/p.BenchmarkX", "testing.run"),
		site(2, 20, "runtime.growslice", "strings.Fields", "example.com/p.Unit", "example.com/p.BenchmarkX", "testing.(*B).runN"),
		site(1, 10, "runtime.newobject", "example.com/p.make", "example.com/p.serve"),
		site(1, 10, "runtime.newobject", "example.com/p.BenchmarkX", "testing.run"),
		site(1, 10, "runtime.newobject", "other.init"),
	}}
	all := Of(snapshot, "example.com/p.Unit", owns)
	if len(all.Sites) != 3 || all.Share != 452./572 || all.Units != 10 {
		t.Fatalf("%+v", all)
	}
	// Allocations from before the previous snapshot aren't current work of the units.
	snapshot.Before = &probe.Snapshot{Units: 2, Sites: []probe.Site{snapshot.Sites[0], site(1, 10, "other.init"), site(1, 10, "example.com/p.BenchmarkX", "testing.run")}}
	if share := Of(snapshot, "example.com/p.Unit", owns).Share; share != (452.-240)/(572-260) {
		t.Errorf("a share of %v", share)
	}
	first, larger, second := all.Sites[0], all.Sites[1], all.Sites[2]
	if larger.Size != 48 || larger.Objects != 2 || larger.Place != first.Place {
		t.Errorf("%+v", larger)
	}
	if first.Objects != 14 || first.Bytes != 336 || first.Size != 24 || first.AliveObjects != 7 || first.Kind != Object || first.Lib != "" || len(first.Path) != 2 || len(first.Leaves) != 2 {
		t.Errorf("%+v", first)
	}
	if second.Lib != "strings.Fields" || second.Kind != Append || second.Place.Function != "example.com/p.Unit" {
		t.Errorf("%+v", second)
	}
	if !all.Elsewhere["/p/p.go:11"] || len(all.Elsewhere) != 1 {
		t.Errorf("elsewhere: %v", all.Elsewhere)
	}
}

// TestKindOf: the first call tells the kind.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]Kind{
		"runtime.newobject": Object, "runtime.mallocgc": Object, "": Object, "runtime.makeslice": Make, "runtime.mallocgc runtime.growslice": Append,
		"runtime.mallocgc runtime.rawbyteslice runtime.growslice": Append, "runtime.mallocgc runtime.slicebytetostring": String,
		"runtime.rawbyteslice runtime.stringtoslicebyte": Bytes, "runtime.stringtoslicerune": Runes, "runtime.rawstringtmp runtime.concatstrings runtime.concatstring2": Concat,
		"runtime.convTstring": Box, "internal/runtime/maps.newTable runtime.mapassign_faststr": Map, "runtime.makechan": Channel, "runtime.malg runtime.newproc1 runtime.newproc": Goroutine,
		"runtime.mallocgc runtime.moveSliceNoCap": Moved, "runtime.systemstack": Other,
	} {
		if got := KindOf(calls(strings.Fields(text)...)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestNames: names are as people write them.
func TestNames(t *testing.T) {
	for function, want := range map[string][3]string{
		"example.com/p.(*Service).Handle":              {"p.(*Service).Handle", "(*Service).Handle", "example.com/p"},
		"example.com/p.Map[go.shape.string,a/b.T].Put": {"p.Map.Put", "Map.Put", "example.com/p"},
		"main.main": {"main.main", "main", "main"},
		"x":         {"x", "x", "x"},
	} {
		if got := [3]string{Short(function), Bare(function), Package(function)}; got != want {
			t.Errorf("%s: %q", function, got)
		}
	}
}

// made returns a memory profile of objects with the given KB.
func made(stacks map[int64][]probe.Frame) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}}}
	for bytes, stack := range stacks {
		s := &profile.Sample{Value: []int64{1, 1000 * bytes}}
		for _, f := range stack {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: f.Function, Filename: f.File}, Line: int64(f.Line)}}})
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// TestSuggest: the unit is the outermost function with most of the bytes, none of a test's unless there is no other.
func TestSuggest(t *testing.T) {
	p := made(map[int64][]probe.Frame{
		100: calls("runtime.newobject", "example.com/p.make", "example.com/p.(*S).Handle", "example.com/p.BenchmarkX", "testing.(*B).runN"),
		300: calls("runtime.newobject", "example.com/p.other", "example.com/p.(*S).Handle", "example.com/p.BenchmarkY", "testing.(*B).runN"),
		50:  calls("runtime.newobject", "example.com/p.Parse", "example.com/p.BenchmarkX", "testing.(*B).runN"),
		900: calls("runtime.newobject", "example.com/p.Parse", "example.com/p.main"),
		20:  calls("runtime.newobject", "example.com/p.BenchmarkX.func1", "example.com/p.BenchmarkX", "testing.(*B).runN"),
	})
	found := Suggest(p, nil, owns)
	if len(found) != 2 || found[0].Function != "example.com/p.(*S).Handle" || found[1].Function != "example.com/p.Parse" {
		t.Fatalf("%+v", found)
	}
	if s := found[0].Share; s < 0.84 || s > 0.86 {
		t.Errorf("share %v", s)
	}
	for _, name := range []string{"Handle", "S.Handle", "(*S).Handle", "p.(*S).Handle", "example.com/p.(*S).Handle"} {
		if c, _ := Lookup(p, name, owns); c.Function != "example.com/p.(*S).Handle" {
			t.Errorf("%s is %q", name, c.Function)
		}
	}
	if c, others := Lookup(p, "Missing", owns); c.Function != "" || len(others) != 0 {
		t.Errorf("%+v, %v", c, others)
	}
	if n := ObjectsBeneath(p, "example.com/p.(*S).Handle"); n != 2 {
		t.Errorf("%d objects beneath", n)
	}
}

// TestSmall: a hundred small objects come before a buffer of the same bytes.
func TestSmall(t *testing.T) {
	p := made(map[int64][]probe.Frame{
		5: calls("runtime.newobject", "example.com/p.NewParser", "example.com/p.BenchmarkX", "testing.(*B).runN"),
		4: calls("runtime.newobject", "example.com/p.(*Parser).Parse", "example.com/p.BenchmarkX", "testing.(*B).runN"),
	})
	for _, s := range p.Sample {
		if s.Value[1] == 4000 {
			s.Value[0] = 100
		}
	}
	if found := Suggest(p, nil, owns); len(found) != 2 || found[0].Function != "example.com/p.(*Parser).Parse" {
		t.Errorf("%+v", found)
	}
}

// TestHelper: a function outside of test files that takes a *testing.T, or its substitute, isn't the unit.
func TestHelper(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testutil.go")
	if err := os.WriteFile(file, []byte("package p\n\nfunc Do(x int,\n\tt TestingT) {\n\tConvert()\n}\n\nfunc Convert() {\n}\n\nfunc Try(x int, b testing.TB) {\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stack := calls("runtime.newobject", "example.com/p.Convert", "example.com/p.Do", "example.com/p.Try", "example.com/p.BenchmarkX", "testing.(*B).runN")
	for i, line := range []int{9, 5, 12} {
		stack[1+i].File, stack[1+i].Line = file, line
	}
	known := func(path string) bool { return path == file }
	if found := Suggest(made(map[int64][]probe.Frame{9: stack}), nil, known); len(found) != 1 || found[0].Function != "example.com/p.Convert" {
		t.Errorf("%+v", found)
	}
	// A test's callback isn't the unit's.
	stack = calls("runtime.newobject", "example.com/p.BenchmarkX.func1", "example.com/p.Parse", "example.com/p.BenchmarkX", "testing.(*B).runN")
	stack[1].File = "/p/p_test.go"
	if found := Suggest(made(map[int64][]probe.Frame{9: stack}), nil, owns); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// TestHandler: a handler that a server's goroutine calls comes before the test's own function that sends requests.
func TestHandler(t *testing.T) {
	ask := calls("runtime.newobject", "net/http.Get", "example.com/p.ask", "example.com/p.BenchmarkX", "testing.(*B).runN")
	ask[2].File = "/p/p_test.go"
	p := made(map[int64][]probe.Frame{
		100: calls("runtime.newobject", "example.com/p.read", "example.com/p.(*S).Handle", "net/http.HandlerFunc.ServeHTTP", "net/http.(*conn).serve"),
		900: ask,
	})
	if found := Suggest(p, nil, owns); len(found) != 2 || found[0].Function != "example.com/p.(*S).Handle" || found[1].Function != "example.com/p.ask" {
		t.Errorf("%+v", found)
	}
}

// TestWorker: a function on a goroutine of its own in each iteration is the unit, if it allocates most; one that
// prepares only once isn't.
func TestWorker(t *testing.T) {
	do := calls("runtime.newobject", "example.com/p.Do", "example.com/p.BenchmarkX", "testing.(*B).runN")
	work := calls("runtime.newobject", "example.com/p.execute", "example.com/p.Do.func1")
	once := calls("runtime.newobject", "example.com/p.fill", "example.com/p.start.func1")
	before := made(map[int64][]probe.Frame{10: do, 90: work, 5000: once})
	if found := Suggest(made(map[int64][]probe.Frame{100: do, 900: work, 5000: once}), before, owns); len(found) != 2 || found[0].Function != "example.com/p.execute" {
		t.Errorf("%+v", found)
	}
	if found := Suggest(made(map[int64][]probe.Frame{900: do, 100: work, 5000: once}), before, owns); len(found) != 1 || found[0].Function != "example.com/p.Do" {
		t.Errorf("%+v", found)
	} else if s := found[0].Share; math.Abs(s-890.0/900) > 1e-3 {
		t.Errorf("share %v", s)
	}
}

// TestGeneric: a function of a generic type has one name in profiles, which write its type arguments in full, and in
// snapshots, which don't.
func TestGeneric(t *testing.T) {
	p := made(map[int64][]probe.Frame{
		100: calls("runtime.newobject", "example.com/p.(*Parser[go.shape.struct { a/b.T; x []int }]).Do", "example.com/p.BenchmarkX", "testing.(*B).runN"),
		200: calls("runtime.newobject", "example.com/p.(*Parser[go.shape.int]).Do", "example.com/p.BenchmarkX", "testing.(*B).runN"),
	})
	const want = "example.com/p.(*Parser[...]).Do"
	if found := Suggest(p, nil, owns); len(found) != 1 || found[0].Function != want {
		t.Errorf("%+v", found)
	}
	for _, name := range []string{"Do", "Parser.Do", "(*Parser[T]).Do", "(*Parser[go.shape.int]).Do", "example.com/p.(*Parser[go.shape.int]).Do"} {
		if c, _ := Lookup(p, name, owns); c.Function != want {
			t.Errorf("%s is %q", name, c.Function)
		}
	}
	if n := ObjectsBeneath(p, want); n != 2 {
		t.Errorf("%d objects beneath", n)
	}
}
