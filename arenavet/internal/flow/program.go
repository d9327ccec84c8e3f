package flow

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

// This file holds the analysis of a package: which functions are looked at, in
// which order, how often, and what they know of each other. It may not know what
// happens within a function.

// A program is the analysis of a package.
//
// Invariant between rounds: a function whose summary may be out of date, because
// that of a callee has changed since, is in dirty.
type program struct {
	pass       *analysis.Pass
	ssa        *ssa.Package
	guard      *guard.Guard
	circles    [][]*ssa.Function // functions that call each other, callees first, as far as possible
	summaries  map[*ssa.Function]*summary.Summary
	live       map[*ssa.Function]*state.Live     // of those that were looked at
	names      map[any]string                    // of functions and methods that are called; see calleeName
	imported   map[types.Object]*summary.Summary // facts of other packages; nil if there is none
	deaths     state.Deaths
	do         map[*ssa.Function]int // functions that Do calls, and the number of the arena's parameter
	all        bool                  // functions are looked at, whatever they have to do with
	resettable map[any]bool          // fields and globals whose arena is reset somewhere; only grows

	literals []*ssa.MakeClosure          // that functions return, by number
	holding  map[*summary.Store][]holder // of what summaries say is stored; see holders
	keeps    map[keeping]*summary.Summary
	carrier  *carrier // which types are where; nil until that is asked

	found   map[*ssa.Function]findings
	current *ssa.Function                            // that is looked at
	callers map[*ssa.Function]map[*ssa.Function]bool // that have asked for a summary
	dirty   map[*ssa.Function]bool                   // to be looked at again
	looks   map[*ssa.Function]int                    // how often that was done
}

func newProgram(pass *analysis.Pass, pkg *ssa.Package) *program {
	return &program{pass: pass, ssa: pkg, guard: guard.New(pass),
		summaries: map[*ssa.Function]*summary.Summary{}, imported: map[types.Object]*summary.Summary{},
		holding: map[*summary.Store][]holder{}, keeps: map[keeping]*summary.Summary{}, names: map[any]string{}, live: map[*ssa.Function]*state.Live{}, deaths: state.Deaths{}, do: map[*ssa.Function]int{}, resettable: map[any]bool{},
		found: map[*ssa.Function]findings{}, callers: map[*ssa.Function]map[*ssa.Function]bool{},
		dirty: map[*ssa.Function]bool{}, looks: map[*ssa.Function]int{}}
}

// maxRounds is how often functions are looked at, until their summaries stay
// the same, and how often those of a circle are before others are. Those that call no
// function that leads back to them need one round: their callees come first. None is
// looked at more than twice as often.
const maxRounds = 10

// analyzeAll looks at all functions until nothing new turns up: a fixed point of
// summaries, within which each function is a fixed point of states. Those that go
// on changing each other are given up, as if they could do anything.
func (p *program) analyzeAll() {
	for range maxRounds {
		p.round()
		if len(p.dirty) == 0 {
			break
		}
	}
	for fn := range p.dirty {
		p.guard.GiveUp(fn, "calls in circles, of which each time something else is known")
		p.found[fn], p.summaries[fn] = nil, &summary.Unknown
	}
}

// round looks at each function that is new, or dirty, circle by circle: all that a
// circle calls is known by then, as well as it can be. One that becomes dirty behind
// its turn is looked at in the next round.
//
// That an arena in a field is reset somewhere is not in any summary, since it isn't
// only callers that rely on it: memory of an arena that is never reset may be kept
// in a global. When such a field turns up all functions are looked at again.
func (p *program) round() {
	known := len(p.resettable)
	for _, circle := range p.circles {
		for n := 0; n < maxRounds && p.around(circle); n++ {
		}
	}
	if len(p.resettable) > known {
		for _, circle := range p.circles {
			for _, fn := range circle {
				p.dirty[fn] = true
			}
		}
	}
}

// around looks at the functions of a circle once, and says whether some of them are
// to be looked at again, because of what was found out of others.
func (p *program) around(circle []*ssa.Function) (again bool) {
	for _, fn := range circle {
		if (p.dirty[fn] || p.found[fn] == nil) && p.looks[fn] < 2*maxRounds {
			p.looks[fn]++
			delete(p.dirty, fn)
			p.found[fn] = p.analyze(fn)
		}
	}
	return slices.ContainsFunc(circle, func(fn *ssa.Function) bool { return p.dirty[fn] && p.looks[fn] < 2*maxRounds })
}

// list puts functions into an order in which callees come first: the postorder of a
// depth-first search. In circles of functions that call each other there is no such
// order; these are kept together (the strongly connected components of Tarjan, Depth-first
// search and linear graph algorithms, 1972), and need more rounds. Literals come before
// the function around them, which is most often the one to call them.
func (p *program) list(all []*ssa.Function) {
	l := listing{ssa: p.ssa, low: map[*ssa.Function]int{}, open: map[*ssa.Function]bool{}}
	for _, fn := range all {
		l.visit(fn)
	}
	p.circles = l.circles
}

