package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file models functions that the standard library makes of others, such as the results of sync.OnceValue. They are
// recognized by a pointer to memory that the making call has allocated, with the other function in it.
//
//	get := sync.OnceValue(func() *item { return arena.New[item](a) })
//	get()          calls the function, and keeps its result
//	a.Reset()
//	get().n        is the kept result, and dead

// wrapper takes a state past the call of such a function, and reports whether it is one.
func (f *interpreter) wrapper(s *state.State, i ssa.CallInstruction, fn state.Value,
	deferred bool) (v state.Value, ok bool) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		if s.In(state.Cell{Loc: t.Loc, Path: state.OnceFunc}) != nil {
			v, _ = v.Join(f.once(s, i, t.Loc, deferred))
			ok = true
		}
	}
	return v, ok
}

// once is the call of a function that calls another the first time. If it may have been called before, it was.
func (f *interpreter) once(s *state.State, i ssa.CallInstruction, l *state.Loc, deferred bool) state.Value {
	c := state.Cell{Loc: l, Path: state.OnceResult}
	if v, called := s.Known(c); called {
		return v
	}
	v, known := f.ApplyTargets(s, i, record.TargetsOf(s.In(state.Cell{Loc: l, Path: state.OnceFunc})), nil, deferred)
	if !known {
		v = f.Unknown(i)
	}
	s.Put(i, c, v, nil, true)
	return v
}
