package apply

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what is assumed of a method that is called through an interface in a
// field: that it is one of those types' which the package puts there. It must not depend on
// how these are found: see TypeFlow of package code.
//
//	type linter struct{ passes []visitor }
//
//	l := &linter{passes: []visitor{&unused{}}}
//
//	for _, p := range l.passes { p.Visit(x) }      x is where (*unused).Visit keeps it
//
// What such a method keeps is a finding where it dies. Callers aren't told of it. They are
// told that the method is called (see callback.go), since one of them may have better
// knowledge of what is in the field.

// Assumes takes a state past the call of a function, or of a method of an interface: it applies what
// each of those keeps that may be called, and returns their results where each has one.
func (f *Applier) Assumes(s *state.State, i ssa.CallInstruction, fn state.Value, method string,
	args []state.Value) (results []state.Value) {
	if f.Program.All || f.nested >= maxCalls || !slices.ContainsFunc(args, concerns) {
		return nil
	}
	f.nested++
	defer func() { f.nested-- }()
	for t := range fn.All() {
		if !f.IsInterfaceContent(t) {
			continue
		}
		for n, target := range f.MethodsBehind(*t.Loc.Sym, method) {
			sum := f.Program.Summary(target.Fn)
			if sum == nil {
				sum = &summary.Summary{}
			}
			all := args
			if method != "" {
				all = append([]state.Value{state.To(t.Loc)}, args...)
			}
			if keeps := f.Program.OnlyKeeps(sum, method != ""); !keeps.Empty() {
				f.Assumed[t.Loc] = f.Assumed[t.Loc] || method != ""
				f.Apply(s, i, keeps, all, false)
			}
			results = certain(n == 0, results, f.Yielded(s, i, sum.Results, "assumed ", all))
		}
	}
	return results
}

// certain returns results that each of several functions has, if some are those of the others.
func certain(first bool, some, more []state.Value) []state.Value {
	if first {
		return more
	}
	some = some[:min(len(some), len(more))]
	for n := range some {
		if len(some[n]) == 0 || len(more[n]) == 0 {
			some[n] = nil
		} else {
			some[n], _ = some[n].Join(more[n])
		}
	}
	return some
}

// concerns reports whether a value is an arena, or may lead to memory of one.
func concerns(v state.Value) bool {
	for t := range v.All() {
		if t.Is(state.Handle) {
			return true
		}
	}
	return state.MayDie(v)
}
