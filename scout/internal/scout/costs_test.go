package scout

import (
	"slices"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/cpu"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// line returns a finding of a thousand bytes in a line.
func line(v verdict.Verdict, n int) verdict.Finding {
	return verdict.Finding{Verdict: v, Kind: "object", Place: probe.Frame{Function: "p.f", File: "/p/p.go", Line: n}, Text: "&T{}",
		Objects: 1, Bytes: 1000}
}

// TestExpect: values that can't be moved aren't promised, and a decoder's whole CPU counts, not only its allocations.
func TestExpect(t *testing.T) {
	lags := func(f verdict.Finding) verdict.Finding { f.Lag, f.Exprs = true, make([]source.Expr, 1); return f }
	libraries := lags(line(verdict.Keep, 7))
	libraries.Exprs = nil
	decoder := line(verdict.Helper, 7)
	decoder.Lib, decoder.Advice, decoder.Times = "encoding/json.Unmarshal", "arenajson.Unmarshal", 4
	useless := line(verdict.Helper, 7)
	useless.Lib = "example.com/q.F"
	held := line(verdict.Clone, 7)
	held.Lib = "example.com/q.F"
	again := line(verdict.Hoist, 7)
	again.Lib = "regexp.MustCompile"
	for name, test := range map[string]struct {
		findings    []verdict.Finding
		from, to    float64 // of All
		laterIsMore bool
	}{
		"dies":                        {[]verdict.Finding{line(verdict.Move, 7)}, 1.9, 2.1, false},
		"one of two callers keeps it": {[]verdict.Finding{line(verdict.Move, 7), line(verdict.Keep, 7)}, 1, 1, false},
		"another line keeps it":       {[]verdict.Finding{line(verdict.Move, 7), line(verdict.Keep, 8)}, 1.3, 1.7, false},
		"the next unit replaces it":   {[]verdict.Finding{lags(line(verdict.Keep, 7))}, 1, 1, true},
		"the same of a library":       {[]verdict.Finding{libraries}, 1, 1, false},
		"a tree, replaced in parts":   {[]verdict.Finding{line(verdict.Clone, 7), lags(line(verdict.Keep, 7)), line(verdict.Move, 7)}, 1, 1, false},
		"a decoder":                   {[]verdict.Finding{decoder}, 2.3, 2.6, false}, // 1 / (1 - 0.3 - 0.4 x 3/4)
		"a library without any other": {[]verdict.Finding{useless}, 1, 1, false},
		"a library's own cache":       {[]verdict.Finding{held}, 1, 1, false},
		"built again":                 {[]verdict.Finding{again}, 3.2, 3.4, false}, // 1 / (1 - 0.3 - 0.4)
	} {
		l := &Look{All: sites.All{Share: 1}, Findings: test.findings, Costs: &Costs{Unit: time.Millisecond, usage: cpu.Usage{GC: 0.3,
			At: map[string]float64{"p.f:7": 0.2}, Calls: map[string]float64{"p.f:7 encoding/json.Unmarshal": 0.4, "p.f:7 regexp.MustCompile": 0.4}}}}
		l.expect()
		if e := l.Costs.Expect; e.All < test.from-0.01 || e.All > test.to+0.01 || test.laterIsMore != (e.Later > e.All+0.1) {
			t.Errorf("%s: %+v, want from %v to %v", name, e, test.from, test.to)
		}
	}
	// Allocations of a test's function in the unit make the collector run, too.
	tests := &Look{All: sites.All{Share: 1}, Findings: []verdict.Finding{line(verdict.Move, 7)}, tests: 2000, Costs: &Costs{Unit: time.Millisecond, usage: cpu.Usage{GC: 0.3}}}
	if times := tests.Expect(dies); times < 1.10 || times > 1.12 { // 1 / (1 - 0.3/3)
		t.Errorf("%.2fx where tests allocate two thirds", times)
	}
	l := &Look{All: sites.All{Share: 1}, Findings: []verdict.Finding{decoder}, Costs: &Costs{Unit: time.Millisecond, usage: cpu.Usage{
		Calls: map[string]float64{"p.f:7 encoding/json.Unmarshal": 0.5}}}}
	l.Replayed(func(verdict.Finding) float64 { return 0.5 })
	if f := l.Findings[0]; !f.Replayed || f.Times != 0.5 || l.Costs.Expect.All > 0.7 {
		t.Errorf("slower on its own calls: %+v, %+v", f, l.Costs.Expect)
	}
}

// TestTinyUnits: an arena that is reset after each object takes as long as the heap: 30 to 50 ns on machines seen.
func TestTinyUnits(t *testing.T) {
	all := cpu.Usage{At: map[string]float64{"p.f:7": 0.5}}
	for unit, worth := range map[time.Duration]bool{50: false, 2 * time.Microsecond: true} {
		l := &Look{All: sites.All{Share: 1}, Findings: []verdict.Finding{line(verdict.Move, 7)}, Costs: &Costs{Unit: unit, usage: all}}
		if l.expect(); (l.Costs.Expect.All > Worth) != worth {
			t.Errorf("a unit of %v: %+v", unit, l.Costs.Expect)
		}
	}
}

// TestOrder: more promising benchmarks come first, even if a busy machine has made all promises small.
func TestOrder(t *testing.T) {
	for _, slow := range []time.Duration{1, 30} {
		trifle := Bench{Name: "trifle", Objects: 1, Bytes: 16, line: testrun.Line{Op: 300 * slow}}
		work := Bench{Name: "work", Objects: 900, Bytes: 9e4, line: testrun.Line{Op: 300 * slow * time.Microsecond}}
		for _, b := range []*Bench{&trifle, &work} {
			b.memory, b.class, b.votes = b.guess(), b.Name, 1
		}
		if all := []Bench{trifle, work}; firstOf(all) != "work" {
			t.Errorf("%d times slower: %v comes before %v", slow, trifle.promise(), work.promise())
		}
		// The same work in a benchmark that has a thousand times as much of it takes a minute to look into.
		much := Bench{Name: "much", Objects: 900e3, Bytes: 9e7, line: testrun.Line{Op: 200 * slow * time.Millisecond}}
		if much.memory, much.votes = much.guess(), 1; firstOf([]Bench{much, work}) != "work" {
			t.Errorf("%d times slower: %v comes before %v", slow, much.promise(), work.promise())
		}
	}
}

// TestBarriers: while the collector marks, memory with pointers costs more in an arena; the less the heap triggers the
// collector, the smaller that cost.
func TestBarriers(t *testing.T) {
	times := func(kind string, marks float64, kept verdict.Finding) float64 {
		f := line(verdict.Move, 7)
		f.Kind = kind
		l := &Look{All: sites.All{Share: 1}, Findings: []verdict.Finding{f, kept}, Costs: &Costs{Unit: 10 * time.Microsecond, marks: marks,
			usage: cpu.Usage{At: map[string]float64{"p.f:7": 0.2}}}}
		return l.Expect(moved)
	}
	heap, nothing := line(verdict.Keep, 8), verdict.Finding{}
	if quiet, busy := times("object", 0, heap), times("object", 0.5, heap); busy > 0.97*quiet {
		t.Errorf("%.2fx while the collector marks half of the time, %.2fx without", busy, quiet)
	}
	if quiet, busy := times("string", 0, heap), times("string", 0.5, heap); busy != quiet {
		t.Errorf("strings have no pointers: %.3fx, not %.3fx", busy, quiet)
	}
	if quiet, busy := times("object", 0, nothing), times("object", 0.5, nothing); busy != quiet {
		t.Errorf("nothing is left that makes the collector run: %.3fx, not %.3fx", busy, quiet)
	}
}

// firstOf returns the benchmark to look into.
func firstOf(all []Bench) string {
	sort(all)
	return all[0].Name
}

// TestVote: work shared by much of the suite promises more than a single benchmark, for any names of its lines and
// functions, and any share of that one's time.
func TestVote(t *testing.T) {
	bench := func(name string, objects float64) Bench {
		b := Bench{Name: name, Objects: objects, Bytes: 50 * objects, line: testrun.Line{Op: 100 * time.Microsecond}, votes: 1}
		b.memory = b.guess()
		return b
	}
	lines := [][]Bench{{bench("print", 1900)}}
	beneath := []map[string]float64{{"p.Print": 1, "p.term": 0.6}}
	for _, name := range []string{"a", "b", "c", "d"} {
		lines = append(lines, []Bench{bench(name, 1000)})
		beneath = append(beneath, map[string]float64{"p.Parse" + name: 1, "p.(*parser).parse": 0.9, "p.term": 0.3})
	}
	vote(lines, beneath)
	all := slices.Concat(lines...)
	if all[1].class != "p.(*parser).parse" || all[0].class != "p.Print" {
		t.Errorf("classes %q and %q", all[1].class, all[0].class)
	}
	if first := firstOf(slices.Clone(all)); first == "print" {
		t.Errorf("%s comes first: %+v", first, all)
	}
	sort(all)
	if all[1].Name != "print" {
		t.Errorf("one of each class comes before all others, not %s", all[1].Name)
	}
	// Which of a class promises most is chance, but what it shows isn't.
	for _, small := range []float64{0.2, 0.3, 0.5} {
		some := []Bench{bench("small", 69), bench("large", 700)}
		for i := range some {
			some[i].class, some[i].memory, some[i].line.Op = "p.Parse", 0.25, time.Duration(1+i)
		}
		if some[0].memory = small; firstOf(some) != "large" {
			t.Errorf("%v comes first", some[0])
		}
		if some[0].memory = 0.01; firstOf(some) == "large" {
			t.Error("large comes first, which promises next to nothing")
		}
	}
	// Many lines of one benchmark function are one vote.
	many := [][]Bench{{bench("a/1", 900), bench("a/2", 900), bench("a/3", 900), bench("a/4", 900)}, {bench("b", 900)}}
	vote(many, []map[string]float64{{"p.Parse": 1}, {"p.Parse": 1}})
	if got := many[0][0].votes; got < 1.9 || got > 2.1 {
		t.Errorf("%v votes of two functions", got)
	}
}

// TestLevel: guesses and measured values are compared only on the same scale.
func TestLevel(t *testing.T) {
	small := Bench{Name: "small", Objects: 4, Bytes: 96, line: testrun.Line{Op: 10 * time.Microsecond}, AtMost: 2, memory: 0.5, votes: 1}
	large := Bench{Name: "large", Objects: 100, Bytes: 3200, line: testrun.Line{Op: 100 * time.Microsecond}, votes: 1}
	all := []Bench{small, large}
	level(all)
	if all[0].memory != 0.5 || all[1].memory < 0.5 || all[1].promise() < all[0].promise() {
		t.Errorf("%+v", all)
	}
}
