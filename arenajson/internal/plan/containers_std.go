//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package plan

import "reflect"

// This file replaces types with containers of package collections for calls of the standard
// library, where the containers' methods would read whole values.

// StdType returns a type with Go's maps and slices instead of containers, or nil if there is none:
// because the type leads to itself, or has embedded structs.
func StdType(t reflect.Type) (std reflect.Type) {
	defer func() {
		if recover() != nil { // reflect can't make the type
			std = nil
		}
	}()
	return stdTypeIn(t, map[reflect.Type]bool{})
}

// stdTypeIn is StdType for a nested type, and panics instead of returning nil. open are the types
// around it.
func stdTypeIn(t reflect.Type, open map[reflect.Type]bool) reflect.Type {
	if !Of(t).leadsToContainer(map[*Node]bool{}) {
		return t
	}
	if open[t] {
		panic(t)
	}
	open[t] = true
	defer delete(open, t)
	in := func(t reflect.Type) reflect.Type { return stdTypeIn(t, open) }
	switch n := Of(t); {
	case n.Kind == KindTable:
		return reflect.MapOf(in(n.MapKey.Type), in(n.Elem.Type))
	case n.Kind == KindList:
		return reflect.SliceOf(in(n.Elem.Type))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.PointerTo(in(t.Elem()))
	case reflect.Slice:
		return reflect.SliceOf(in(t.Elem()))
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), in(t.Elem()))
	case reflect.Map:
		return reflect.MapOf(in(t.Key()), in(t.Elem()))
	}
	// A struct with the same names and tags, but no methods.
	var fields []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			f.Type = in(f.Type)
			fields = append(fields, f)
		}
	}
	return reflect.StructOf(fields)
}

// leadsToContainer reports whether a plan leads to that of a container, in any number of steps.
func (n *Node) leadsToContainer(seen map[*Node]bool) bool {
	if n.Container != nil {
		return true
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	return n.leadsTo(func(n *Node) bool { return n.leadsToContainer(seen) })
}
