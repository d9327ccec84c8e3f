package apply

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summarize"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds functions that are called with what the caller knows nothing of:
// callbacks, visitors, the bodies of loops over sequences. A function tells its callers
// what it calls them with; the caller that has passed a callback looks at what it does with
// that.
//
//	func each(a *arena.Arena, f func(*item)) { f(arena.New[item](a)) }
//
//	Yields  {1 ""} is called with #0, memory of {0 ""}
//
//	each(a, func(x *item) { s.last = x })      a's memory is in s.last
//
// Callers are also told what it has reclaimed by the time it returns, as an iterator does
// that resets after each element: that is alive only while the callback runs.

// ReturnedByCallback is the result of a function that the caller has passed, or of a method
// that returns such an interface: callers know what that returns.
func (f *Applier) ReturnedByCallback(i ssa.CallInstruction, fn state.Value) (state.Value, bool) {
	v := i.Value()
	if v == nil || len(fn) != 1 || f.Program.All {
		return nil, false
	}
	back := state.CalledBack
	if c := i.Common(); c.IsInvoke() {
		if !types.Identical(v.Type(), c.Value.Type()) {
			return nil, false
		}
		back += c.Method.Name()
	}
	for t := range fn.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil || t.Name() == nil || t.Name().Param < 0 {
			return nil, false
		}
		if strings.Contains(t.Name().Path, state.CalledBack) && i.Common().IsInvoke() {
			return nil, false
		}
		name := t.Name().Add(back)
		var out state.Value
		results := v.Call.Signature().Results()
		for n := range results.Len() {
			path := state.Result(n)
			typ := results.At(n).Type()
			x := name.Add(path)
			if x == nil || state.IsHandle(typ) {
				x = nil
			}
			r := f.Places.Opaque(key("called", i)+path, x, typ, "what is called returns")
			if results.Len() > 1 {
				r = r.As(path)
			}
			out, _ = out.Join(r)
		}
		return out, true
	}
	return nil, false
}

