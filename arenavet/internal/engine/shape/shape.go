// Package shape answers questions about types: whether their values may refer to memory, and about their parts.
//
// It must not depend on arenas, values or states: its answers hold in each program.
package shape

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxDepth bounds how deep types are inspected. Deeper types are assumed to have pointers: types that contain
// themselves do so through one.
const maxDepth = 8

// HasPointers reports whether a value of type t may refer to memory. Strings do; t
// may be nil, which stands for no value.
func HasPointers(t types.Type) bool { return pointers(t, 0, true) }

// SurelyHasPointers is HasPointers, but false for type parameters: they may be types without pointers.
func SurelyHasPointers(t types.Type) bool { return pointers(t, 0, false) }

func pointers(t types.Type, depth int, param bool) bool {
	if t == nil || depth > maxDepth {
		return t != nil
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return param
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedString
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem(), depth+1, param)
	case *types.Struct:
		for f := range u.Fields() {
			if pointers(f.Type(), depth+1, param) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if pointers(v.Type(), depth+1, param) {
				return true
			}
		}
		return false
	}
	return true
}

// Sizeless reports whether values of a type take no memory, so that an allocation of one has nothing that could die.
func Sizeless(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || Sizeless(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !Sizeless(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// IsString reports whether values of a type are strings.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsFunction reports whether values of a type are functions.
func IsFunction(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsParameter reports whether t is a type parameter without a core type.
func IsParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok && types.IsInterface(core(t))
}

// Struct returns the struct type underlying a type.
func Struct(t types.Type) (*types.Struct, bool) {
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// Field returns the name of a field of a struct, or of the struct that t points to; without a struct, its number.
func Field(t types.Type, n int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := Struct(t); ok && n < st.NumFields() {
		return st.Field(n).Name()
	}
	return fmt.Sprint(n)
}

// Elem returns the element type of a slice, an array, a channel or a map, or the target type of a pointer; nil for
// others.
func Elem(t types.Type) types.Type {
	switch u := core(t).(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	case *types.Chan:
		return u.Elem()
	case *types.Pointer:
		return u.Elem()
	}
	return nil
}

// core returns the underlying type that all types of a type parameter have, if its constraint is a single type, such as
// ~[]E; otherwise the underlying type.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || constraint.NumEmbeddeds() != 1 {
		return t.Underlying()
	}
	if u, ok := constraint.EmbeddedType(0).(*types.Union); ok && u.Len() == 1 {
		return u.Term(0).Type().Underlying()
	}
	return t.Underlying()
}

// HoldsMany reports whether a value is, or an interface holds, a slice or map.
func HoldsMany(v ssa.Value) bool {
	if x, ok := v.(*ssa.MakeInterface); ok {
		v = x.X
	}
	switch v.Type().Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// Holder returns the field or the global at an address, nil if there is neither. It is the same in all functions, so it
// connects the operations on an arena in a field of a type across a package.
func Holder(addr ssa.Value) *types.Var {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		if st, ok := Struct(Elem(a.X.Type())); ok {
			return st.Field(a.Field).Origin()
		}
	case *ssa.Global:
		v, _ := a.Object().(*types.Var)
		return v
	}
	return nil
}

// IsSignal reports whether values of a type are sent only as signals: a goroutine that has filled a semaphore's channel
// has waited for all others.
func IsSignal(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	return ok && u.NumFields() == 0
}

// MayFail reports whether a result tells the caller that a function has failed: a bool or an error. Then effects on
// some paths only can't be relied on.
func MayFail(t *types.Signature) bool {
	for v := range t.Results().Variables() {
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
		if IsError(v.Type()) {
			return true
		}
	}
	return false
}

// IsSeq2 reports whether a sequence's yield function gets a key as well.
func IsSeq2(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 2
}
