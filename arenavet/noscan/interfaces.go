package noscan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file handles values in interfaces. An interface has a pointer to its value, so the value is copied to the heap,
// unless it is a pointer itself or the compiler knows a copy that is never freed: constants are in static data, and
// each byte has a place in a table of the runtime.
//
//	n.value = 3         static
//	n.value = count     a copy on the heap: reported
//	n.value = &x        x counts

// boxed finds the targets of an interface value. Constants, structs of constants, and values of one byte or none, are
// static. Values in an array, or behind a pointer, aren't copied again: find continues there.
func (f *finder) boxed(v *ssa.MakeInterface) {
	switch t := v.X.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		f.find(v.X)
	case *types.Interface:
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			f.find(v.X)
		} else if _, constant := v.X.(*ssa.Const); !constant && t.Kind() != types.Bool &&
			t.Kind() != types.Uint8 && t.Kind() != types.Int8 {
			f.heap(v, "an interface's copy of a value")
		}
	case *types.Struct:
		if t.NumFields() > 0 && !isConstant(v.X) {
			f.heap(v, "an interface's copy of a value")
		}
	case *types.Slice:
		f.heap(v, "an interface's copy of a value")
	}
}

// isConstant reports whether v is a composite literal that sets fields only to constants. The compiler puts it into
// static data.
//
//	n.value = point{1, 2}     static
//	n.value = point{x, 2}     a copy on the heap
func isConstant(v ssa.Value) bool {
	if isConst(v) {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	literal, ok := load.X.(*ssa.Alloc)
	if !ok || literal.Comment != "complit" {
		return false
	}
	for _, use := range defuse.FieldUses(literal) {
		if s, ok := use.(*ssa.Store); !ok || !isConst(s.Val) {
			return false
		}
	}
	return true
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}
