package walk

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"
)

// This file describes a pointer's place and its target.

// Path returns the Go expression for the part of a value of type t with the pointer at an
// offset: ".items[3].name".
func Path(t reflect.Type, offset uintptr) string {
	path, _, _ := find(t, offset)
	return path
}

// find follows a type down to the pointer at an offset. It returns a part that is neither a struct nor an array, and
// the part's offset.
func find(t reflect.Type, offset uintptr) (path string, part reflect.Type, at uintptr) {
	rest := offset
	for {
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); rest-f.Offset < f.Type.Size() {
					path += "." + f.Name
					t, rest = f.Type, rest-f.Offset
					break
				}
			}
		case reflect.Array:
			path += fmt.Sprintf("[%d]", rest/t.Elem().Size())
			t, rest = t.Elem(), rest%t.Elem().Size()
		default:
			return path, t, offset - rest
		}
	}
}

// Target describes the target of the pointer at an offset of the value of type t at p. first is the first word there,
// or 0 if that isn't known.
func Target(t reflect.Type, p unsafe.Pointer, offset, first uintptr) string {
	_, part, at := find(t, offset)
	switch part.Kind() {
	case reflect.String:
		return fmt.Sprintf("a %v of %d bytes", part, load(p, at+word))
	case reflect.Slice:
		return fmt.Sprintf("the array of a %v of length %d", part, load(p, at+word))
	case reflect.Func:
		if f := runtime.FuncForPC(first); f != nil && f.Entry() == first { // which a closure begins with
			return "the closure " + f.Name()
		}
		return "a closure of type " + part.String()
	case reflect.Interface:
		d := dynamic(part, load(p, at))
		switch d.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
			return pointed(d) + " in an interface"
		}
		return fmt.Sprintf("the %v in an interface", d)
	}
	return pointed(part)
}

// pointed describes the target of a pointer of type t.
func pointed(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return fmt.Sprintf("the %v of a %v", t.Elem(), t)
	case reflect.UnsafePointer:
		return "what an unsafe.Pointer leads to"
	}
	return "a " + t.String()
}
