package code

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file follows a value to its source, and to the stores in it, one step at a time.

// IsGiven reports whether callers know the element of a key: the key is a parameter, or a part of one. A function that
// deletes it is taken to delete the caller's element.
//
//	func (s *server) unregister(id int) { delete(s.running, id) }
func IsGiven(key ssa.Value) bool {
	switch x := Source(key).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case *ssa.Convert:
		return IsGiven(x.X)
	}
	return false
}

// OnlyStored reports whether a result is only stored in a global. A weak pointer whose value nobody loads does no harm.
func OnlyStored(v ssa.Value) bool {
	uses := api.Uses(v)
	for _, use := range uses {
		st, ok := use.(*ssa.Store)
		if !ok {
			return false
		}
		if _, ok := st.Addr.(*ssa.Global); !ok {
			return false
		}
	}
	return len(uses) > 0
}

// Stores returns the values stored in the elements of an array, by their indices.
func Stores(array ssa.Value) (items []ssa.Value) {
	for at, st := range defuse.Items(array) {
		if n, ok := defuse.Int(at.Index); ok {
			for n >= len(items) {
				items = append(items, nil)
			}
			items[n] = st.Val
		}
	}
	return items
}

// Unboxed returns the value that was converted to an interface.
func Unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// Source returns the value that another one is a part of, or from which pointers lead to it: the one that a loop gets
// anew, as far as fields and pointers are followed.
func Source(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			v = x.X
		default:
			return v
		}
	}
}

// Written returns the values stored in a variable; for other values, the value itself.
func Written(v ssa.Value) (list []ssa.Value) {
	if _, ok := v.(*ssa.Alloc); ok {
		for st := range defuse.StoresTo(v) {
			list = append(list, st.Val)
		}
	}
	if list == nil {
		list = []ssa.Value{v}
	}
	return list
}

// Last returns the value that a load's block has stored in the variable before, or the load itself: functions with
// deferred calls have their results in variables.
func Last(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	for _, i := range load.Block().Instrs {
		if st, ok := i.(*ssa.Store); ok && st.Addr == load.X {
			v = st.Val
		}
	}
	return v
}
