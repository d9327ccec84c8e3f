package apply

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what is assumed of a method that is called through an interface in a
// field: that it is one of those types' which the package puts there. It may not know
// how these are found: see carry.go.
//
//	type linter struct{ passes []visitor }
//
//	l := &linter{passes: []visitor{&unused{}}}
//
//	for _, p := range l.passes { p.Visit(x) }      x is where (*unused).Visit keeps it
//
// What such a method keeps is a finding where it dies. Callers aren't told of it: who
// knows better what is in the field may be among them, and is told that the method is
// called (see yield.go).

// Assumes takes a state past what methods keep that a value may have which is called
// through an interface.
func (f *Applier) Assumes(s *state.State, i ssa.CallInstruction, fn state.Value, method string, args []state.Value) {
	if f.Program.All || f.nested >= maxYields {
		return
	}
	f.assumesUse(s, i, fn, method, args)
	if !slices.ContainsFunc(args, concerns) {
		return
	}
	f.nested++
	defer func() { f.nested-- }()
	for t := range fn.All() {
		if !f.IsInterfaceContent(t) {
			continue
		}
		for _, target := range f.MethodsBehind(*t.Loc.Sym, method) {
			sum := f.Program.Summary(target.Fn)
			if sum == nil {
				continue
			}
			if sum = f.Program.OnlyKeeps(sum, method != ""); sum.Empty() {
				continue
			}
			all := args
			if method != "" {
				f.Assumed[t.Loc] = true
				all = append([]state.Value{state.To(t.Loc)}, args...)
			}
			f.Apply(s, i, sum, all, false)
		}
	}
}

// assumesUse takes a state past the use of arenas of contexts that such a function, or method, is given, if all that it may
// be use them.
func (f *Applier) assumesUse(s *state.State, i ssa.CallInstruction, fn state.Value, method string, args []state.Value) {
	if len(fn) != 1 {
		return
	}
	for t := range fn.All() {
		if !f.IsInterfaceContent(t) {
			return
		}
		targets := f.MethodsBehind(*t.Loc.Sym, method)
		var sums []*summary.Summary
		for _, target := range targets {
			if sum := f.Program.Summary(target.Fn); sum != nil {
				sums = append(sums, sum)
			}
		}
		if len(sums) == 0 || len(sums) < len(targets) {
			return
		}
		all := args
		if method != "" {
			all = append([]state.Value{fn}, args...)
		}
		for _, x := range sums[0].Touches {
			if !strings.HasSuffix(x.Path, state.InContext) || slices.ContainsFunc(sums, func(sum *summary.Summary) bool { return !slices.Contains(sum.Touches, x) || sum.Locks }) {
				continue
			}
			if r := s.Resolve(f.Follow(s, i, x, all), nil); r != nil {
				f.Share(s, i, r, "call")
			}
		}
	}
}

// concerns says whether a value is an arena, or may lead to memory of one.
func concerns(v state.Value) bool {
	for t := range v.All() {
		if t.Is(state.Handle) {
			return true
		}
	}
	return state.MayDie(v)
}

// typedResults notes of which types that is what a call has returned.
func (f *Applier) typedResults(fn *ssa.Function, v state.Value) {
	results := fn.Signature.Results()
	for n := range results.Len() {
		part, t := v, results.At(n).Type()
		if results.Len() > 1 {
			part = v.Part(state.Result(n))
		}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			typed(part, p.Elem())
		} else if types.IsInterface(t) && !shape.IsError(t) && slices.ContainsFunc(state.Locals(part, nil, map[*state.Loc]bool{}), func(l *state.Loc) bool { return l.Type == nil }) {
			f.Typed(code.ResultOf{Fn: fn, N: n}, part)
		}
	}
}

// Typed notes of which type what a call has returned is, if there is just one that it may be.
func (f *Applier) Typed(node code.ResultOf, v state.Value) {
	found := f.Program.Carried().In(node)
	if len(found) != 1 {
		return
	}
	if t, ok := found[0].(types.Type); ok {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			typed(v, p.Elem())
		}
	}
}

func typed(v state.Value, t types.Type) {
	for x := range v.All() {
		if x.Is(state.Ptr) && x.IsLocal() && x.Off == "" && x.Loc.Type == nil {
			x.Loc.Type = t
		}
	}
}
