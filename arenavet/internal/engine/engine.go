// Package engine follows arenas and their memory through a program. It asks package lifetime on its way whether memory
// is used, or kept, beyond its end.
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
//	engine     (1) Analyzes the functions of a package, callees first, until no summary
//	               changes any more.
//	transfer   (2) fixpoint.go analyzes one function: a worklist of blocks, each with
//	               the state at its beginning, and takes a state from one block to the
//	               next, where it is joined with the block's state.
//	           (3) instruction.go takes a state past an instruction, call.go past a call:
//	               arenacall.go if package arena is called, library.go if it is the
//	               standard library.
//	apply          Takes a state past a call of a function that has a summary.
//	rules/lifetime
//	           (4) When the states of all blocks are final each block is passed once
//	               more, and now findings count: use.go, outlive.go.
//	summarize  (5) Writes the summary, at the returns.
//	record         The records of one package and one function.
//	rules/finding  Mistakes, from their detection until they are reported.
//	keeps          Summarizes packages unrelated to arenas.
//	code, defuse, facts, program
//	               Questions about SSA form alone: loops, conditions, types, definitions
//	               and uses; facts about functions, for rules that need no states.
//	state          Values, memory, lifetimes, and how states are joined.
//	summary, shape The effects of functions, the parts of types.
//	knowledge      Tables: the functions of package arena, and of other libraries.
//
// Packages transfer and apply change states, lifetime and summarize don't. A summary is an analysis.Fact, so it is
// known across packages.
//
// # Sources
//
// States that grow until they stay the same are Kildall's (A unified approach to global program optimization, POPL
// 1973); summaries of functions are the functional approach of Sharir and Pnueli (1981); operations that are allowed or
// not by what has happened before are typestate (Strom and Yemini, TSE 1986). The files of package state name their
// sources.
package engine

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/engine/keeps"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/engine/transfer"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
	"github.com/harena-go/arena/arenavet/internal/rules/lifetime"
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
	lifetime.Left(p.Program, p.found)
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
var Flows = flows("flows", func(pass *analysis.Pass) map[*types.Func]*summary.Summary {
	p := newDriver(pass, build.Build(pass))
	p.All = true
	p.analyzeAll()
	return p.export()
})

func flows(name string, of func(*analysis.Pass) map[*types.Func]*summary.Summary) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       name,
		Doc:        "find out what functions return of what they are given, and where they keep it",
		Run:        func(pass *analysis.Pass) (any, error) { return of(pass), nil },
		ResultType: reflect.TypeFor[map[*types.Func]*summary.Summary](),
		FactTypes:  []analysis.Fact{new(summary.Summary)},
	}
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

// This part analyzes a package: it decides the functions to visit, their order and the number of visits. It must not
// depend on the code of functions.

// A driver analyzes the functions of a package.
type driver struct {
	*record.Program
	found map[*ssa.Function]finding.Set
	looks map[*ssa.Function]int // number of visits
}

func newDriver(pass *analysis.Pass, built *build.Program) *driver {
	return &driver{
		Program: record.NewProgram(pass, built.Pkg, code.Circles(built.Pkg, built.Funcs)),
		found:   map[*ssa.Function]finding.Set{},
		looks:   map[*ssa.Function]int{},
	}
}

// maxRounds bounds the visits of functions, until their summaries stay the same, and the visits of a circle's functions
// before others'. Functions outside of circles need one round: their callees come first. No function is visited more
// than twice as often.
const maxRounds = 10

// analyzeAll analyzes all functions until nothing changes: a fixed point of summaries, within which each function is a
// fixed point of states. Functions that keep changing each other are given up, as if they could do anything.
func (p *driver) analyzeAll() {
	for range maxRounds {
		p.round()
		if len(p.Dirty) == 0 {
			break
		}
	}
	for fn := range p.Dirty {
		p.Guard.GiveUp(fn, "calls in circles, and each round finds something else")
		p.found[fn], p.Summaries[fn] = nil, unknown(fn)
	}
}

// round analyzes each function that is new, or dirty, circle by circle: by then the summaries of a circle's callees are
// as good as possible. A function that becomes dirty after its turn is analyzed in the next round.
//
// No summary says that an arena in a field is reset somewhere, since it isn't only callers that rely on it: memory of
// an arena that is never reset may be kept in a global. When such a field turns up all functions are analyzed again.
func (p *driver) round() {
	known := len(p.Resettable)
	for _, circle := range p.Circles {
		for n := 0; n < maxRounds && p.around(circle); n++ {
		}
	}
	if len(p.Resettable) > known {
		for _, circle := range p.Circles {
			for _, fn := range circle {
				p.Dirty[fn] = true
			}
		}
	}
}

