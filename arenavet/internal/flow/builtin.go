package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds the functions of the language.

// builtin takes a state past a call of a builtin function, one of package unsafe
// among them. len and cap only read what a slice says of itself, which is never
// dead.
func (f *function) builtin(s *state.State, i ssa.CallInstruction, name string, c *ssa.CallCommon) state.Value {
	args := f.args(s, c)
	switch name {
	case "append":
		return f.appended(s, i, c, args)
	case "copy":
		f.used(s, i, args[0], "is written to")
		f.used(s, i, args[1], "is used")
		if e := shape.Elem(c.Args[1].Type()); e != nil && shape.HasPointers(e) {
			s.Store(i, args[0].Moved(elements), s.Load(args[1], elements, e), e)
		}
	case "delete", "clear":
		f.emptied(s, i, c, args)
	case "print", "println":
		f.usedArgs(s, i, c, args)
	case "min", "max":
		return f.oneOfArgs(s, i, args)
	case "String", "StringData", "Slice", "SliceData", "Add": // of package unsafe
		return args[0]
	}
	return nil
}

// appended is append. The result is the old memory or new memory, which holds the
// old elements and the new ones.
func (f *function) appended(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon, args []state.Value) state.Value {
	f.used(s, i, args[0], "is appended to")
	result := args[0].Clone()
	e := shape.Elem(c.Args[0].Type())
	// append(b[:0:0], b...) has no room, and copies.
	if x, ok := c.Args[0].(*ssa.Slice); ok && isZero(x.Max) && len(args) > 1 {
		result = state.To(s.Fresh(i, "copied"))
		args[0] = nil
	}
	if len(args) == 1 {
		return result
	}
	f.used(s, i, args[1], "is used")
	if e != nil && shape.HasPointers(e) {
		// Loaded before the memory is made anew: it may be that of an earlier turn of
		// a loop.
		items, _ := s.Load(args[0], elements, e).Join(s.Load(args[1], elements, e))
		l := s.Make(i, "")
		s.Put(i, state.Cell{Loc: l, Path: elements}, items, e, false)
		return result.With(state.Tag{Kind: state.Ptr, Loc: l}, nil)
	}
	return result
}

// emptied is delete and clear. What delete leaves is forgotten, too: to delete by
// key, one after the other, is how maps are emptied.
func (f *function) emptied(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon, args []state.Value) {
	if last := len(args) - 1; last > 0 {
		f.usedString(s, i, c.Args[last])
	}
	all := []string{elements}
	if _, isSlice := c.Args[0].Type().Underlying().(*types.Slice); !isSlice {
		all = append(all, keys)
	}
	for t := range args[0].All() {
		if t.Kind != state.Ptr {
			continue
		}
		for _, path := range all {
			cell := state.Cell{Loc: t.Loc, Path: t.Off + path}
			s.Set(cell, state.Value{})
			if len(args) == 1 || isGiven(c.Args[1]) { // clear, or what callers know
				f.cleared[cell] = true
			}
		}
	}
}

// isGiven says whether callers know which element a key is for: it is a parameter, or a part of one. Who deletes that is
// taken to delete what the caller has put there.
//
//	func (s *server) unregister(id int) { delete(s.running, id) }
func isGiven(key ssa.Value) bool {
	switch x := source(key).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case *ssa.Convert:
		return isGiven(x.X)
	}
	return false
}

// oneOfArgs is min and max, which look at all and return one.
func (f *function) oneOfArgs(s *state.State, i ssa.Instruction, args []state.Value) state.Value {
	var v state.Value
	for _, a := range args {
		f.used(s, i, a, "is used")
		v, _ = v.Join(a)
	}
	return v
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Int64() == 0
}