// A listing is a search for circles.
type listing struct {
	ssa     *ssa.Package
	low     map[*ssa.Function]int  // the first function of a circle that is reached, by number, from 1
	open    map[*ssa.Function]bool // the circle isn't known yet
	stack   []*ssa.Function        // that are open, in the order in which they were found
	done    []*ssa.Function        // that are open, callees first
	circles [][]*ssa.Function
}

func (l *listing) visit(fn *ssa.Function) {
	// Of others there is a fact, or nothing: no source, no blocks.
	if fn == nil || l.low[fn] != 0 || fn.Pkg != l.ssa || len(fn.Blocks) == 0 {
		return
	}
	number := len(l.low) + 1
	l.low[fn], l.open[fn] = number, true
	l.stack = append(l.stack, fn)
	calls := func(callee *ssa.Function) {
		l.visit(callee)
		if l.open[callee] {
			l.low[fn] = min(l.low[fn], l.low[callee])
		}
	}
	for _, anon := range fn.AnonFuncs {
		calls(anon)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok {
				calls(origin(c.Common().StaticCallee()))
			}
		}
	}
	l.done = append(l.done, fn)
	if l.low[fn] == number {
		l.close(fn)
	}
}

// close takes the circle that begins with a function off the stack. What was done
// since that was found is the circle, callees first.
func (l *listing) close(first *ssa.Function) {
	n := slices.Index(l.stack, first)
	size := len(l.stack) - n
	l.stack = l.stack[:n]
	circle := slices.Clone(l.done[len(l.done)-size:])
	l.done = l.done[:len(l.done)-size]
	for _, fn := range circle {
		delete(l.open, fn)
	}
	l.circles = append(l.circles, circle)
}

// origin returns the generic function that a function is an instance of, or the
// function itself: all instances have the summary of their origin.
func origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// smallSize is how many blocks a function may have to be looked at though it has
// nothing to do with arenas: it may return what it is given.
const smallSize = 12

// concerns says whether a function has to do with arenas: by a value of such a
// type, a call of package arena, or a call of a function whose summary has to do
// with them. What is large and has not is passed over, which is most of a program.
func (p *program) concerns(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if p.instructionConcerns(i) {
				return true
			}
		}
	}
	for _, v := range fn.Params {
		if api.TypeOf(v.Type()) != api.None {
			return true
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, p.concerns)
}

func (p *program) instructionConcerns(i ssa.Instruction) bool {
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
	s := p.summary(callee)
	return s != nil && s.Concerns()
}

// analyze looks at one function, from the start: what an earlier look has found,
// with summaries that have changed, is thrown away. If its own summary has changed
// its callers are to be looked at again. The guard sees to it that it ends; of what
// was given up nothing is known.
func (p *program) analyze(fn *ssa.Function) findings {
	p.current = fn
	f := newFunction(p, fn)
	ok := p.guard.Run(fn, func() {
		if p.all || len(fn.Blocks) <= smallSize || p.concerns(fn) {
			f.run()
		}
		f.summary.Sort()
		f.summary.Merge()
	})
	if !ok {
		f.found, f.summary = findings{}, &summary.Unknown
	}
	// Lists are sorted, so that the same is equal.
	if old := p.summaries[fn]; old == nil || !reflect.DeepEqual(old, f.summary) {
		p.summaries[fn] = f.summary
		for caller := range p.callers[fn] {
			p.dirty[caller] = true
		}
	}
	return f.found
}

// liveIn is state.LiveIn, which is computed once for a function.
func (p *program) liveIn(fn *ssa.Function) *state.Live {
	l := p.live[fn]
	if l == nil {
		l = state.LiveIn(fn)
		p.live[fn] = l
	}
	return l
}

// summary returns what is known of a function, or nil. Who asks is a caller from
// now on, also if there is nothing to tell yet: of functions that call each other
// one is looked at first.
func (p *program) summary(fn *ssa.Function) *summary.Summary {
	fn = origin(fn)
	if p.callers[fn] == nil {
		p.callers[fn] = map[*ssa.Function]bool{}
	}
	p.callers[fn][p.current] = true
	if s := p.summaries[fn]; s != nil {
		return s
	}
	// It hasn't been looked at yet, or is another package's. Literals and wrappers
	// have no object.
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg {
		return nil
	}
	return p.fact(obj.Origin())
}

// fact returns what another package tells of its function. Facts are decoded anew
// each time, hence kept.
func (p *program) fact(obj *types.Func) *summary.Summary {
	s, ok := p.imported[obj]
	if !ok {
		if x := new(summary.Summary); p.pass.ImportObjectFact(obj, x) {
			s = x
		}
		p.imported[obj] = s
	}
	return s
}

// literal returns the number of a function literal, by which callers find it.
func (p *program) literal(m *ssa.MakeClosure) int {
	if n := slices.Index(p.literals, m); n >= 0 {
		return n
	}
	p.literals = append(p.literals, m)
	return len(p.literals) - 1
}

// lent notes functions that are called with an arena which ends with the call, as
// argument n: they are looked at again, and mustn't let its memory out.
func (p *program) lent(fn state.Value, n int) {
	for _, t := range targetsOf(fn) {
		n := n + t.hidden()
		if old, ok := p.do[t.fn]; !ok || old != n {
			p.do[t.fn], p.dirty[t.fn] = n, true
		}
	}
}
