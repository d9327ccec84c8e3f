// Package fill overwrites dead values so that their use is noticed: pointers become an
// address that nobody may touch, and everything else the byte 0xDB. Code that writes
// memory by the type of its contents is here alone.
//
// Facts are those of internal/engine/block.
package fill

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

const (
	// Byte is what dead bytes are: as an integer a large negative number, as UTF-8 invalid.
	Byte = 0xDB

	// Len is the length and the capacity of dead slices and strings. It is more than 0,
	// so that a loop over one follows the pointer.
	Len = Byte
)

const word = unsafe.Sizeof(uintptr(0))

// Dead overwrites n values of type t at p. Their pointers become trap, which must not point into
// the Go heap. Padding between fields stays as it is.
func Dead(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) {
	f := filler{trap: trap}
	f.values(t, p, n)
}

// DeadUnscanned is Dead for memory that the GC doesn't scan. A pointer there may lead to
// freed memory. The GC must not be told that it is overwritten: it would take that memory
// for live, and end the program.
func DeadUnscanned(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) {
	f := filler{trap: trap, unscanned: true}
	f.values(t, p, n)
}

// Untouched reports whether n values at p are as Dead left them.
func Untouched(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) bool {
	f := filler{trap: trap, check: true}
	f.values(t, p, n)
	return !f.differs
}

// Bytes overwrites n bytes of memory without pointers.
func Bytes(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		b[i] = Byte
	}
}

// BytesUnseen is Bytes without telling the race detector, which would take it for a use by the
// caller, and is slow. It doesn't call copy, since the detector always sees that.
//
//go:norace
func BytesUnseen(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		b[i] = Byte
	}
}

// A filler goes through values by their type. It either overwrites or compares. The race detector
// isn't told: it would remember an event for each byte here instead of real uses. Package race
// tells it enough to find concurrent uses of the memory.
type filler struct {
	trap    unsafe.Pointer
	check   bool
	differs bool

	unscanned bool // by the GC
}

//go:norace
func (f *filler) values(t reflect.Type, p unsafe.Pointer, n int) {
	size := t.Size()
	if !layout.HasPointers(t) {
		f.bytes(p, size*uintptr(n))
		return
	}
	for i := range n {
		f.value(t, unsafe.Add(p, uintptr(i)*size)) // fact 11
	}
}

// value fills a value of a type with pointers. Those are stored as pointers, so
// that the GC sees the old ones go (fact 8), unless it doesn't know of them.
//
//go:norace
func (f *filler) value(t reflect.Type, p unsafe.Pointer) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			f.values(field.Type, unsafe.Add(p, field.Offset), 1)
		}
	case reflect.Array:
		f.values(t.Elem(), p, t.Len())
	case reflect.String:
		f.pointer(p)
		f.length(unsafe.Add(p, word)) // fact 9, as below
	case reflect.Slice:
		f.pointer(p)
		f.length(unsafe.Add(p, word))
		f.length(unsafe.Add(p, 2*word))
	case reflect.Interface:
		f.pointer(p)
		f.pointer(unsafe.Add(p, word))
	default: // pointers, maps, channels, functions
		f.pointer(p)
	}
}

//go:norace
func (f *filler) pointer(p unsafe.Pointer) {
	switch {
	case f.check:
		f.differs = f.differs || *(*uintptr)(p) != uintptr(f.trap)
	case f.unscanned:
		*(*uintptr)(p) = uintptr(f.trap)
	default:
		*(*unsafe.Pointer)(p) = f.trap
	}
}

//go:norace
func (f *filler) length(p unsafe.Pointer) {
	if q := (*uintptr)(p); f.check {
		f.differs = f.differs || *q != Len
	} else {
		*q = Len
	}
}

//go:norace
func (f *filler) bytes(p unsafe.Pointer, n uintptr) {
	if !f.check {
		BytesUnseen(p, n)
		return
	}
	for _, b := range unsafe.Slice((*byte)(p), n) {
		if b != Byte {
			f.differs = true
			return
		}
	}
}
