package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

func finding(v verdict.Verdict, line int, text string, objects, bytes float64) verdict.Finding {
	return verdict.Finding{Verdict: v, Kind: "object", Place: probe.Frame{Function: "example.com/p.f", File: "/p/p.go", Line: line}, Text: text, Objects: objects, Bytes: bytes}
}

func made() *scout.Look {
	l := &scout.Look{Package: &target.Package{ImportPath: "example.com/p"}, Unit: sites.Candidate{Function: "example.com/p.(*S).Handle"},
		Benchmark: "BenchmarkHandle", All: sites.All{Share: 0.88}, Dump: true, Live: 5e8}
	l.All.Units = 3000
	l.Costs = &scout.Costs{Unit: 36 * time.Microsecond, Allocator: 0.32, GC: 0.19, Live: 5e8, Expect: scout.Expectation{Moved: 1.4, All: 1.62}}
	kept := finding(verdict.Keep, 9, "&Event{}", 1, 100)
	kept.Holder = "S.audit"
	cloned := finding(verdict.Clone, 8, `"a" + b`, 0.5, 100)
	cloned.Holder, cloned.Units, cloned.Advice = "S.names", 120, "strings.Clone where it is kept"
	helped := finding(verdict.Helper, 7, "", 2, 200)
	helped.Lib, helped.Advice = "strings.Fields", "strings.FieldsSeq"
	l.Findings = []verdict.Finding{finding(verdict.Move, 6, "&T{}", 60, 600), helped, cloned, kept}
	return l
}

