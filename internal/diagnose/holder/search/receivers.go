package search

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// This file guesses the type of an object referenced by a variable on a stack. Mostly that object is the receiver of a
// method. Its size and the places of its pointers must match. Other types may match too, so the report says "perhaps".

// receivers returns the types of the calls' receivers, as candidates for an object that a variable there leads to.
func (d *describer) receivers(calls []runtime.Frame) (all []symbols.Typing) {
	for _, f := range calls {
		if path, name, ok := receiver(f.Function); ok {
			if t := d.types.StructNamed(path, name); t != nil {
				all = append(all, symbols.Typing{Elem: t, Single: true})
			}
		}
	}
	return all
}

// receiver returns the name of the type whose method a function is, or whose method contains it as a closure. If the
// method was inlined, the linker's name of the closure begins with the function around it: p.Test.(*T).method.func1.
func receiver(function string) (path, name string, ok bool) {
	path = symbols.PackagePath(function)
	// Methods of generic types, whose names have brackets, have descriptors for each argument: none is tried.
	_, rest, ok := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], "(*")
	name, _, closed := strings.Cut(rest, ")")
	return path, name, ok && closed && !strings.Contains(name, "[")
}

// guess returns the first type that an object may have, or nothing.
func (d *describer) guess(among []symbols.Typing, i int32) symbols.Typing {
	for _, t := range among {
		if d.mayBe(t.Elem, i) {
			return t
		}
	}
	return symbols.Typing{}
}

// mayBe reports whether an object may have a type.
func (d *describer) mayBe(t reflect.Type, i int32) bool {
	size := d.Objects.Size(i)
	// The runtime's size classes waste an eighth, except for small objects.
	if t.Size() > size || size-t.Size() >= max(2*d.WordSize, size/8+1) || d.types.MayHaveHeader(i) {
		return false
	}
	// The dump has the pointers as the GC sees them.
	var want, got []uintptr
	pointersOf(t, 0, func(offset uintptr) { want = append(want, offset) })
	d.Offsets(d.Object(i), func(offset uintptr) bool { got = append(got, offset); return true })
	return slices.Equal(want, got)
}

// pointersOf calls f with the offset of each word of a value that the GC follows, in ascending order.
func pointersOf(t reflect.Type, at uintptr, f func(offset uintptr)) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			pointersOf(t.Field(i).Type, at+t.Field(i).Offset, f)
		}
	case reflect.Array:
		for i := range t.Len() {
			pointersOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), f)
		}
	case reflect.Interface:
		f(at + t.Size()/2) // the first word is never that of a heap object
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String, reflect.Slice:
		f(at)
	}
}
