package holder

import (
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/source"
)

// This file guesses of which type an object is that a variable on a stack leads to: of a method's receiver mostly. It
// is one only if it is as large as that, and has pointers at the same places; and as others may have, the
// report says "perhaps".

// receivers returns what is known of the object that a variable of some calls may lead to.
func (d *describer) receivers(calls []runtime.Frame) (all []typing) {
	for _, f := range calls {
		if path, name, ok := receiver(f.Function); ok {
			if t := d.exe.structNamed(path, name); t != nil {
				all = append(all, typing{elem: t, single: true})
			}
		}
	}
	return all
}

// receiver returns the name of the type whose method a function is, or in whose method it is a closure. The linker's
// name of a closure in what was copied into another function has that one in front: p.Test.(*T).method.func1.
func receiver(function string) (path, name string, ok bool) {
	path = source.PackagePath(function)
	_, rest, ok := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], "(*")
	name, _, closed := strings.Cut(rest, ")")
	return path, name, ok && closed && !strings.Contains(name, "[")
}

// structNamed returns a struct of a package, nil if there is none or nothing needs its descriptor: that of what was
// allocated by itself is needed.
func (e *executable) structNamed(path, name string) reflect.Type {
	key := path + "." + name
	if t, ok := e.structs[key]; ok {
		return t
	}
	if e.structs == nil {
		e.structs = map[string]reflect.Type{}
	}
	e.structs[key] = e.findType(func(t reflect.Type) bool {
		return t.Kind() == reflect.Struct && t.Name() == name && t.PkgPath() == path
	})
	return e.structs[key]
}

// guess returns the one of some types that an object may be of, nothing if it can't be of any.
func (d *describer) guess(among []typing, i int32) typing {
	for _, t := range among {
		if d.mayBe(t.elem, i) {
			return t
		}
	}
	return typing{}
}

// mayBe tells whether an object may be of a type.
func (d *describer) mayBe(t reflect.Type, i int32) bool {
	size := d.objects.size(i)
	// An eighth is what the runtime's size classes waste, but for small objects.
	if t.Size() > size || size-t.Size() >= max(2*wordBytes, size/8+1) || d.mayHaveHeader(i) {
		return false
	}
	var want, got []uintptr
	pointersOf(t, 0, func(offset uintptr) { want = append(want, offset) })
	r := reader{data: d.data, pos: d.objects.fields[i]}
	for {
		offset, ok := r.field(d.wordSize)
		if !ok {
			return slices.Equal(want, got)
		}
		got = append(got, offset)
	}
}

// pointersOf calls f with the offset of each word of a value that the GC follows.
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
		f(at + wordBytes) // the first word is never that of a heap object
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.String, reflect.Slice:
		f(at)
	}
}