// takesBack ends what a callee has passed to callbacks and then reclaimed, now that they are
// done: memory allocated by this call that a flow of the same place has brought. It reports
// whether there is any.
//
// If it is reclaimed before the callback is called again, then of many values kept by the
// callback all but the last are dead.
func (f *Applier) takesBack(s *state.State, i ssa.CallInstruction, yields []summary.Yield, all []state.Value,
	when int) bool {
	dead := map[*state.Root]*state.Death{}
	for _, y := range yields {
		if y.Flow.Kind != summary.Dead || y.Flow.ID != when {
			continue
		}
		for _, x := range yields {
			if x.Func != y.Func || x.Method != y.Method || x.Flow.Out != y.Flow.Out ||
				x.Flow.Kind != summary.Memory && x.Flow.Kind != summary.MemoryNew {
				continue
			}
			for t := range f.flowing(s, i, x.Flow, all).All() {
				if t.Is(state.Mem) && dead[t.Root] == nil {
					dead[t.Root] = f.Death(i, y.Flow.Verb, false)
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
	if when == summarize.AfterAll {
		s.Each(ends)
	} else {
		s.EachOfSeveral(ends)
	}
	return true
}

// goesOn reports whether a function always wants to be called again: the body of a loop that
// isn't left.
func goesOn(t record.Target) bool {
	for _, b := range t.Fn.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(r.Results) > 0 {
			if c, ok := r.Results[0].(*ssa.Const); !ok || c.Value == nil || c.Value.String() != "true" {
				return false
			}
		}
	}
	return true
}

// callsAgain looks at what functions use that they have kept of an earlier call, when that
// has been reclaimed.
func (f *Applier) callsAgain(s *state.State, i ssa.CallInstruction, yields []summary.Yield, all []state.Value,
	bodies []record.Target) {
	if len(bodies) != 1 || !goesOn(bodies[0]) || !f.takesBack(s, i, yields, all, summarize.UntilNext) {
		return
	}
	sum := f.Program.Summary(bodies[0].Fn)
	if sum == nil {
		return
	}
	captured := bodies[0].All(s, nil)
	for _, x := range sum.Uses {
		if x.Path = strings.TrimSuffix(x.Path, "*"); state.Several(x.Path) { // the element that is looked into
			f.Used(s, i, f.Follow(s, i, x, captured), "is used by the body of the loop")
		}
	}
}

// Sequences returns arguments in which those that are sequences, made by function
// literals, are lists of what these yield: for functions that collect it. What is
// reclaimed behind an element isn't alive any more when all are collected.
func (f *Applier) Sequences(s *state.State, i ssa.CallInstruction, args []state.Value) []state.Value {
	for n, a := range args {
		list := f.Collected(s, i, n, a)
		if list == nil {
			continue
		}
		for _, t := range record.TargetsOf(a) {
			if sum := f.Program.Summary(t.Fn); sum != nil {
				f.takesBack(s, i, sum.Yields, t.All(s, nil), summarize.UntilNext)
				f.takesBack(s, i, sum.Yields, t.All(s, nil), summarize.AfterAll)
			}
		}
		args = slices.Clone(args)
		args[n], _ = args[n].Join(list)
	}
	return args
}

// Collected returns a list of what a sequence yields that is argument n of a call, nil if
// that isn't known.
func (f *Applier) Collected(s *state.State, i ssa.CallInstruction, n int, sequence state.Value) (list state.Value) {
	for _, t := range record.TargetsOf(sequence) {
		sum := f.Program.Summary(t.Fn)
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
		for k, v := range f.Yielded(s, i, flows, "sequence ", t.All(s, nil)) {
			path := state.Elements
			if k == 0 && len(t.Fn.Params) > 0 && shape.IsSeq2(t.Fn.Params[0].Type()) {
				path = state.Keys
			}
			s.Put(i, state.Cell{Loc: l, Path: path}, v, nil, false)
		}
		f.nested--
	}
	return list
}

// applyYields calls the functions that a callee was given with what it calls them
// with. What such a function is isn't known if it is the caller's own caller who has
// passed it: then that is told of what is passed on.
func (f *Applier) applyYields(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) {
	if len(sum.Yields) == 0 || f.nested >= maxYields {
		return
	}
	f.nested++
	defer func() { f.nested-- }()
	var order []summarize.Callback
	flows := map[summarize.Callback][]summary.Flow{}
	for _, y := range sum.Yields {
		if y.Flow.Kind == summary.Dead {
			continue
		}
		c := summarize.Callback{Fn: y.Func, Method: y.Method}
		if flows[c] == nil {
			order = append(order, c)
		}
		flows[c] = append(flows[c], y.Flow)
	}
	var bodies []record.Target
	for _, c := range order {
		// One that is lent an arena which ends then was called already: see lend.
		if slices.ContainsFunc(sum.Calls,
			func(x summary.CallsFunc) bool { return c.Fn == summary.Sym{Param: x.Param} }) {
			continue
		}
		fn := f.Follow(s, i, c.Fn, all)
		of := fmt.Sprint("yield ", c, f.nested)
		args := f.Yielded(s, i, flows[c], of, all)
		f.captured(s, i, flows[c], of)
		f.Yields(s, i, fn, c.Method, args)
		f.Assumes(s, i, fn, c.Method, args)
		for _, t := range f.receivers(i, c.Fn, c.Method, fn) {
			target := f.Program.Summary(t.Fn)
			if target == nil {
				continue
			}
			if c.Method != "" {
				f.Apply(s, i, target, append([]state.Value{fn}, args...), false)
				continue
			}
			bodies = append(bodies, t)
			params := make([]state.Value, len(t.Fn.Params)-t.Hidden())
			copy(params, args)
			f.Apply(s, i, target, t.All(s, params), false)
		}
	}
	f.callsAgain(s, i, sum.Yields, all, bodies)
	f.takesBack(s, i, sum.Yields, all, summarize.AfterAll)
}

// receivers returns the functions that are called: those that a value is, or the
// method of a value that is passed as an interface.
func (f *Applier) receivers(i ssa.CallInstruction, fn summary.Sym, method string, v state.Value) []record.Target {
	if method == "" {
		return record.TargetsOf(v)
	}
	args := i.Common().Args
	if fn.Path != "" || fn.Param >= len(args) || i.Common().IsInvoke() {
		return f.Program.Methods(v, method)
	}
	x, ok := args[fn.Param].(*ssa.MakeInterface)
	if !ok {
		return f.Program.Methods(v, method)
	}
	// A function that asks whether what it got has a method gets others, too.
	m := f.Program.SSA.Prog.MethodSets.MethodSet(x.X.Type()).Lookup(f.Program.Pass.Pkg, method)
	if m == nil {
		return nil
	}
	if fn := f.Program.SSA.Prog.MethodValue(m); fn != nil {
		return []record.Target{{Fn: fn}}
	}
	return nil
}
