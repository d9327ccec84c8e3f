package report

import (
	"encoding/json"
	"io"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file has the JSON of a look. The names are read by other programs: fields may be added, and none
// changes its meaning. Where a type of package scout would do, there is another one here, so that its fields
// can change freely.

// Answer is a look as JSON has it. Numbers are for one unit; shares are from 0 to 1, times in nanoseconds.
type Answer struct {
	Package    string   `json:"package"`
	Unit       string   `json:"unit"`
	Benchmark  string   `json:"benchmark,omitempty"`
	Units      int64    `json:"units"`                  // that were recorded
	UnitsPerOp float64  `json:"units_per_op,omitempty"` // in an iteration of the benchmark
	Objects    float64  `json:"objects"`
	Bytes      float64  `json:"bytes"`
	ShareOfAll float64  `json:"share_of_all_bytes"`
	AtOnce     bool     `json:"at_once"`
	Dump       bool     `json:"heap_dump"`
	Findings   []Line   `json:"findings"`
	Costs      *Costs   `json:"costs,omitempty"`
	Notes      []string `json:"notes,omitempty"`
	Tried      *Tried   `json:"tried,omitempty"`
	Fixed      *Fixed   `json:"fixed,omitempty"`
}

// Line is a finding.
type Line struct {
	Verdict  string   `json:"verdict"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Range    *Span    `json:"range,omitempty"` // of the expression, if it is known
	Hint     string   `json:"hint"`            // what to do, in one line, for an editor
	Function string   `json:"function"`
	Kind     string   `json:"kind"`
	Expr     string   `json:"expr,omitempty"`
	Library  string   `json:"library,omitempty"`
	Advice   string   `json:"advice,omitempty"`
	Times    float64  `json:"times,omitempty"`    // how many times less CPU what Advice names takes
	Replayed bool     `json:"replayed,omitempty"` // on the line's own calls; else as published
	Holder   string   `json:"holder,omitempty"`
	Way      string   `json:"way,omitempty"`
	Test     bool     `json:"held_by_benchmark,omitempty"`
	ByHand   bool     `json:"by_hand,omitempty"`
	Lag      bool     `json:"until_next_unit,omitempty"` // what stays is replaced by the next unit
	Objects  float64  `json:"objects"`
	Bytes    float64  `json:"bytes"`
	Alive    float64  `json:"alive"` // share of the objects that outlived their units
	Stacks   [][]Call `json:"stacks"`
}

// Span is where an expression is. Lines and columns begin at 1; columns count bytes.
type Span struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"` // behind it
}

// span returns where the expression of a finding is, nil if it isn't known.
func span(l *scout.Look, f verdict.Finding) *Span {
	if len(f.Exprs) == 0 || l.Program == nil {
		return nil
	}
	n := f.Exprs[0].Node
	from, to := l.Program.Fset.PositionFor(n.Pos(), false), l.Program.Fset.PositionFor(n.End(), false)
	return &Span{from.Line, from.Column, to.Line, to.Column}
}

// Call is one of a stack. The innermost comes first, the unit's last.
type Call struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Costs are what a unit takes, and how many times less it may take.
type Costs struct {
	CPU        int64   `json:"cpu_ns"`
	Allocator  float64 `json:"allocator"`
	GC         float64 `json:"gc"`
	Live       int64   `json:"live_bytes,omitempty"`
	ExpectMove float64 `json:"expect_moved"`
	ExpectAll  float64 `json:"expect_all"`
	ExpectLag  float64 `json:"expect_two_arenas"`

	Production *Production `json:"production,omitempty"`
}

// Production is the same by a profile from elsewhere.
type Production struct {
	Allocator  float64 `json:"allocator"`
	GC         float64 `json:"gc"`
	Matched    float64 `json:"matched"`
	ExpectMove float64 `json:"expect_moved"`
	ExpectAll  float64 `json:"expect_all"`
}

// Tried is what -try has shown.
type Tried struct {
	Moved    int     `json:"moved"`
	Movable  int     `json:"movable"`
	Files    int     `json:"files"`
	Checked  int     `json:"checked_units"`
	Before   int64   `json:"cpu_ns_before"`
	After    int64   `json:"cpu_ns_after"`
	Times    float64 `json:"times"`
	Low      float64 `json:"times_low"` // from Low to High the median of ever so many rounds would lie
	High     float64 `json:"times_high"`
	Expected float64 `json:"times_expected"`
	Left     []Left  `json:"left,omitempty"`
	Later    *Tried  `json:"two_arenas,omitempty"` // the same with two arenas in turn
}

// Left is an expression that wasn't moved.
type Left struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Expr    string `json:"expr"`
	Why     string `json:"why"`
	Escaped bool   `json:"escaped,omitempty"`
}

