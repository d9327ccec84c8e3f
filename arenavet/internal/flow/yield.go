package flow

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds functions that are called with what the caller knows nothing of:
// callbacks, visitors, the bodies of loops over sequences. A function tells its callers
// what it calls them with; who has passed one looks what it does with that.
//
//	func each(a *arena.Arena, f func(*item)) { f(arena.New[item](a)) }
//
//	Yields  {1 ""} is called with #0, memory of {0 ""}
//
//	each(a, func(x *item) { s.last = x })      a's memory is in s.last
//
// What it has taken back when it returns, as an iterator does that resets after each
// element, is told as dead, too: it is alive as long as the callback runs.

// A called is a function of the caller's, or a method of what the caller has passed.
type called struct {
	fn     summary.Sym
	method string
}

// yields notes that a function of the caller's is called, or a method of what the
// caller has passed. What it is given is kept until the return, to see whether it is
// still alive then.
func (f *function) yields(s *state.State, i ssa.Instruction, fn state.Value, method string, args []state.Value) {
	if f.pkg.all {
		return
	}
	for t := range fn.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil {
			continue
		}
		name := t.Name()
		if name == nil || name.Param < 0 {
			continue
		}
		c := called{*name, method}
		for n, a := range args {
			if mayDie(a) {
				cell := state.Cell{Loc: f.handedTo(c), Path: result(n)}
				f.tellEnded(s, cell, c, untilNext)
				s.Put(i, cell, a, nil, false)
			}
			if !f.judging {
				continue
			}
			f.flows(s, a, result(n), func(x summary.Flow) {
				if x.Kind != summary.Dead && x.Kind != summary.DeadArena {
					f.given.Add(summary.Yield{Func: *name, Method: method, Flow: x})
				}
			})
		}
	}
}

// mayDie says whether a value is, or may lead to, memory of an arena.
func mayDie(v state.Value) bool {
	for t := range v.All() {
		if t.Kind == state.Mem || t.IsLocal() {
			return true
		}
	}
	return false
}

// handedTo returns where what a callback was given is kept.
func (f *function) handedTo(c called) *state.Loc {
	l := f.places.Loc("handed to "+c.fn.String()+c.method, nil, true)
	f.handed[l] = c
	return l
}

// leaveHanded tells which of what callbacks were given is dead now.
func (f *function) leaveHanded(s *state.State) {
	for cell, v := range s.Cells() {
		if c, ok := f.handed[cell.Loc]; ok && len(v) > 0 {
			f.tellEnded(s, cell, c, afterAll)
		}
	}
}

// When what a callback was given has ended: by the next call, or when the caller returns.
const (
	afterAll = iota
	untilNext
)

// tellEnded tells which of what a callback was given before is dead now.
func (f *function) tellEnded(s *state.State, cell state.Cell, c called, when int) {
	if !f.judging {
		return
	}
	f.flows(s, s.In(cell), into+cell.Path, func(x summary.Flow) {
		if x.Kind == summary.Dead {
			x.Out, x.ID = strings.TrimPrefix(x.Out, into), when
			f.given.Add(summary.Yield{Func: c.fn, Method: c.method, Flow: x})
		}
	})
}

// takesBack ends what a callee has given to callbacks and taken back, now that they are
// done: memory that this call has allocated, and that a flow of the same place brought. It
// says whether there is any.
//
// What is taken back before the next call is dead where there are many of it: only the last
// one is alive.
func (f *function) takesBack(s *state.State, i ssa.CallInstruction, yields []summary.Yield, all []state.Value, when int) bool {
	dead := map[*state.Root]*state.Death{}
	for _, y := range yields {
		if y.Flow.Kind != summary.Dead || y.Flow.ID != when {
			continue
		}
		for _, x := range yields {
			if x.Func != y.Func || x.Method != y.Method || x.Flow.Out != y.Flow.Out || x.Flow.Kind != summary.Memory && x.Flow.Kind != summary.MemoryNew {
				continue
			}
			for t := range f.flowing(s, i, x.Flow, all).All() {
				if t.Is(state.Mem) && dead[t.Root] == nil {
					dead[t.Root] = f.death(i, y.Flow.Verb, false)
				}
			}
		}
	}
	if len(dead) == 0 {
		return false
	}
	ends := func(t state.Tag, d *state.Death) (state.Tag, *state.Death) {
		if t.Kind == state.Mem && t.Site == i && d == nil {
			d = dead[t.Root]
		}
		return t, d
	}
	if when == afterAll {
		s.Each(ends)
	} else {
		s.EachOfSeveral(ends)
	}
	return true
}

