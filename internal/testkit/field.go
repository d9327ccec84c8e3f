package testkit

import (
	"reflect"
	"unsafe"
)

// Field returns a pointer to a field of the struct to which p points, exported or not: for
// tests that break something, or compare what is kept count of with what is there.
func Field[T any](p any, name string) *T {
	f := reflect.ValueOf(p).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		panic("testkit: no field " + name + " of type " + reflect.TypeFor[T]().String() + " in a " + reflect.TypeOf(p).String())
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}