// tried returns a trial as JSON has it.
func tried(r *trial.Result) *Tried {
	t := &Tried{Moved: r.Moved, Movable: r.Movable, Files: r.Files, Checked: r.Checked,
		Before: r.Before.Nanoseconds(), After: r.After.Nanoseconds(), Times: r.Times(), Expected: r.Expected}
	t.Low, t.High = r.Range()
	if r.Later != nil {
		t.Later = tried(r.Later)
	}
	for _, l := range r.Left {
		t.Left = append(t.Left, Left{l.Finding.Place.File, l.Finding.Place.Line, What(l.Finding), l.Why, l.Escaped})
	}
	return t
}

// Of returns a look's answer.
func Of(l *scout.Look) Answer {
	a := Answer{Package: l.Package.ImportPath, Unit: l.Unit.Function, Benchmark: l.Benchmark, Units: l.All.Units,
		UnitsPerOp: l.PerOp,
		ShareOfAll: l.All.Share, AtOnce: l.AtOnce, Dump: l.Dump, Findings: []Line{}, Notes: Notes(l)}
	a.Objects, a.Bytes = Sum(l.Findings)
	for _, f := range l.Findings {
		line := Line{Verdict: string(f.Verdict), File: f.Place.File, Line: f.Place.Line, Range: span(l, f),
			Hint: Hint(f), Function: f.Place.Function,
			Kind: f.Kind, Expr: f.Text,
			Library: f.Lib, Advice: f.Advice, Times: f.Times, Replayed: f.Replayed, Holder: f.Holder, Way: f.Way,
			Test: f.Test, ByHand: f.ByHand, Lag: f.Lag,
			Objects: f.Objects, Bytes: f.Bytes, Alive: f.Alive}
		for _, s := range f.Sites {
			line.Stacks = append(line.Stacks, calls(s))
		}
		a.Findings = append(a.Findings, line)
	}
	c := l.Costs
	a.Costs = &Costs{CPU: c.Unit.Nanoseconds(), Allocator: c.Allocator, GC: c.GC, Live: c.Live,
		ExpectMove: c.Expect.Moved, ExpectAll: c.Expect.All, ExpectLag: c.Expect.Later}
	if p := c.Elsewhere; p != nil {
		a.Costs.Production = &Production{p.Allocator, p.GC, p.Matched, p.Expect.Moved, p.Expect.All}
	}
	return a
}

// calls returns the stack of a site, up to its unit.
func calls(s sites.Site) (all []Call) {
	for _, f := range s.Path {
		all = append(all, Call{f.Function, f.File, f.Line})
	}
	return all
}

// Fixed is the patch of -fix, and what is known of it.
type Fixed struct {
	Unit     string   `json:"unit"` // the function that takes the arena
	Moved    int      `json:"moved"`
	Movable  int      `json:"movable"`
	Fields   []string `json:"fields,omitempty"` // structs that have got one
	Params   int      `json:"parameters"`
	Twins    []string `json:"twins,omitempty"`
	Checked  int      `json:"checked_units"`
	Used     int      `json:"arena_bytes"` // in a unit
	Passed   int      `json:"tests_passed"`
	Times    float64  `json:"times"`
	Requires bool     `json:"needs_require"` // go.mod must require package arena
	Left     []Left   `json:"left,omitempty"`
	Guard    string   `json:"test,omitempty"` // that the patch adds
	Lines    int      `json:"lines"`          // that it adds or removes
	Why      string   `json:"why,omitempty"`  // there is none, if something could be moved
	Patch    string   `json:"patch"`
}

// fixed returns a patch as JSON has it.
func fixed(r *fix.Result) *Fixed {
	f := &Fixed{Unit: r.Unit, Moved: r.Moved, Movable: r.Movable, Fields: r.Fields, Params: r.Params,
		Twins: r.Twins, Checked: r.Checked.Units,
		Used: r.Checked.Used, Times: r.Measured.Times(), Requires: r.Requires,
		Guard: r.Guard, Lines: r.Lines(), Why: r.Why, Patch: r.Patch}
	for _, t := range r.Tests {
		f.Passed += t.Passed
	}
	for _, l := range r.Left {
		f.Left = append(f.Left, Left{l.Finding.Place.File, l.Finding.Place.Line, What(l.Finding), l.Why, false})
	}
	return f
}

// JSONNo writes the answer that there is nothing for an arena, and why.
func JSONNo(w io.Writer, no *scout.No) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(map[string]string{"no": no.Why})
}

// JSON writes the answer, with those of a trial and of a patch unless they are nil.
func JSON(w io.Writer, l *scout.Look, r *trial.Result, p *fix.Result) error {
	a := Of(l)
	if r != nil {
		a.Tried = tried(r)
	}
	if p != nil {
		a.Fixed = fixed(p)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(a)
}
