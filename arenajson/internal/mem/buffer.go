package mem

import "unsafe"

// This file holds what buffers need that are written in words: room behind their
// length.

// KeepBytes is up to how many bytes a buffer has that is kept for the next value: the pool releases it
// when nobody has needed it for two collections.
const KeepBytes = 16 << 20

// Room returns b with room for n bytes behind its length, for [Put64] and the like.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		return grown(b, n)
	}
	return b
}

// grown is Room for a b that is too small. It leaves more room than asked for: append doubles it.
//
//go:noinline
func grown(b []byte, n int) []byte {
	return append(b, make([]byte, n)...)[:len(b)]
}

// nothing is what slices of length 0 point to.
var nothing uint64 // what slices of length 0 point to

// EmptySlice is a slice of any type that is empty, but not nil.
func EmptySlice() Slice { return Slice{Data: unsafe.Pointer(&nothing)} }
