// Package flow follows arenas and their memory through a program, and finds where
// memory is used, or kept, beyond its end.
//
// # Terms
//
//	root      an arena, as far as a function can tell arenas apart
//	memory    of a root: what an allocation, its site, has returned
//	loc       a piece of memory with parts of its own; a cell is one of the parts
//	tag       one thing that a value may be: memory, an arena, a pointer to a loc ...
//	value     a set of tags, each with its death if it is dead
//	state     what is known at one point: the value of each variable and each cell
//	summary   what a function does, in terms of its parameters, for its callers
//	finding   a mistake
//
// # What it does
//
// It looks at one function after the other, in SSA form, from the beginning to
// the returns, along all paths at once:
//
//	                  a value             a cell            a finding
//	                  --------            --------          ---------
//	a := pool.Get()   a: arena r
//	x := New[T](a)    x: memory of r,
//	                     pointer to loc l
//	x.next = y                            l.next: what y is
//	pool.Put(a)       x: memory of r,     and so in all
//	                     dead             cells
//	x.n++                                                   x is used after Put
//
//	(1) A call allocates: its result is memory of the arena.
//	(2) Slices, fields, copies and conversions of it are memory too, and so is what
//	    comes out of a variable, map, channel or closure into which it was put.
//	(3) Reset, Rewind, Put or the end of Do: all memory of the arena is dead now,
//	    wherever it is.
//	(4) Dead memory is used, or is still there when the function returns: a finding.
//
// A value that one of several paths brings in dead is dead. Where nothing is
// known the value is taken to be none of an arena, so that whatever is found has
// a path from (1) to (4) in the code. That isn't sound, and doesn't try to be: a
// linter that is wrong is switched off.
//
// # How it does that
//
//	(1) program.go lists the functions of a package, callees first, and analyzes
//	    each, until no summary changes any more.
//	(2) function.go does one function: a worklist of blocks, each with the state at
//	    its beginning; edge.go takes a state from one block to the next, where it is
//	    joined with what is known there.
//	(3) step.go takes a state past an instruction; call.go past a call, by what is
//	    known of the callee: arena.go and ending.go if it is package arena's,
//	    container.go and view.go if it is the standard library's, apply.go if it has
//	    a summary.
//	(4) When the states of all blocks are final each block is looked at once more,
//	    and now what is found counts: use.go, goroutine.go, exit.go.
//	(5) leave.go writes the summary, at the returns.
//
// What callers need to know of a function is its Summary, in terms of its
// parameters. Summaries are facts, so that they are known across packages.
//
// # Where that comes from
//
// States that grow until they stay the same are Kildall's (A unified approach to
// global program optimization, POPL 1973); summaries of functions are the
// functional approach of Sharir and Pnueli (1981); operations that are allowed or
// not by what has happened before are typestate (Strom and Yemini, TSE 1986). The
// files of package state name what they use.
//
// # Parts
//
// Imports go one way: flow -> state -> summary, shape; flow -> std. Package state
// knows values and how they are joined, but no instruction; this one knows what
// instructions and calls do, but doesn't look into how a state keeps its values.
// Here, what happens to a state stands apart from what is said of it: step, call,
// apply and their like change states; use, exit and report don't.
package flow

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// Analyzer finds misuse, for others to report. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "arenaflow",
	Doc:        "follow arenas and their memory through a program\n\nIt reports nothing itself: see useafter, escape and goroutine.",
	Requires:   []*analysis.Analyzer{build.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}

// Result is what was found in a package, in source order.
type Result struct {
	Findings []Finding
}

func run(pass *analysis.Pass) (any, error) {
	built := build.Of(pass)
	if built == nil {
		return &Result{}, nil
	}
	p := newProgram(pass, built.Pkg)
	p.list(built.Funcs)
	p.analyzeAll()
	p.guard.Done()
	p.export()
	found := findings{}
	for _, f := range p.found {
		maps.Copy(found, f)
	}
	return &Result{found.sorted()}, nil
}

// Flows finds out what any function does with what it is given, also one that has
// nothing to do with arenas: it is how the table of the standard library is made. Its
// result is a map of *types.Func to *summary.Summary.
var Flows = &analysis.Analyzer{
	Name:       "flows",
	Doc:        "find out what functions return of what they are given, and where they keep it",
	Run:        flows,
	ResultType: reflect.TypeFor[map[*types.Func]*summary.Summary](),
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}

func flows(pass *analysis.Pass) (any, error) {
	built := build.Build(pass)
	p := newProgram(pass, built.Pkg)
	p.all = true
	p.list(built.Funcs)
	p.analyzeAll()
	return p.export(), nil
}

// export tells other packages of this one's functions, and returns what it tells.
func (p *program) export() map[*types.Func]*summary.Summary {
	told := map[*types.Func]*summary.Summary{}
	for fn, s := range p.summaries {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == p.pass.Pkg && !s.Empty() {
			p.pass.ExportObjectFact(obj, s.Foreign())
			told[obj] = s
		}
	}
	return told
}

// sorted returns findings in source order, one for each cause: a second use of
// the same dead memory tells nothing new.
func (all findings) sorted() []Finding {
	list := slices.Collect(maps.Values(all))
	slices.SortFunc(list, func(a, b Finding) int {
		if a.Pos != b.Pos {
			return int(a.Pos - b.Pos)
		}
		return strings.Compare(a.Message, b.Message)
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(x Finding) bool {
		again := seen[x.cause]
		seen[x.cause] = true
		return again
	})
}