// goesOn says whether a function always wants to be called again: the body of a loop that
// isn't left.
func goesOn(t target) bool {
	for _, b := range t.fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) > 0 {
			if c, ok := r.Results[0].(*ssa.Const); !ok || c.Value == nil || c.Value.String() != "true" {
				return false
			}
		}
	}
	return true
}

// callsAgain looks at what functions use that they have kept of an earlier call, when that
// has been taken back.
func (f *function) callsAgain(s *state.State, i ssa.CallInstruction, yields []summary.Yield, all []state.Value, bodies []target) {
	if len(bodies) != 1 || !goesOn(bodies[0]) || !f.takesBack(s, i, yields, all, untilNext) {
		return
	}
	sum := f.pkg.summary(bodies[0].fn)
	if sum == nil {
		return
	}
	captured := bodies[0].all(s, nil)
	for _, x := range sum.Uses {
		if x.Path = strings.TrimSuffix(x.Path, "*"); state.Several(x.Path) { // the element that is looked into
			f.used(s, i, f.follow(s, i, x, captured), "is used by the body of the loop")
		}
	}
}

// sequences returns arguments in which those that are sequences, made by function
// literals, are lists of what these yield: for functions that collect it. What is taken
// back behind an element isn't alive any more when all are collected.
func (f *function) sequences(s *state.State, i ssa.CallInstruction, args []state.Value) []state.Value {
	for n, a := range args {
		list := f.collected(s, i, n, a)
		if list == nil {
			continue
		}
		for _, t := range targetsOf(a) {
			if sum := f.pkg.summary(t.fn); sum != nil {
				f.takesBack(s, i, sum.Yields, t.all(s, nil), untilNext)
				f.takesBack(s, i, sum.Yields, t.all(s, nil), afterAll)
			}
		}
		args = slices.Clone(args)
		args[n], _ = args[n].Join(list)
	}
	return args
}

// collected returns a list of what a sequence yields that is argument n of a call, nil if
// that isn't known.
func (f *function) collected(s *state.State, i ssa.CallInstruction, n int, sequence state.Value) (list state.Value) {
	for _, t := range targetsOf(sequence) {
		sum := f.pkg.summary(t.fn)
		if sum == nil || len(sum.Yields) == 0 || f.nested >= maxYields {
			continue
		}
		var flows []summary.Flow
		for _, y := range sum.Yields {
			if y.Func == (summary.Sym{}) && y.Method == "" && y.Flow.Kind != summary.Dead {
				flows = append(flows, y.Flow)
			}
		}
		l := s.Fresh(i, fmt.Sprint("sequence ", n))
		list = state.To(l)
		f.nested++
		for k, v := range f.yielded(s, i, flows, "sequence ", t.all(s, nil)) {
			path := elements
			if k == 0 && len(t.fn.Params) > 0 && isSeq2(t.fn.Params[0].Type()) {
				path = keys
			}
			s.Put(i, state.Cell{Loc: l, Path: path}, v, nil, false)
		}
		f.nested--
	}
	return list
}

// isSeq2 says whether the function that a sequence calls is given a key as well.
func isSeq2(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 2
}

// maxYields bounds calls of callbacks that are passed on by callbacks.
const maxYields = 3

