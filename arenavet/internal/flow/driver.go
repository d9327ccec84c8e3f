package flow

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/flow/transfer"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file analyzes a package: it decides the functions to visit, their order and the number of visits. It must not
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
