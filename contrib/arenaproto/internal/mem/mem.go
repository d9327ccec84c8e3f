// Package mem has all of arenaproto's access to memory by address: loads of words from the
// input, and loads and stores of values of run-time types. Other packages of arenaproto don't
// turn addresses into values.
//
// It relies on the facts that package internal/engine/block of the arena lists, and on these:
//
//	A. A plan (see package plan) is made from the reflect.Type of a message. reflect's
//	   offset leads to each field, and its Kind to the operation. A store through it
//	   therefore has the type of the variable there, and the write barrier is right
//	   (fact 7).
//	B. The protobuf runtime's other parts of a message, unknown fields and presence bits,
//	   are found by the names and types of fields too, and each plan is compared with that
//	   runtime before it is used (see package compile).
//	C. The first word of an interface with methods is the same for all values of
//	   one type in one interface type. It isn't in memory that the GC frees. Checked at
//	   start-up (Trusted), and for each oneof when its plan is made.
//	D. Memory between a slice's length and its capacity may be read, as long as nobody
//	   else writes there: see Load64.
package mem

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Load64 returns the 8 bytes of b from i on, the first one lowest. i must not be negative,
// nor i+8 more than cap(b) (facts 11, D).
func Load64(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// Load32 is Load64 for 4 bytes.
func Load32(b []byte, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:]) // facts 11, D
}

// Set stores a value at p, where there is a variable of its type or underlying type (fact A).
func Set[T any](p unsafe.Pointer, v T) { *(*T)(p) = v }

// Get loads a value from p, where there is a variable of its type or underlying type (fact A).
func Get[T any](p unsafe.Pointer) T { return *(*T)(p) }

// At returns p as a pointer to a T, which is there (fact A).
func At[T any](p unsafe.Pointer) *T { return (*T)(p) }

// Add returns the address of the field or element off bytes into the value at p (facts A, 11).
func Add(p unsafe.Pointer, off uintptr) unsafe.Pointer { return unsafe.Add(p, off) }

// A Slice is the layout of a slice (fact 9).
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// String returns the n bytes of b from i on as a string, without a copy: b must not change
// any more. The bytes are within b, and n isn't 0, since i might be the end of a block then
// (fact 10).
func String(b []byte, i, n int) string {
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)), n) // fact 11
}

// Bytes returns the n bytes of b from i on, with no capacity beyond. n isn't 0.
func Bytes(b []byte, i, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)), n) // fact 11
}

// Raw returns the n bytes at p, which were allocated as bytes, or are numbers of a list (fact A).
func Raw(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// An iface is the layout of an interface (fact 9).
type iface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// A Word is an interface's word for the type of its value and, if the interface has methods,
// for their addresses.
type Word struct{ typ unsafe.Pointer }

// Pointer returns the pointer that v holds, and its type.
func Pointer(v any) (unsafe.Pointer, Word) {
	i := (*iface)(unsafe.Pointer(&v))
	return i.data, Word{i.typ} // fact 9
}

// Hash returns a hash of a word.
func (w Word) Hash() uintptr { return uintptr(w.typ)>>5 ^ uintptr(w.typ)>>11 }

// WordAt returns the first word of the interface at p (fact C).
func WordAt(p unsafe.Pointer) Word { return Word{(*iface)(p).typ} }

// Held returns the pointer that the interface at p holds, or nil if its first word isn't w
// (fact C).
func Held(p unsafe.Pointer, w Word) unsafe.Pointer {
	if i := (*iface)(p); i.typ == w.typ {
		return i.data
	}
	return nil
}

// Hold makes the interface at p hold a pointer of the word's type. The word is of a pointer in
// the same interface type (fact C).
func Hold(p unsafe.Pointer, w Word, data unsafe.Pointer) { *(*iface)(p) = iface{w.typ, data} }

// Trusted means that interfaces have the layout that this package assumes. It is checked once,
// at start-up. If it is false, plans aren't used. It is a variable for the test.
var Trusted = func() bool {
	// Make an interface with another one's first word, and check whether Go accepts it.
	n := 2
	var v, w fence = &fenced{&n}, nil
	Hold(unsafe.Pointer(&w), WordAt(unsafe.Pointer(&v)), unsafe.Pointer(&fenced{&n}))
	x, ok := w.(*fenced)
	p, _ := Pointer(v)
	return unsafe.Sizeof(v) == 2*unsafe.Sizeof(uintptr(0)) &&
		ok && x.n == &n && w.get() == &n && p == unsafe.Pointer(v.(*fenced))
}()

// A fence is an interface with a method, and a fenced its value, to check the layout.
type fence interface{ get() *int }

type fenced struct{ n *int }

func (f *fenced) get() *int { return f.n }

// Value returns the variable at p, which can be set.
func Value(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// IsZero reports whether the n bytes at p are zero. Padding counts.
func IsZero(p unsafe.Pointer, n uintptr) bool {
	b := unsafe.Slice((*byte)(p), n)
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
