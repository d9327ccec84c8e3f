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

// yields notes that a function of the caller's is called, or a method of what the
// caller has passed.
func (f *function) yields(fn state.Value, method string, s *state.State, args []state.Value) {
	if !f.judging || f.pkg.all {
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
		for n, a := range args {
			f.flows(s, a, result(n), func(x summary.Flow) {
				if x.Kind < summary.Dead {
					f.given.Add(summary.Yield{Func: *name, Method: method, Flow: x})
				}
			})
		}
	}
}

// sequences returns arguments in which those that are sequences, made by function
// literals, are lists of what these yield: for functions that collect it.
func (f *function) sequences(s *state.State, i ssa.CallInstruction, args []state.Value) []state.Value {
	for n, a := range args {
		for _, t := range targetsOf(a) {
			sum := f.pkg.summary(t.fn)
			if sum == nil || len(sum.Yields) == 0 || f.nested >= maxYields {
				continue
			}
			var flows []summary.Flow
			for _, y := range sum.Yields {
				if y.Func == (summary.Sym{}) && y.Method == "" {
					flows = append(flows, y.Flow)
				}
			}
			l := s.Fresh(i, fmt.Sprint("sequence ", n))
			f.nested++
			for k, v := range f.yielded(s, i, flows, "sequence ", t.all(s, nil)) {
				path := elements
				if k == 0 && len(t.fn.Params) > 0 && isSeq2(t.fn.Params[0].Type()) {
					path = keys
				}
				s.Put(i, state.Cell{Loc: l, Path: path}, v, nil, false)
			}
			f.nested--
			args = slices.Clone(args)
			args[n], _ = args[n].Join(state.To(l))
		}
	}
	return args
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
	type called struct {
		fn     summary.Sym
		method string
	}
	var order []called
	flows := map[called][]summary.Flow{}
	for _, y := range sum.Yields {
		c := called{y.Func, y.Method}
		if flows[c] == nil {
			order = append(order, c)
		}
		flows[c] = append(flows[c], y.Flow)
	}
	for _, c := range order {
		// One that is lent an arena which ends then was called already: see lend.
		if slices.ContainsFunc(sum.Calls, func(x summary.CallsFunc) bool { return c.fn == summary.Sym{Param: x.Param} }) {
			continue
		}
		fn := f.follow(s, i, c.fn, all)
		args := f.yielded(s, i, flows[c], fmt.Sprint("yield ", c, f.nested), all)
		f.yields(fn, c.method, s, args)
		for _, t := range f.receivers(i, c.fn, c.method, fn) {
			target := f.pkg.summary(t.fn)
			if target == nil {
				continue
			}
			if c.method != "" {
				f.apply(s, i, target, append([]state.Value{fn}, args...), false)
				continue
			}
			params := make([]state.Value, len(t.fn.Params)-t.hidden())
			copy(params, args)
			f.apply(s, i, target, t.all(s, params), false)
		}
	}
}

// receivers returns the functions that are called: those that a value is, or the
// method of a value that is passed as an interface, where it was made one.
func (f *function) receivers(i ssa.CallInstruction, fn summary.Sym, method string, v state.Value) []target {
	if method == "" {
		return targetsOf(v)
	}
	args := i.Common().Args
	if fn.Path != "" || fn.Param >= len(args) || i.Common().IsInvoke() {
		return nil
	}
	x, ok := args[fn.Param].(*ssa.MakeInterface)
	if !ok {
		return nil
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

// captured puts what function literals have captured that a callee returns where it
// is looked for when they are called.
func (f *function) captured(s *state.State, i ssa.CallInstruction, sum *summary.Summary) {
	for _, x := range sum.Results {
		if x.Kind != summary.Code || x.ID >= len(f.pkg.literals) || strings.Contains(x.Out, "*") {
			continue
		}
		m := f.pkg.literals[x.ID]
		from, to := s.Fresh(i, x.Out+here), s.Fresh(m, "")
		for n := range m.Bindings {
			c := state.Cell{Loc: from, Path: state.Numbered(n)}
			s.Put(i, state.Cell{Loc: to, Path: state.Numbered(n)}, s.Cells[c], nil, true)
		}
	}
}
