package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// hasPointers says whether a value of type t may refer to memory.
func hasPointers(t types.Type) bool { return pointers(t, 0) }

func pointers(t types.Type, depth int) bool {
	if t == nil || depth > 8 {
		return t != nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedString
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if pointers(f.Type(), depth+1) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if pointers(v.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// core returns the type that all types of a type parameter have, if it is one.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok || constraint.NumEmbeddeds() != 1 {
		return t.Underlying()
	}
	switch u := constraint.EmbeddedType(0).(type) {
	case *types.Union:
		if u.Len() == 1 {
			return u.Term(0).Type().Underlying()
		}
		return t.Underlying()
	default:
		return u.Underlying()
	}
}

// elem returns the type of a slice's, an array's or a map's elements, or of
// what a pointer leads to.
func elem(t types.Type) types.Type {
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

// holdsMany says whether a value is, or an interface holds, a slice or map.
func holdsMany(v ssa.Value) bool {
	if x, ok := v.(*ssa.MakeInterface); ok {
		v = x.X
	}
	switch v.Type().Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// sizeless says whether values of a type take no memory.
func sizeless(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || sizeless(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !sizeless(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// spread returns a struct of a type that holds v in all fields that can.
func spread(v value, t types.Type, depth int) value {
	st, ok := coreStruct(t)
	if !ok || depth > 3 {
		return v
	}
	var w value
	for field := range st.Fields() {
		if hasPointers(field.Type()) {
			w, _ = w.join(spread(v, field.Type(), depth+1).as("." + field.Name()))
		}
	}
	return w
}