// TestText: the screen has all results.
func TestText(t *testing.T) {
	var b strings.Builder
	Text(&b, made(), false)
	want := `unit    (*S).Handle, 88% of all bytes; 3,000 units of BenchmarkHandle
        64 objects, 1.0 KB, 36 us a unit: allocator 32%, GC 19%, with 500.0 MB alive beside
move    1 line     60.0%  p.go:6 &T{} 60/unit
helper  1 line     20.0%  p.go:7 strings.Fields -> strings.FieldsSeq 2/unit
clone   1 line     10.0%  p.go:8 "a" + b: 1 in 120 units stays, held by S.names: strings.Clone where it is kept
keep    1 line     10.0%  p.go:9 &Event{} 1/unit, held by S.audit
expect  1.4-1.6x less CPU a unit; the more, the more helpers are replaced
        or less memory, at the cost of the GC of now: GOGC=30-47 instead of 100. With GOGC left alone the heap grows to the same goal as before
        that is with WithReuse(); -try also measures a Pool without, which is safe for any program
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestNo: the text says no if the answer is no.
func TestNo(t *testing.T) {
	l := made()
	l.Costs.Expect = scout.Expectation{Moved: 1.01, All: 1.04}
	if got := strings.Join(Expected(l), "\n"); !strings.HasPrefix(got, "no gain worth an arena: 1.04x") || !strings.Contains(got, "the allocator takes 32%, the GC 19% of the CPU") || strings.Contains(got, "preallocate") {
		t.Error(got)
	}
	l.Late = []string{"p.Other in BenchmarkOther"}
	if got := strings.Join(Expected(l), "\n"); !strings.Contains(got, "\nthere was no time for 1 more unit, which may have more: -within allows that") {
		t.Errorf("with another unit: %s", got)
	}
	l.Late = nil
	l.Findings[0].Kind, l.Findings[0].Text = "append", "append([]T)"
	if got := strings.Join(Expected(l), "\n"); !strings.Contains(got, "preallocate p.go:6 append([]T), 60% of the bytes") {
		t.Error(got)
	}
	l.Costs.Unit, l.Costs.Expect = 0, scout.Expectation{}
	l.Costs.Expect = scout.Expectation{Moved: l.Expect(func(verdict.Finding) bool { return true }), All: 1}
	if got := strings.Join(Expected(l), "\n"); !strings.HasPrefix(got, "no gain worth an arena: 1.00x") {
		t.Error(got)
	}
}

// compared is a measurement with the given rounds.
func compared(after time.Duration, rounds ...float64) trial.Measured {
	return trial.Measured{Before: 30 * time.Microsecond, After: after, PerRound: rounds,
		Runs: [2][]testrun.Line{{{Objects: 1200, Bytes: 8100}}, {{Objects: 30, Bytes: 9200}}}}
}

// TestFix: the text describes where the arena goes, the results of the tests, the savings, and the rest, once for each
// reason.
func TestFix(t *testing.T) {
	r := &fix.Result{Unit: "(*S).Handle", Moved: 5, Files: map[string][]byte{"a": nil, "b": nil}, Patch: "-old\n+new\n", Fields: []string{"parser"}, Params: 2,
		Passed: 12, Failed: []string{"TestNet"}, Measured: compared(20*time.Microsecond, 9, 1.5, 1.4, 1.6, 1.5, 1.5, 1.5, 1.5, 0.2),
		Left: []trial.Left{{Finding: finding(verdict.Move, 6, "&T{}", 1, 1), Why: "by interface"}, {Finding: finding(verdict.Move, 9, "&U{}", 1, 1), Why: "by interface"}}}
	var b strings.Builder
	Fix(&b, made(), r)
	want := `fixed   5 expressions in 2 files, with 2 lines: (*S).Handle lends an arena of a Pool; it goes to 2 functions as a parameter, and is a field of parser
        the package's own tests pass: 12 of them; failing without the patch, too: TestNet
        1.50x less CPU a unit with 500.0 MB alive beside: 30 us before, 20 us after, medians of 9 rounds in turn (1.40-1.60x); 30 instead of 1,200 allocations, 9.2 KB instead of 8.1 KB an iteration
left    p.go:6 &T{}, p.go:9 &U{}: by interface
needs   go get github.com/harena-go/arena@latest, which brings Go 1.26
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	r.Measured = compared(29*time.Microsecond, 1.03, 1.04, 1.03)
	if Fix(&b, made(), r); !strings.Contains(b.String(), "that isn't worth the patch by itself; -try") {
		t.Error(b.String())
	}
	b.Reset()
	Fix(&b, made(), &fix.Result{Movable: 3})
	if got, want := b.String(), "fixed   nothing: of 3 expressions none can be moved by a patch\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTrial: both gears are shown, and the values that reuse would be wrong for, with their holder. Rounds with ratios
// on both sides of 1 show no difference, for any median.
func TestTrial(t *testing.T) {
	var b strings.Builder
	kept := finding(verdict.Keep, 9, "&U{}", 1, 1)
	kept.Holder = "S.last"
	r := &trial.Result{Gear: trial.Gear{Moved: 3, Files: 1, Measured: compared(29*time.Microsecond, 1.2, 0.9, 1.03, 1.1, 0.95, 1.04, 1.02, 1.3, 0.8)},
		Movable: 3, Checked: 44, Expected: 1.1, Kept: []trial.Left{{Finding: kept, Why: "it outlives its unit", Escaped: true}},
		Reuse: &trial.Gear{Moved: 2, Measured: compared(15*time.Microsecond, 2, 2, 2, 2, 2, 2)}}
	l := made()
	l.Live = 0
	Trial(&b, l, r)
	if want := `tried   3 expressions in 1 file moved, of 3, to arenas of a Pool: safe, whatever outlives its unit
        no difference measurable: 30 us before, 29 us after, medians of 9 rounds in turn (0.90-1.20x); 30 instead of 1,200 allocations, 9.2 KB instead of 8.1 KB an iteration
reuse   2 expressions with WithReuse(): 2.00x less CPU a unit: 30 us before, 15 us after, medians of 6 rounds in turn (2.00-2.00x); 30 instead of 1,200 allocations, 9.2 KB instead of 8.1 KB an iteration; expected 1.10x
        nothing of them outlived its unit in 44 units with checked arenas
kept    p.go:9 &U{}: it outlives its unit, held by S.last
`; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for bytes, want := range map[float64]bool{2 << 20: true, 2 << 10: false} {
		b.Reset()
		l.Findings[0].Bytes, r.PerRound = bytes, []float64{0.7, 0.72, 0.69, 0.71, 0.7, 0.68, 0.73, 0.7, 0.7}
		if Trial(&b, l, r); strings.Contains(b.String(), "-live 64MB measures in a larger one") != want {
			t.Errorf("of %v bytes a unit: %s", bytes, b.String())
		}
	}
	for want, r := range map[string]*trial.Result{
		"tried   nothing: none of 3 expressions": {Movable: 3},
		"reuse   no time for it":                 {Gear: trial.Gear{Moved: 1}, Late: true},
		"reuse   with WithReuse() nothing could": {Gear: trial.Gear{Moved: 1}},
	} {
		b.Reset()
		if Trial(&b, l, r); !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}

// TestExpectation: a small gain is promised as "at most".
func TestExpectation(t *testing.T) {
	for want, e := range map[string]scout.Expectation{
		"no gain worth an arena: 1.04x less CPU a unit at most":             {Moved: 1.01, All: 1.04, Later: 1.04},
		"1.1x less CPU a unit at most: little, -try shows what there is":    {Moved: 1.0, All: 1.12, Later: 1.12},
		"1.0-1.2x less CPU a unit; the more, the more helpers are replaced": {Moved: 1.0, All: 1.2, Later: 1.2},
		"1.3x less CPU a unit": {Moved: 1.28, All: 1.31, Later: 1.31},
		"1.04x less CPU a unit at most, for what dies with its unit": {Moved: 1.0, All: 1.04, Later: 1.5},
	} {
		if got := expectation(e); got != want {
			t.Errorf("%+v: %s, not %s", e, got, want)
		}
	}
}

// TestJSON: the answer has a patch if there is one.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, made(), &trial.Result{Gear: trial.Gear{Moved: 2}, Reuse: &trial.Gear{Moved: 1}}, &fix.Result{Patch: "--- a\n", Moved: 2}); err != nil {
		t.Fatal(err)
	}
	var a Answer
	if err := json.Unmarshal(b.Bytes(), &a); err != nil || a.Fixed == nil || a.Fixed.Patch != "--- a\n" || a.Tried.Moved != 2 || a.Tried.Reuse.Moved != 1 || a.Objects != 63.5 || len(a.Findings) != 4 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestNumbers: numbers have as many digits as are worth reading.
func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		number(60): "60", number(2.49): "2.5", number(0.0071): "0.007", number(9.97): "10", thousands(1234567): "1,234,567", thousands(12): "12",
		size(12): "12 B", size(11800): "11.8 KB", size(2.5e9): "2.5 GB", short(900 * time.Nanosecond): "900 ns", short(1500 * time.Nanosecond): "1.5 us",
		short(36 * time.Microsecond): "36 us", short(25 * time.Millisecond): "25 ms", percent(0.004): "below 1%", percent(0.5): "50%", plural(1, "line"): "1 line",
		clip("abcdefgh", 4): "ab ... gh",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
