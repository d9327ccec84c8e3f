package plan

import (
	"reflect"
	"sync"
)

// This file holds which kind of values a type has, by what reflect says of it
// alone.

// The maps that are written without package reflect, whose iterators take three
// times as long.
const (
	NativeNone = iota
	NativeStrings
	NativeAnys
)

// nativeMap returns which of these a type of map is.
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

// kindOf fills in what follows from the kind of a type, and returns it: for types
// without methods, and for those with methods where these don't count. Plans of
// types in it are made on the way, before the caller has n complete.
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

// listKind is kindOf for slices and arrays. Those of bytes are read and written as
// base64, by some options even if the byte type has a name.
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
