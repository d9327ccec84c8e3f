package plan

import (
	"reflect"
	"sync"
)

// This file determines the kind of a type from reflect alone.

// The maps that are written without package reflect, whose iterators take three times as long.
const (
	NativeNone = iota
	NativeStrings
	NativeAnys
)

// nativeMap returns the constant for a type of map.
func nativeMap(t reflect.Type) uint8 {
	switch {
	case t.Key() != StringType:
	case t.Elem() == StringType:
		return NativeStrings
	case t.Elem() == AnyType:
		return NativeAnys
	}
	return NativeNone
}

// kindOf returns the kind of a type without regard to methods, and fills in the parts of n that
// follow from it. It makes the plans of types in t on the way, before the caller has completed n.
func (p *planner) kindOf(n *Node, t reflect.Type) Kind {
	n.Bits = uint8(min(t.Size()*8, 64))
	switch t.Kind() {
	case reflect.Bool:
		return KindBool
	case reflect.String:
		return KindString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if t.Size() == 8 {
			return KindInt64
		}
		return KindInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return KindUint
	case reflect.Float32:
		return KindFloat32
	case reflect.Float64:
		return KindFloat64
	case reflect.Struct:
		n.Fields = p.structPlan(t)
		return KindStruct
	case reflect.Interface:
		if t == AnyType {
			return KindAny
		}
		return KindInterface
	case reflect.Map:
		n.MapKey, n.Elem = p.plan(t.Key()), p.part(t.Elem())
		n.Native, n.Walks, n.Cells, n.Small = nativeMap(t), new(sync.Pool), new(sync.Pool), smallOf(t)
		return KindMap
	case reflect.Pointer:
		if n.Elem = p.plan(t.Elem()); t.Name() != "" {
			n.Elem = p.bare(t.Elem())
		}
		return KindPointer
	case reflect.Array:
		n.Len = t.Len()
	case reflect.Slice:
	default:
		return kindInvalid
	}
	n.Elem = p.part(t.Elem())
	return n.listKind(t)
}

// listKind is kindOf for slices and arrays. Those of bytes are base64 in JSON, with some options
// even if the byte type has a name.
func (n *Node) listKind(t reflect.Type) Kind {
	bytes := t.Elem().Kind() == reflect.Uint8
	n.NamedByte = bytes && t.Elem().PkgPath() != ""
	switch {
	case t.Kind() == reflect.Slice && bytes:
		return KindBytes
	case t.Kind() == reflect.Slice:
		return KindSlice
	case bytes:
		return KindByteArray
	}
	return KindArray
}
