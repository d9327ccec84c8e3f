package mem

import "unsafe"

// This file serves buffers that are written in words: room behind their length.

// KeepBytes is the most bytes of a buffer that is kept for the next value. The pool releases an
// unused buffer after two collections.
const KeepBytes = 16 << 20

// Room returns b with room for n bytes behind its length, for [Put64] and the like.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		return grown(b, n)
	}
	return b
}

// grown is Room for a b that is too small. It leaves more than n bytes: append doubles b.
//
//go:noinline
func grown(b []byte, n int) []byte {
	return append(b, make([]byte, n)...)[:len(b)]
}

// nothing is the memory of slices of length 0.
var nothing uint64 // target of slices of length 0

// EmptySlice is a slice of any type that is empty, but not nil.
func EmptySlice() Slice { return Slice{Data: unsafe.Pointer(&nothing)} }
