package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
)

// This file holds what containers of the standard library do, in terms of memory.
// Which they are is for package std to know.

// contains takes a state past a call of a container's method, and reports whether
// it is one.
func (f *interpreter) contains(s *state.State, i ssa.CallInstruction, name string,
	args []state.Value) (state.Value, bool) {
	kept, keeps := std.Keepers[name]
	if len(args) == 0 || !keeps && !std.Emptiers[name] && !std.Yielders[name] {
		return nil, false
	}
	for t := range args[0].All() {
		if !t.Is(state.Ptr) {
			continue
		}
		c := state.Cell{Loc: t.Loc, Path: t.Off + state.Inside}
		// First out, then in: what Store keeps is in place of what was there.
		if std.Emptiers[name] {
			s.Set(c, state.Value{})
			if key := code.Argument(i, 1); key == nil || code.IsGiven(key) {
				f.Cleared[c] = true
			}
		}
		for _, n := range kept {
			if n < len(args) {
				s.Put(i, c, args[n], nil, false)
			}
		}
	}
	if !std.Yielders[name] || i.Value() == nil {
		return f.Unknown(i), true
	}
	v := s.Content(args[0], state.Inside)
	if i.Value().Call.Signature().Results().Len() > 1 {
		v = v.As(state.First)
	}
	return v, true
}

// collects takes a state past a call of a method of package collections: what it keeps
// and yields is known as of the library's containers, what it does with its arena by its
// summary.
func (f *interpreter) collects(s *state.State, i ssa.CallInstruction, name string,
	args []state.Value) (state.Value, bool) {
	v, contains := f.contains(s, i, name, args)
	w, known := f.ApplyTargets(s, i, f.targets(s, i.Common()), args, false)
	if contains && std.Yielders[name] {
		w, _ = w.Join(v)
	}
	return w, known || contains
}