// around analyzes the functions of a circle once, and reports whether changed summaries make another visit necessary.
func (p *driver) around(circle []*ssa.Function) (again bool) {
	for _, fn := range circle {
		if (p.Dirty[fn] || p.found[fn] == nil) && p.looks[fn] < 2*maxRounds {
			p.looks[fn]++
			delete(p.Dirty, fn)
			p.found[fn] = p.analyze(fn)
		}
	}
	return slices.ContainsFunc(circle, func(fn *ssa.Function) bool { return p.Dirty[fn] && p.looks[fn] < 2*maxRounds })
}

// smallSize is the number of blocks up to which functions unrelated to arenas are analyzed: they may return their
// arguments.
const smallSize = 12

// concerns reports whether a function is related to arenas: by a value of such a type, a call of package arena, or a
// call of a function whose summary is related to them. Large unrelated functions are skipped, which is most of a
// program.
func (p *driver) concerns(fn *ssa.Function) bool {
	for i := range api.Instrs(fn) {
		if p.instructionConcerns(i) {
			return true
		}
	}
	for _, v := range fn.Params {
		if api.TypeOf(v.Type()) != api.None {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, p.concerns)
}

func (p *driver) instructionConcerns(i ssa.Instruction) bool {
	if v, ok := i.(ssa.Value); ok && api.TypeOf(v.Type()) != api.None {
		return true
	}
	c, ok := i.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if api.Callee(c.Common()) != nil {
		return true
	}
	callee := c.Common().StaticCallee()
	if callee == nil {
		return false
	}
	s := p.Summary(callee)
	return s != nil && s.Concerns()
}

// analyze analyzes one function, from the start: earlier results, from other summaries, are dropped. If its own summary
// has changed its callers are analyzed again. The guard makes sure that it ends. A function that was given up is
// unknown.
func (p *driver) analyze(fn *ssa.Function) finding.Set {
	p.Current = fn
	f := record.NewFunction(p.Program, fn)
	ok := p.Guard.Run(fn, func() {
		if p.All || len(fn.Blocks) <= smallSize || p.concerns(fn) {
			transfer.Run(f)
		}
		f.Summary.Sort()
		f.Summary.Merge()
	})
	if !ok {
		f.Found, f.Summary = finding.Set{}, unknown(fn)
	}
	p.SetSummary(fn, f.Summary)
	return f.Found
}

// unknown returns the summary of a function that was given up. If it takes an arena, its pointer and slice results are
// assumed to be in that arena, unless they may be another argument.
func unknown(fn *ssa.Function) *summary.Summary {
	s := &summary.Summary{Waits: true, Polls: true, Locks: true, Unknown: true}
	arena := -1
	for n, p := range fn.Params {
		if api.TypeOf(p.Type()) == api.Arena {
			if arena >= 0 {
				return s
			}
			arena = n
		}
	}
	for n := range fn.Signature.Results().Len() {
		t := fn.Signature.Results().At(n).Type()
		_, isPointer := t.Underlying().(*types.Pointer)
		_, isSlice := t.Underlying().(*types.Slice)
		isParam := func(p *ssa.Parameter) bool { return types.Identical(p.Type(), t) }
		if arena >= 0 && (isPointer || isSlice) && api.TypeOf(t) == api.None &&
			!slices.ContainsFunc(fn.Params, isParam) {
			s.Results = append(s.Results,
				summary.Flow{Out: "#" + strconv.Itoa(n), Kind: summary.Memory, From: summary.Sym{Param: arena}})
		}
	}
	return s
}

// This part summarizes packages unrelated to arenas, for packages that use arenas.

// keptByOthers exports the flows of this package's functions from arguments to results and stores: package std has
// those of the standard library.
func keptByOthers(pass *analysis.Pass) {
	if built := build.Any(pass); built != nil {
		if !guard.Strict {
			defer func() { recover() }() // then the package is unknown
		}
		exportKept(pass, built, std.Flows)
	}
}

// exportKept exports package keeps' summaries of a package's functions, and returns them. table has the flows of the
// standard library.
func exportKept(pass *analysis.Pass, built *build.Program,
	table func(name string) string) map[*types.Func]*summary.Summary {
	all := keeps.Of(built.Pkg, code.Circles(built.Pkg, built.Funcs), func(fn *types.Func) *summary.Summary {
		s := new(summary.Summary)
		if pass.ImportObjectFact(fn, s) {
			return s
		}
		if text := table(fn.FullName()); text != "" {
			return summary.Parse(text)
		}
		return nil
	})
	for fn, s := range all {
		pass.ExportObjectFact(fn, s)
	}
	return all
}

// Kept is Flows with the analysis for packages unrelated to arenas: it finds only the certain effects of functions, and
// of a place in a container only that it is inside.
var Kept = flows("kept", func(pass *analysis.Pass) map[*types.Func]*summary.Summary {
	return exportKept(pass, build.Build(pass), std.ByHand)
})
