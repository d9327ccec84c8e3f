package report

import (
	"bytes"
	"encoding/json"
	"go/types"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
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

// TestText: the screen says what is known.
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
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestNo: it says no when the answer is no.
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

// TestFix: of a patch it says where the arena goes, what the tests have said, and what was left, once for each reason.
func TestFix(t *testing.T) {
	r := &fix.Result{Unit: "(*S).HandleArena", Moved: 5, Movable: 7, Files: make([]fix.File, 3), Guard: "TestHandleArena", NoFields: []string{"node: a unit makes many"}, Fields: []string{"parser"}, Params: 2, Twins: []string{"FArena"},
		Checked: trial.Checked{Units: 44, Used: 7700}, Tests: []fix.Tests{{Passed: 12, Failed: []string{"TestNet"}}}, Requires: true,
		Measured: trial.Result{Before: 30 * time.Microsecond, After: 20 * time.Microsecond, PerRound: []float64{9, 1.5, 1.4, 1.6, 1.5, 1.5, 1.5, 1.5, 0.2}},
		Left:     []fix.Left{{Finding: finding(verdict.Move, 6, "&T{}", 1, 1), Why: "by interface"}, {Finding: finding(verdict.Move, 9, "&U{}", 1, 1), Why: "by interface"}}}
	var b strings.Builder
	Fix(&b, made(), r)
	want := `fixed   5 expressions in 2 files, of 7: (*S).HandleArena takes the arena, it travels as a field of parser, and as a parameter of 2 functions, and as FArena beside what keeps its signature
        not as a field of node: a unit makes many
        the package's own tests pass, without an arena and with one for each unit: 12 of them; 1 fails without the patch, too
        nothing outlived its unit in 44 units with checked arenas, 7.7 KB of arena in one
        1.50x less CPU a unit with 500.0 MB alive beside: 30 us before, 20 us after, medians of 9 rounds in turn (1.40-1.60x)
        TestHandleArena stays: it fails when something outlives its unit again
left    p.go:6 &T{}, p.go:9 &U{}: by interface
needs   go get github.com/harena-go/arena@latest, which go.mod doesn't require yet; it brings Go 1.26
then    go run github.com/harena-go/arena/arenavet/cmd/arenavet@latest ./... looks at what no unit ran: appends that leave the arena (-fix), and what keeps its memory
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	r.Lag, r.Share, r.Patch, r.Grammars = true, 0.8, "-old\n+new\n", []string{"x.y"}
	Fix(&b, made(), r)
	for _, want := range []string{"        they save 80% of what all would, with 2 lines\n", "        x.y is changed with what goyacc has made of it\n",
		"nothing outlived the next unit, with two arenas in turn, in 44 units"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	Fix(&b, made(), &fix.Result{Movable: 3})
	if got, want := b.String(), "fixed   nothing: of 3 expressions none can be moved by a patch\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	Fix(&b, made(), &fix.Result{Movable: 3, Why: "it saves nothing"})
	if got, want := b.String(), "fixed   nothing: it saves nothing\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTrial: rounds whose ratios lie on both sides of 1 show no difference, whatever their median is.
func TestTrial(t *testing.T) {
	var b strings.Builder
	r := &trial.Result{Moved: 3, Movable: 3, Files: 1, Checked: 44, Before: 31 * time.Microsecond, After: 30 * time.Microsecond, Expected: 1.1,
		PerRound: []float64{1.2, 0.9, 1.03, 1.1, 0.95, 1.04, 1.02, 1.3, 0.8}}
	l := made()
	l.Live = 0
	Trial(&b, l, r)
	if want := "        no difference measurable: 31 us before, 30 us after, medians of 9 rounds in turn (0.90-1.20x); expected 1.10x\n"; !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for bytes, want := range map[float64]bool{2 << 20: true, 2 << 10: false} {
		b.Reset()
		l.Findings[0].Bytes, r.PerRound = bytes, []float64{0.7, 0.72, 0.69, 0.71, 0.7, 0.68, 0.73, 0.7, 0.7}
		if Trial(&b, l, r); strings.Contains(b.String(), "-live 64MB measures in a larger one") != want {
			t.Errorf("of %v bytes a unit: %s", bytes, b.String())
		}
	}
}

// TestExpectation: little is promised as at most.
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

// TestUntil: what is to be cleared isn't what a unit makes anew, of whatever package.
func TestUntil(t *testing.T) {
	l := made()
	node := types.NewNamed(types.NewTypeName(0, types.NewPackage("example.com/ast", "ast"), "Node", nil), types.NewStruct(nil, nil), nil)
	for i, holder := range []string{"ast.Node.Left", "[]ast.Node Parser.cache", "global last"} {
		l.Findings[i].Lag, l.Findings[i].Holder = true, holder
	}
	l.Findings[0].Exprs = []source.Expr{{Type: node}}
	if got := strings.Join(l.Until(), ", "); got != "Parser.cache, global last" {
		t.Error(got)
	}
}

// TestJSON: the answer has a patch if there is one.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, made(), &trial.Result{Moved: 2}, &fix.Result{Patch: "--- a\n", Moved: 2}); err != nil {
		t.Fatal(err)
	}
	var a Answer
	if err := json.Unmarshal(b.Bytes(), &a); err != nil || a.Fixed == nil || a.Fixed.Patch != "--- a\n" || a.Tried.Moved != 2 || a.Objects != 63.5 || len(a.Findings) != 4 {
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
