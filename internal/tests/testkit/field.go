package testkit

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// Field returns a pointer to a field of the struct to which p points, exported or not: for tests that break something,
// or compare counters with the counted things. The name may be a path, such as "lease.reserved", which goes through
// pointers. A field that points to a type which the caller can't name may be read as an unsafe.Pointer.
func Field[T any](p any, name string) *T {
	at, typ := locate(p, name)
	want := reflect.TypeFor[T]()
	if typ != want && !(want.Kind() == reflect.UnsafePointer && typ.Kind() == reflect.Pointer) {
		panic(fmt.Sprintf("testkit: %s of %T is a %s, no %s", name, p, typ, want))
	}
	return (*T)(at)
}

// Value returns the value of a field of any type; see Field.
func Value(p any, name string) reflect.Value {
	at, typ := locate(p, name)
	return reflect.NewAt(typ, at).Elem()
}

// locate returns the address and the type of a field.
func locate(p any, name string) (unsafe.Pointer, reflect.Type) {
	steps := way(reflect.TypeOf(p).Elem(), name)
	at := reflect.ValueOf(p).UnsafePointer()
	for i, s := range steps {
		at = unsafe.Add(at, s.offset) // within the struct
		if i < len(steps)-1 && s.typ.Kind() == reflect.Pointer {
			at = *(*unsafe.Pointer)(at)
		}
	}
	return at, steps[len(steps)-1].typ
}

// A step leads from a struct to one of its fields.
type step struct {
	offset uintptr
	typ    reflect.Type // of the field
}

// A path is a field's name, seen from a type.
type path struct {
	from reflect.Type
	name string
}

// ways caches the steps of paths: some tests look at millions of fields.
var ways sync.Map

func way(from reflect.Type, name string) (steps []step) {
	if known, ok := ways.Load(path{from, name}); ok {
		return known.([]step)
	}
	typ := from
	for part := range strings.SplitSeq(name, ".") {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		f, ok := typ.FieldByName(part)
		if !ok {
			panic("testkit: no field " + name + " in a " + from.String())
		}
		for _, i := range f.Index { // several if an embedded pointer leads there
			if typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			f = typ.Field(i)
			steps, typ = append(steps, step{f.Offset, f.Type}), f.Type
		}
	}
	ways.Store(path{from, name}, steps)
	return steps
}
