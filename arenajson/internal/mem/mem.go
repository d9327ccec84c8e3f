// Package mem contains arenajson's accesses to memory by address: loads of words from the input,
// and loads and stores of values with only a run-time type. Nothing else in arenajson turns an
// address into a value.
//
// It relies on the facts that package internal/engine/block lists, and on one of its own:
//
//	A. A plan (see internal/plan) is made from the reflect.Type of a value. It has the
//	   offset of each field, and the kind, from reflect. A store through it therefore has
//	   the type of the memory there, and the write barrier is right (fact 7).
package mem

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Load64 returns the 8 bytes of b from i on, the first one lowest. The caller ensures that i is not
// negative and i+8 not more than len(b).
func Load64(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:]) // fact 11
}

// Load32 is Load64 for 4 bytes.
func Load32(b []byte, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:]) // fact 11
}

// Put64 stores the 8 bytes of w, the lowest first, from b[i] on. They may lie behind b's length,
// but the caller ensures that i is not negative and i+8 not more than cap(b).
func Put64(b []byte, i int, w uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:], w) // fact 11
}

// Put32 is Put64 for 4 bytes.
func Put32(b []byte, i int, w uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:], w) // fact 11
}

// A Block is 48 bytes. As a field it is copied inline; the compiler would assume that a plain array
// may overlap the destination, and copy it by a call.
type Block struct{ Bytes [48]byte }

// PutBlock is Put64 for a block.
func PutBlock(b []byte, i int, from *Block) {
	*(*[48]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) = from.Bytes // fact 11
}

// Set stores a value at p, the address of a value of type T or of its underlying type (fact A).
func Set[T any](p unsafe.Pointer, v T) { *(*T)(p) = v }

// Get loads a value from p, the address of a value of type T or of its underlying type (fact A).
func Get[T any](p unsafe.Pointer) T { return *(*T)(p) }

// At returns p, the address of a T, as a pointer to it (fact A).
func At[T any](p unsafe.Pointer) *T { return (*T)(p) }

// Add returns the address off bytes into the value at p: of a field, or an element (facts A, 11).
func Add(p unsafe.Pointer, off uintptr) unsafe.Pointer { return unsafe.Add(p, off) }

// A Slice is the layout of a slice (fact 9).
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// String returns the bytes of b as a string, without a copy: b must not change afterwards.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes returns the bytes of s, which must not be changed.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// An iface is the layout of a value of type any (fact 9).
type iface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// A Word is the type word of an interface.
type Word struct{ typ unsafe.Pointer }

// WordOf returns the type word of v, whose type must not be shaped like a pointer.
func WordOf(v any) Word { return Word{(*iface)(unsafe.Pointer(&v)).typ} }

// Any returns the value at p, of the word's type, as an any without a copy. The value must not
// change afterwards (fact 9).
func Any(w Word, p unsafe.Pointer) (v any) {
	*(*iface)(unsafe.Pointer(&v)) = iface{w.typ, p}
	return v
}

// Trusted reports whether interfaces have the layout that this package assumes. It is set once, at
// start-up; if it is false, the compiler puts values into interfaces.
var Trusted = func() bool {
	f := 2.5
	v, ok := Any(WordOf(0.0), unsafe.Pointer(&f)).(float64)
	s := "s"
	w, ok2 := Any(WordOf(""), unsafe.Pointer(&s)).(string)
	return unsafe.Sizeof(any(nil)) == 2*unsafe.Sizeof(uintptr(0)) && ok && ok2 && v == f && w == s
}()

// Pointer returns the pointer in v, which holds one, and its type.
func Pointer(v any) (unsafe.Pointer, Word) {
	i := (*iface)(unsafe.Pointer(&v))
	return i.data, Word{i.typ} // fact 9
}

// Data returns the second word of v: its value if that is shaped like a pointer, or else a pointer
// to it.
func Data(v any) unsafe.Pointer { return (*iface)(unsafe.Pointer(&v)).data } // fact 9

// Hash returns a hash of a word, for tables.
func (w Word) Hash() uintptr { return uintptr(w.typ)>>5 ^ uintptr(w.typ)>>11 }

// Value returns the value at p as a reflect.Value that can be set.
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
