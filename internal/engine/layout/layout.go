// Package layout reads the size of a type, and how much of it can hold
// pointers, from the runtime's type descriptors.
//
// It relies on facts 5 and 6 of the list in internal/engine/block.
//
// It doesn't use reflect because each inlined allocation has to know whether the GC must scan its memory. The compiler
// folds the two loads of [PtrBytes] into a constant wherever the type is known, so that this costs nothing. A call into
// reflect would cost more than the allocation.
package layout

import (
	"reflect"
	"sync"
	"unsafe"
)

// A Type is the head of the runtime's type descriptor (internal/abi.Type).
//
// Its fields are uint and not uintptr on purpose: the compiler resolves loads of pointer-size
// fields from a descriptor that it emits itself only when the load is of a plain integer type. With
// uintptr the pointer test stays in the code of every New of a type of the caller's own package.
type Type struct {
	Size     uint // bytes of one value
	PtrBytes uint // bytes at the front that can hold pointers; 0 if the type has none

	hash       uint32
	tflag      uint8
	Align      uint8
	fieldAlign uint8
	kind       uint8
	equal      unsafe.Pointer
	gcData     unsafe.Pointer
	str        int32
	ptrToThis  int32
}

// A PtrType is the descriptor of a pointer type.
type PtrType struct {
	Type
	Elem *Type
}

// An Iface is the layout of a value of type any that holds a pointer. The arena's fast path reads PtrBytes through it:
//
//	(*layout.Iface)(unsafe.Pointer(&zero)).Ptr.Elem.PtrBytes
//
// where zero holds a nil *T. That is only allowed while Trusted is true.
type Iface struct {
	Ptr  *PtrType
	data unsafe.Pointer
}

// Trusted reports that the descriptors look as described above. It is decided once, at start-up, by comparing them with
// reflect. If a future toolchain changes them, Of falls back to reflect, and every allocation takes the arena's slow
// path, which calls Of.
//
// It is a variable only so that tests can change it.
var Trusted = agrees()

// Of returns the layout of T, given a nil *T. Two calls for one type return the same
// pointer, so it can serve as a key.
func Of(zero any) *Type {
	if Trusted {
		return (*Iface)(unsafe.Pointer(&zero)).Ptr.Elem // fact 5
	}
	return slowOf(zero)
}

// Key returns a second key for T, different from Of(zero).
func Key(zero any) unsafe.Pointer {
	return unsafe.Pointer((*Iface)(unsafe.Pointer(&zero)).Ptr) // fact 5
}

// Boxed reports whether Box works for a T, given a nil *T: it does unless an interface holds a T
// itself instead of a pointer to it, or T is an interface.
func Boxed(zero any) bool {
	switch t := reflect.TypeOf(zero).Elem(); t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Struct, reflect.Array: // of one field or element that is a pointer, maybe
		return boxes && t.Size() != word
	}
	return boxes
}

// Box returns the T at p as an any, without a copy: it must not change any more. zero is a nil *T;
// Boxed(zero) must be true.
func Box(zero any, p unsafe.Pointer) (v any) {
	*(*words)(unsafe.Pointer(&v)) = words{unsafe.Pointer((*Iface)(unsafe.Pointer(&zero)).Ptr.Elem), p} // facts 5, 9
	return v
}

// words is the layout of every value of type any.
type words struct{ typ, data unsafe.Pointer }

// boxes reports that Box works as documented. It is checked once, at start-up.
var boxes = Trusted && boxesAs(2.5) && boxesAs("text") && boxesAs([]int{1}) && boxesAs(struct{ a, b any }{1, "b"})

func boxesAs[T any](v T) bool {
	want := any(v)
	if unsafe.Sizeof(want) != unsafe.Sizeof(words{}) ||
		(*words)(unsafe.Pointer(&want)).typ != unsafe.Pointer(Of((*T)(nil))) {
		return false
	}
	got, ok := Box((*T)(nil), unsafe.Pointer(&v)).(T)
	return ok && bytesOf(&got) == bytesOf(&v)
}

// bytesOf returns the bytes of *p. Comparing them with reflect.DeepEqual would add 20 KB to each
// program.
func bytesOf[T any](p *T) string { return unsafe.String((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }

// reflected holds the layouts that slowOf has made, by reflect.Type.
var reflected sync.Map

func slowOf(zero any) *Type {
	t := reflect.TypeOf(zero).Elem()
	if l, ok := reflected.Load(t); ok {
		return l.(*Type)
	}
	l := &Type{Size: uint(t.Size()), Align: uint8(t.Align())}
	if HasPointers(t) {
		l.PtrBytes = l.Size
	}
	got, _ := reflected.LoadOrStore(t, l)
	return got.(*Type)
}

// names holds names for reports, of types that only this module's own code knows.
var names sync.Map // of reflect.Type to string

// SetName lets Name return a name for a type, unless it has one.
func SetName(t reflect.Type, name string) { names.LoadOrStore(t, name) }

// Name returns the name of a type in reports: the one that SetName was given, or its name in Go.
func Name(t reflect.Type) string {
	if name, ok := names.Load(t); ok {
		return name.(string)
	}
	return t.String()
}

// HasPointers reports whether a value of type t can hold a pointer that the GC has to follow.
func HasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && HasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if HasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map,
		reflect.Pointer, reflect.Slice, reflect.String, reflect.UnsafePointer:
		return true
	}
	return false
}

// agrees compares the descriptors of types of every shape with reflect. The word behind a
// pointer type's descriptor is compared before it is followed, so that a changed layout
// is noticed and doesn't crash.
func agrees() bool {
	return same[bool](0, 1) && same[int64](0, 8) && same[[3]uint16](0, 6) &&
		same[struct{}](0, 0) && same[struct{ a, b uint64 }](0, 16) &&
		same[*int](word, word) && same[string](word, 2*word) &&
		same[[]byte](word, 3*word) && same[any](2*word, 2*word) &&
		same[map[int]int](word, word) && same[chan int](word, word) &&
		same[func()](word, word) && same[unsafe.Pointer](word, word) &&
		same[struct {
			n uintptr
			p *int
			m [4]uintptr
		}](2*word, 6*word) &&
		same[[5]struct{ p, q *int }](10*word, 10*word)
}

const word = unsafe.Sizeof(uintptr(0))

// same checks one type: its descriptor must be the very one that reflect has
// for it, and its sizes must be the expected ones.
func same[T any](ptrBytes, size uintptr) bool {
	zero := any((*T)(nil))
	t := reflect.TypeFor[T]()
	elem := (*Iface)(unsafe.Pointer(&zero)).Ptr.Elem // fact 5, checked on the next line
	if unsafe.Pointer(elem) != (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] {
		return false
	}
	return elem.PtrBytes == uint(ptrBytes) && elem.Size == uint(size) &&
		uintptr(elem.Size) == t.Size() && int(elem.Align) == t.Align()
}
