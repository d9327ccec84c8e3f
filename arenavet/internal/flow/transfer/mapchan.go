package transfer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file models maps and channels, whose elements aren't told apart: all elements are one cell, all keys another. A
// store adds to the cell; a load may return any of its contents.

// oneOf returns one of many elements. An arena among them is taken to be a new one: a Reset of arenas[i] ends nothing
// of arenas[j], nor anything allocated from arenas[i] before.
func (f *interpreter) oneOf(s *state.State, i ssa.Instruction, v state.Value, t types.Type) state.Value {
	if !state.IsHandle(t) || len(v) == 0 {
		return v
	}
	r := s.Renew(i, state.UnknownArena)
	r.Shared = api.TypeOf(t) == api.Shared
	v = v.Only(func(t state.Tag) bool { return t.Kind != state.Handle })
	return v.With(state.Tag{Kind: state.Handle, Root: r}, nil)
}

func (f *interpreter) mapUpdate(s *state.State, i *ssa.MapUpdate) {
	key := s.Of(i.Key)
	if code.HasKey(i) {
		key = nil
	}
	f.UsedString(s, i, i.Key)
	for t := range s.Of(i.Map).All() {
		if t.Is(state.Ptr) {
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + state.Keys}, key, i.Key.Type(), false)
			s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + state.Elements}, s.Of(i.Value), i.Value.Type(), false)
		}
	}
}

// lookup is m[k], or s[i] of a string, which reads the string and returns a number.
func (f *interpreter) lookup(s *state.State, v *ssa.Lookup) state.Value {
	f.UsedString(s, v, v.X)
	f.UsedString(s, v, v.Index)
	if shape.IsString(v.X.Type()) {
		return nil
	}
	e := shape.Elem(v.X.Type())
	x := f.oneOf(s, v, s.Load(s.Of(v.X), state.Elements, e), e)
	if v.CommaOk {
		return x.As(state.First)
	}
	return x
}

// next is one iteration of a range over a string or a map. Its results are whether there is one, the key and the
// element.
func (f *interpreter) next(s *state.State, v *ssa.Next) state.Value {
	x := s.Of(v.Iter)
	if v.IsString {
		f.Used(s, v, x, "is used")
		return nil
	}
	r, ok := v.Iter.(*ssa.Range)
	if !ok {
		return nil
	}
	m, ok := r.X.Type().Underlying().(*types.Map)
	if !ok || v.Type().(*types.Tuple).Len() < 3 {
		return nil
	}
	// Each iteration may return any key and any element.
	key := s.Load(x, state.Keys, m.Key()).As(state.Result(1))
	both, _ := key.Join(f.oneOf(s, v, s.Load(x, state.Elements, m.Elem()), m.Elem()).As(state.Result(2)))
	return both
}

// receive is <-c: another goroutine has reached its send.
func (f *interpreter) receive(s *state.State, v *ssa.UnOp) state.Value {
	x, e := s.Of(v.X), shape.Elem(v.X.Type())
	f.Wait(s)
	y := f.oneOf(s, v, s.Load(x, state.InChannel, e), e)
	if v.CommaOk {
		return y.As(state.First)
	}
	return y
}

// selects is a select statement. Its results are the chosen case, whether a receive got a value, and the received value
// of each case. A receive hasn't waited for another case's send (see notSent), unless the function may wait for it
// later: then the paths that wait may depend on the send.
func (f *interpreter) selects(s *state.State, v *ssa.Select) state.Value {
	var x state.Value
	// Results 0 and 1 are numbers.
	n := 2
	receives := func() {
		for _, st := range v.States {
			if st.Dir == types.RecvOnly {
				f.Wait(s)
				x, _ = x.Join(s.Load(s.Of(st.Chan), state.InChannel, shape.Elem(st.Chan.Type())).As(state.Result(n)))
				n++
			}
		}
	}
	later := f.WaitsAfter(v)
	if !later {
		receives()
	}
	for _, st := range v.States {
		if st.Dir == types.SendOnly {
			f.send(s, v, s.Of(st.Chan), st.Send)
		}
	}
	if later {
		receives()
	}
	return x
}
