package transfer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file models the built-in functions.

// builtin takes a state past a call of a built-in function, those of package unsafe included. len and cap read only the
// slice header, which is never dead.
func (f *interpreter) builtin(s *state.State, i ssa.CallInstruction, name string, c *ssa.CallCommon) state.Value {
	args := f.args(s, c)
	switch name {
	case "append":
		return f.appended(s, i, c, args)
	case "copy":
		f.Used(s, i, args[0], "is written to")
		f.Used(s, i, args[1], "is used")
		if e := shape.Elem(c.Args[1].Type()); e != nil && shape.HasPointers(e) {
			s.Store(i, args[0].Moved(state.Elements), s.Load(args[1], state.Elements, e), e)
		}
	case "delete", "clear":
		f.emptied(s, i, c, args)
	case "print", "println":
		f.UsedArgs(s, i, c, args)
	case "String": // of package unsafe, like the others below
		return f.shown(i, args[0], s.Resolve(memoryOf(args[0]), nil))
	case "StringData", "Slice", "SliceData", "Add":
		return args[0]
	}
	return nil
}

// appended is append. The result is the old memory, or new memory with the old and the new elements.
func (f *interpreter) appended(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon,
	args []state.Value) state.Value {
	f.refilled(s, i, args[0])
	f.Used(s, i, args[0], "is appended to")
	result := args[0].Clone()
	e := shape.Elem(c.Args[0].Type())
	// append(b[:0:0], b...) has no capacity, and copies.
	if x, ok := c.Args[0].(*ssa.Slice); ok && defuse.IsZero(x.Max) && len(args) > 1 {
		result = state.To(s.Fresh(i, "copied"))
		args[0] = nil
	}
	if len(args) == 1 {
		return result
	}
	f.Used(s, i, args[1], "is used")
	if e != nil && shape.HasPointers(e) {
		// Loaded before the memory is made anew: it may be that of an earlier loop iteration.
		items, _ := s.Load(args[0], state.Elements, e).Join(s.Load(args[1], state.Elements, e))
		l := s.Make(i, "")
		s.Put(i, state.Cell{Loc: l, Path: state.Elements}, items, e, false)
		return result.With(state.Tag{Kind: state.Ptr, Loc: l}, nil)
	}
	return result
}

// emptied is delete and clear. delete counts as clear, though entries may remain: programs empty maps by deleting one
// key after the other.
func (f *interpreter) emptied(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon, args []state.Value) {
	if last := len(args) - 1; last > 0 {
		f.UsedString(s, i, c.Args[last])
	}
	all := []string{state.Elements}
	if _, isSlice := c.Args[0].Type().Underlying().(*types.Slice); !isSlice {
		all = append(all, state.Keys)
	}
	for t := range args[0].All() {
		if t.Kind != state.Ptr {
			continue
		}
		for _, path := range all {
			cell := state.Cell{Loc: t.Loc, Path: t.Off + path}
			s.Set(cell, state.Value{})
			if len(args) == 1 || code.IsGiven(c.Args[1]) { // clear, or keys from the caller
				f.Cleared[cell] = true
			}
		}
	}
}
