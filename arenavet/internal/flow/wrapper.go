package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds functions that the standard library makes of others: what sync.OnceValue
// and iter.Pull return. Such a value points to memory which has the other function, and which
// the call has made that it comes from; by that it is known.
//
//	get := sync.OnceValue(func() *item { return arena.New[item](a) })
//	get()          calls the function, and keeps its result
//	a.Reset()
//	get().n        is what was kept, and dead

const (
	onceFunc   = ".once"   // the path to the other function, of which is called the first time
	pulledFunc = ".pulled" // or of which elements are pulled
	kept       = ".result" // and to the result of the first call
)

// wrapper takes a state past the call of such a function, and says whether it is one.
func (f *function) wrapper(s *state.State, i ssa.CallInstruction, fn state.Value, deferred bool) (v state.Value, ok bool) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		var x state.Value
		if s.In(state.Cell{Loc: t.Loc, Path: onceFunc}) != nil {
			x = f.once(s, i, t.Loc, deferred)
		} else if s.In(state.Cell{Loc: t.Loc, Path: pulledFunc}) != nil {
			x = f.pulled(s, i, t.Loc)
		} else {
			continue
		}
		v, _ = v.Join(x)
		ok = true
	}
	return v, ok
}

// once is the call of a function that calls another the first time. If that may have
// been before, it was.
func (f *function) once(s *state.State, i ssa.CallInstruction, l *state.Loc, deferred bool) state.Value {
	c := state.Cell{Loc: l, Path: kept}
	if v, called := s.Known(c); called {
		return v
	}
	v, known := f.applied(s, i, targetsOf(s.In(state.Cell{Loc: l, Path: onceFunc})), nil, deferred)
	if !known {
		v = f.unknown(i)
	}
	s.Put(i, c, v, nil, true)
	return v
}

// pulled is the next element of a sequence, which goes on from where it was.
func (f *function) pulled(s *state.State, i ssa.CallInstruction, l *state.Loc) state.Value {
	sequence := s.In(state.Cell{Loc: l, Path: pulledFunc})
	for _, t := range targetsOf(sequence) {
		if sum := f.pkg.summary(t.fn); sum != nil {
			f.applyUses(s, i, sum, t.all(s, nil))
		}
	}
	list := f.collected(s, i, 0, sequence)
	if list == nil {
		return f.unknown(i)
	}
	v := s.Content(list, elements)
	if i.Value() != nil && i.Value().Call.Signature().Results().Len() > 2 {
		key := s.Content(list, keys).As(first)
		both, _ := key.Join(v.As(result(1)))
		return both
	}
	return v.As(first)
}
