package transfer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds views: results that share memory with an argument, such as those
// of strings.Cut and slices.Values. Which functions these are is for package std to
// know; here, only the type of the result tells where in it the view is.

// view returns a result that may share memory with an argument. How it does so is
// told by its type: a pointer or a string is the view; a struct has it in its
// fields; of several results each that can be is one; a slice or a sequence has
// views as elements.
func (f *interpreter) view(s *state.State, i ssa.CallInstruction, arg int, args []state.Value) state.Value {
	if i.Value() == nil || arg >= len(args) {
		return nil
	}
	v, t := args[arg], i.Value().Type()
	if _, ok := shape.Struct(t); ok {
		return state.Spread(v, t)
	}
	if tuple, ok := t.(*types.Tuple); ok {
		return viewEach(v, tuple)
	}
	switch t.Underlying().(type) {
	case *types.Signature:
		return f.viewSequence(s, i, arg, v)
	case *types.Slice:
		e := shape.Elem(t)
		// A slice of the same elements is the argument, or a part of it.
		if !shape.HasPointers(e) || sameElem(i, arg, e) {
			return v
		}
		return f.viewAll(s, i, v, e) // such as that of strings.Split
	}
	return v
}

// viewEach is a view in each of several results, but for an error.
func viewEach(v state.Value, t *types.Tuple) state.Value {
	var w state.Value
	for n := range t.Len() {
		if r := t.At(n).Type(); shape.HasPointers(r) && !shape.IsError(r) {
			w, _ = w.Join(v.As(state.Result(n)))
		}
	}
	return w
}

// viewSequence is a sequence: of the elements of a slice or map, which leads to
// them as the argument does, or of parts of a string.
func (f *interpreter) viewSequence(s *state.State, i ssa.CallInstruction, arg int, v state.Value) state.Value {
	e := shape.Elem(i.Common().Args[arg].Type())
	if _, text := e.(*types.Basic); e != nil && !text {
		return v
	}
	return f.viewAll(s, i, v, nil)
}

// viewAll is new memory whose elements, of type e, are views.
func (f *interpreter) viewAll(s *state.State, i ssa.CallInstruction, v state.Value, e types.Type) state.Value {
	l := s.Make(i, "")
	s.Put(i, state.Cell{Loc: l, Path: state.Elements}, v, e, false)
	return state.To(l)
}

// sameElem reports whether an argument is a slice of the same elements.
func sameElem(i ssa.CallInstruction, arg int, e types.Type) bool {
	args := i.Common().Args
	if arg >= len(args) {
		return false
	}
	x := shape.Elem(args[arg].Type())
	return x != nil && types.Identical(x, e)
}
