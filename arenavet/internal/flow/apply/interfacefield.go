package apply

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
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

// Assumes takes a state past the call of a method of an interface: it applies what each of
// the methods that may be called keeps.
func (f *Applier) Assumes(s *state.State, i ssa.CallInstruction, fn state.Value, method string, args []state.Value) {
	if f.Program.All || f.nested >= maxYields {
		return
	}
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

// concerns reports whether a value is an arena, or may lead to memory of one.
func concerns(v state.Value) bool {
	for t := range v.All() {
		if t.Is(state.Handle) {
			return true
		}
	}
	return state.MayDie(v)
}
