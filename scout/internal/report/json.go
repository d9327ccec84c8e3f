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

// This file has the JSON of a look. Other programs read the names: fields may be added, but never change their meaning.
// The types repeat some of package scout, whose fields can then change freely.

// Answer is a look in JSON. Numbers are for one unit; shares are from 0 to 1, times in nanoseconds.
type Answer struct {
	Package    string   `json:"package"`
	Unit       string   `json:"unit"`
	Benchmark  string   `json:"benchmark,omitempty"`
	Units      int64    `json:"units"`                  // recorded
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
	Hint     string   `json:"hint"`            // advice in one line, for an editor
	Function string   `json:"function"`
	Kind     string   `json:"kind"`
	Expr     string   `json:"expr,omitempty"`
	Library  string   `json:"library,omitempty"`
	Advice   string   `json:"advice,omitempty"`
	Times    float64  `json:"times,omitempty"`    // how many times less CPU Advice takes
	Replayed bool     `json:"replayed,omitempty"` // on the line's own calls; else as published
	Holder   string   `json:"holder,omitempty"`
	Way      string   `json:"way,omitempty"`
	Test     bool     `json:"held_by_benchmark,omitempty"`
	ByHand   bool     `json:"by_hand,omitempty"`
	Lag      bool     `json:"until_next_unit,omitempty"` // the next unit replaces the values that stay
	Objects  float64  `json:"objects"`
	Bytes    float64  `json:"bytes"`
	Alive    float64  `json:"alive"` // share of the objects that outlived their units
	Stacks   [][]Call `json:"stacks"`
}

// Span is the range of an expression. Lines and columns begin at 1; columns count bytes.
type Span struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"` // exclusive
}

// span returns the range of a finding's expression, nil if it isn't known.
func span(l *scout.Look, f verdict.Finding) *Span {
	if len(f.Exprs) == 0 || l.Program == nil {
		return nil
	}
	n := f.Exprs[0].Node
	from, to := l.Program.Fset.PositionFor(n.Pos(), false), l.Program.Fset.PositionFor(n.End(), false)
	return &Span{from.Line, from.Column, to.Line, to.Column}
}

// Call is a call on a stack. The innermost comes first, the unit's last.
type Call struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Costs are a unit's costs, and how many times less it may take.
type Costs struct {
	CPU        int64   `json:"cpu_ns"`
	Allocator  float64 `json:"allocator"`
	GC         float64 `json:"gc"`
	Live       int64   `json:"live_bytes,omitempty"`
	ExpectMove float64 `json:"expect_moved"`
	ExpectAll  float64 `json:"expect_all"`
	ExpectLag  float64 `json:"expect_released"` // if the holder of the last result releases it

	Production *Production `json:"production,omitempty"`
}

// Production has the same numbers, by a profile from elsewhere.
type Production struct {
	Allocator  float64 `json:"allocator"`
	GC         float64 `json:"gc"`
	Matched    float64 `json:"matched"`
	ExpectMove float64 `json:"expect_moved"`
	ExpectAll  float64 `json:"expect_all"`
}

// Tried is the result of -try: without reuse, and with it.
type Tried struct {
	Gear
	Movable  int     `json:"movable"`
	Left     []Left  `json:"left,omitempty"`
	Reuse    *Gear   `json:"reuse,omitempty"`
	Checked  int     `json:"checked_units"`  // for reuse
	Kept     []Left  `json:"kept,omitempty"` // values that reuse would be wrong for
	Expected float64 `json:"reuse_expected"` // how many times less CPU
}

// Gear is the moved expressions in one of the gears, and their savings.
type Gear struct {
	Moved int `json:"moved"`
	Files int `json:"files"`
	Measured
}

// Measured is a comparison.
type Measured struct {
	Before  int64    `json:"cpu_ns_before"`
	After   int64    `json:"cpu_ns_after"`
	Times   float64  `json:"times"`
	Low     float64  `json:"times_low"` // the median of infinitely many rounds would lie between Low and High
	High    float64  `json:"times_high"`
	Objects [2]int64 `json:"allocs_per_op"` // before and after
}

// Left is an expression that wasn't moved.
type Left struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Expr    string `json:"expr"`
	Why     string `json:"why"`
	Escaped bool   `json:"escaped,omitempty"`
}

// tried returns a trial in JSON.
func tried(r *trial.Result) *Tried {
	t := &Tried{Gear: gear(r.Gear), Movable: r.Movable, Left: left(r.Left), Checked: r.Checked, Kept: left(r.Kept),
		Expected: r.Expected}
	if r.Reuse != nil {
		g := gear(*r.Reuse)
		t.Reuse = &g
	}
	return t
}

func gear(g trial.Gear) Gear { return Gear{g.Moved, g.Files, comparison(&g.Measured)} }

// comparison returns a measurement in JSON.
func comparison(m *trial.Measured) Measured {
	c := Measured{Before: m.Before.Nanoseconds(), After: m.After.Nanoseconds(), Times: m.Times()}
	c.Low, c.High = m.Range()
	for i, lines := range m.Runs {
		if len(lines) > 0 {
			c.Objects[i] = lines[0].Objects
		}
	}
	return c
}

// left returns the expressions that weren't moved, in JSON.
func left(all []trial.Left) (found []Left) {
	for _, l := range all {
		found = append(found, Left{l.Finding.Place.File, l.Finding.Place.Line, What(l.Finding), l.Why, l.Escaped})
	}
	return found
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

// Fixed is the patch of -fix, with its figures.
type Fixed struct {
	Unit    string   `json:"unit"` // the function that lends the arena
	Moved   int      `json:"moved"`
	Movable int      `json:"movable"`
	Fields  []string `json:"fields,omitempty"` // structs that got a field
	Params  int      `json:"parameters"`
	Passed  int      `json:"tests_passed"`
	Measured
	Left  []Left `json:"left,omitempty"`
	Lines int    `json:"lines"` // added or removed by the patch
	Patch string `json:"patch"`
}

// fixed returns a patch in JSON.
func fixed(r *fix.Result) *Fixed {
	return &Fixed{Unit: r.Unit, Moved: r.Moved, Movable: r.Movable, Fields: r.Fields, Params: r.Params,
		Passed: r.Passed, Measured: comparison(&r.Measured), Left: left(r.Left), Lines: r.Lines(),
		Patch: r.Patch}
}

// JSONNo writes the answer that an arena gains nothing, with the reason.
func JSONNo(w io.Writer, no *scout.No) error {
	return Encode(w, map[string]string{"no": no.Why})
}

// Encode writes a value as indented JSON.
func Encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(v)
}

// JSON writes the answer, with those of a trial and a patch unless they are nil.
func JSON(w io.Writer, l *scout.Look, r *trial.Result, p *fix.Result) error {
	a := Of(l)
	if r != nil {
		a.Tried = tried(r)
	}
	if p != nil {
		a.Fixed = fixed(p)
	}
	return Encode(w, a)
}