// applyYields calls the functions that a callee was given with what it calls them
// with. What such a function is isn't known if it is the caller's own caller who has
// passed it: then that is told of what is passed on.
func (f *function) applyYields(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	if len(sum.Yields) == 0 || f.nested >= maxYields {
		return
	}
	f.nested++
	defer func() { f.nested-- }()
	var order []called
	flows := map[called][]summary.Flow{}
	for _, y := range sum.Yields {
		if y.Flow.Kind == summary.Dead {
			continue
		}
		c := called{y.Func, y.Method}
		if flows[c] == nil {
			order = append(order, c)
		}
		flows[c] = append(flows[c], y.Flow)
	}
	var bodies []target
	for _, c := range order {
		// One that is lent an arena which ends then was called already: see lend.
		if slices.ContainsFunc(sum.Calls, func(x summary.CallsFunc) bool { return c.fn == summary.Sym{Param: x.Param} }) {
			continue
		}
		fn := f.follow(s, i, c.fn, all)
		of := fmt.Sprint("yield ", c, f.nested)
		args := f.yielded(s, i, flows[c], of, all)
		f.captured(s, i, flows[c], of)
		f.yields(s, i, fn, c.method, args)
		f.assumes(s, i, fn, c.method, args)
		for _, t := range f.receivers(i, c.fn, c.method, fn) {
			target := f.pkg.summary(t.fn)
			if target == nil {
				continue
			}
			if c.method != "" {
				f.apply(s, i, target, append([]state.Value{fn}, args...), false)
				continue
			}
			bodies = append(bodies, t)
			params := make([]state.Value, len(t.fn.Params)-t.hidden())
			copy(params, args)
			f.apply(s, i, target, t.all(s, params), false)
		}
	}
	f.callsAgain(s, i, sum.Yields, all, bodies)
	f.takesBack(s, i, sum.Yields, all, afterAll)
}

// receivers returns the functions that are called: those that a value is, or the
// method of a value that is passed as an interface.
func (f *function) receivers(i ssa.CallInstruction, fn summary.Sym, method string, v state.Value) []target {
	if method == "" {
		return targetsOf(v)
	}
	args := i.Common().Args
	if fn.Path != "" || fn.Param >= len(args) || i.Common().IsInvoke() {
		return f.pkg.methods(v, method)
	}
	x, ok := args[fn.Param].(*ssa.MakeInterface)
	if !ok {
		return f.pkg.methods(v, method)
	}
	// A function that asks whether what it got has a method gets others, too.
	m := f.pkg.ssa.Prog.MethodSets.MethodSet(x.X.Type()).Lookup(f.pkg.pass.Pkg, method)
	if m == nil {
		return nil
	}
	if fn := f.pkg.ssa.Prog.MethodValue(m); fn != nil {
		return []target{{fn: fn}}
	}
	return nil
}

// yielded returns the arguments of such a call.
func (f *function) yielded(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string, all []state.Value) []state.Value {
	var v state.Value
	for _, x := range flows {
		if !strings.Contains(x.Out, "*") {
			v, _ = v.Join(f.flowing(s, i, x, all).As(x.Out))
		}
	}
	behind, _ := v.Join(f.resultsBehind(s, i, flows, of, all))
	var args []state.Value
	for _, x := range flows {
		digits := strings.TrimLeft(x.Out[1:], "0123456789")
		n, err := strconv.Atoi(x.Out[1 : len(x.Out)-len(digits)])
		if err == nil && n >= len(args) {
			args = slices.Grow(args, n+1-len(args))[:n+1]
		}
	}
	for n := range args {
		args[n] = behind.Part(result(n))
	}
	return args
}

// captured puts what function literals have captured that a callee returns, or passes on,
// where it is looked for when they are called.
func (f *function) captured(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string) {
	for _, x := range flows {
		if x.Kind != summary.Code || x.ID >= len(f.pkg.literals) {
			continue
		}
		m := f.pkg.literals[x.ID]
		from, to := s.Fresh(i, of+x.Out+here), s.Fresh(m, "")
		for n := range m.Bindings {
			c := state.Cell{Loc: from, Path: state.Numbered(n)}
			s.Put(i, state.Cell{Loc: to, Path: state.Numbered(n)}, s.In(c), nil, true)
		}
	}
}
