// Package flow follows arenas and their memory through a program, and finds uses of memory, and references kept to it,
// beyond its end.
//
// # Terms
//
//	root      an arena, as far as a function can tell arenas apart
//	memory    of a root: the result of an allocation, its site
//	loc       a piece of memory with parts of its own; a cell is one of the parts
//	tag       one thing that a value may be: memory, an arena, a pointer to a loc ...
//	value     a set of tags, each with its death if it is dead
//	state     the analysis result at one point: the value of each variable and each cell
//	summary   the effects of a function, in terms of its parameters, for its callers
//	finding   a mistake
//
// # Analysis
//
// It analyzes one function after the other, in SSA form, from the beginning to the returns, along all paths at once:
//
//	                  a value             a cell            a finding
//	                  --------            --------          ---------
//	a := pool.Get()   a: arena r
//	x := New[T](a)    x: memory of r,
//	                     pointer to loc l
//	x.next = y                            l.next: the value of y
//	pool.Put(a)       x: memory of r,     and so in all
//	                     dead             cells
//	x.n++                                                   x is used after Put
//
//	(1) A call allocates: its result is memory of the arena.
//	(2) Slices, fields, copies and conversions of it are memory too, and so are values
//	    loaded from a variable, map, channel or closure into which it was stored.
//	(3) Reset, Rewind, Put or the end of Do: all memory of the arena is dead now,
//	    wherever it is.
//	(4) Dead memory is used, or is still there when the function returns: a finding.
//
// A value that is dead on one of several paths is dead. An unknown value is taken to be in no arena, so each finding
// has a path from (1) to (4) in the code. That isn't sound, and doesn't try to be: a linter that is wrong is switched
// off.
//
// # Parts
//
// Each package imports only packages below it.
//
//	flow       (1) driver.go analyzes the functions of a package, callees first, until
//	               no summary changes any more.
//	transfer   (2) fixpoint.go analyzes one function: a worklist of blocks, each with
//	               the state at its beginning. branch.go takes a state from one block to
//	               the next, where it is joined with the block's state.
//	           (3) instruction.go takes a state past an instruction, call.go past a call:
//	               arenacall.go and reset.go if package arena is called, library.go
//	               and its like if it is the standard library.
//	apply          Takes a state past a call of a function that has a summary.
//	report     (4) When the states of all blocks are final each block is passed once
//	               more, and now findings count: use.go, goroutine.go, outlive.go.
//	summarize  (5) Writes the summary, at the returns.
//	record         The records of one package and one function.
//	finding        Mistakes, from their detection until they are reported.
//	code           Questions about SSA form alone: loops, conditions, types.
//	state          Values, memory, lifetimes, and how states are joined.
//	summary, shape, std
//	               The effects of functions, the parts of types, the standard library.
//
// Packages transfer and apply change states, report and summarize don't. A summary is an analysis.Fact, so it is known
// across packages.
//
// # Sources
//
// States that grow until they stay the same are Kildall's (A unified approach to global program optimization, POPL
// 1973); summaries of functions are the functional approach of Sharir and Pnueli (1981); operations that are allowed or
// not by what has happened before are typestate (Strom and Yemini, TSE 1986). The files of package state name their
// sources.
package flow

import (
	"go/types"
	"maps"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// Analyzer finds misuse, for others to report. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name: "arenaflow",
	Doc: "follow arenas and their memory through a program\n\nIt reports nothing itself: see " +
		"useafter, escape and goroutine.",
	Requires:         []*analysis.Analyzer{build.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
	ResultType:       reflect.TypeFor[*Result](),
	FactTypes:        []analysis.Fact{new(summary.Summary), new(record.GearFact)},
}

// Result has the findings of a package, in source order.
type Result struct {
	Findings []finding.Finding
}

func run(pass *analysis.Pass) (any, error) {
	built := build.Of(pass)
	if built == nil {
		keptByOthers(pass)
		return &Result{}, nil
	}
	p := newDriver(pass, built)
	p.analyzeAll()
	p.findLeft()
	p.Guard.Done()
	p.export()
	p.ExportGears()
	found := finding.Set{}
	for _, f := range p.found {
		maps.Copy(found, f)
	}
	return &Result{found.Sorted(pass.Fset)}, nil
}

// Flows finds the effects of all functions on their arguments, also of functions unrelated to arenas: it generates the
// table of the standard library. Its result is a map of *types.Func to *summary.Summary.
var Flows = &analysis.Analyzer{
	Name:       "flows",
	Doc:        "find out what functions return of what they are given, and where they keep it",
	Run:        flows,
	ResultType: reflect.TypeFor[map[*types.Func]*summary.Summary](),
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}

func flows(pass *analysis.Pass) (any, error) {
	built := build.Build(pass)
	p := newDriver(pass, built)
	p.All = true
	p.analyzeAll()
	return p.export(), nil
}

// export exports the summaries of this package's functions, and returns them.
func (p *driver) export() map[*types.Func]*summary.Summary {
	told := map[*types.Func]*summary.Summary{}
	for fn, s := range p.Summaries {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == p.Pass.Pkg && !s.Empty() {
			p.Pass.ExportObjectFact(obj, s.Foreign())
			told[obj] = s
		}
	}
	return told
}

// Report reports the findings of a kind. The analyzer must require Analyzer and ignore.Analyzer.
func Report(pass *analysis.Pass, k finding.Kind) {
	for _, x := range pass.ResultOf[Analyzer].(*Result).Findings {
		if x.Kind != k {
			continue
		}
		d := analysis.Diagnostic{Pos: x.Pos, Message: x.Message}
		for _, r := range x.Related {
			if r.Pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Pos, Message: r.Message})
			}
		}
		ignore.Report(pass, d)
	}
}
