package main

import (
	"unsafe"

	"github.com/harena-go/arena"
)

// Accesses next to what was allocated, by way of package unsafe.

// at returns the byte at an offset.
func at[T any](p *T, off int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p), off)) }

var _ = plant("bounds/behind an object", boundsBehind)

// A record of 20 bytes is taken for one of 24.
//
// want: asan
func boundsBehind() {
	a := newArena()
	first := arena.New[[20]byte](a)
	arena.New[[20]byte](a)
	sinkByte = *at(first, 21) // used
}

var _ = plant("bounds/before an object", boundsBefore)

// A header is looked for where there is none.
//
// want: asan
func boundsBefore() {
	a := newArena()
	p := arena.New[point](a)
	sinkByte = *at(p, -1) // used
}

var _ = plant("bounds/behind a slice", boundsSlice)

// A loop in C's style goes one too far.
//
// want: asan
func boundsSlice() {
	a := newArena()
	items := arena.MakeSlice[int32](a, 10, 10)
	arena.MakeSlice[int32](a, 10, 10)
	sinkByte = *at(&items[0], 40) // used
}

var _ = plant("bounds/behind a string", boundsString)

// A string is taken for one that ends with a zero.
//
// want: asan
func boundsString() {
	a := newArena()
	s := a.AllocString("harena")
	sinkByte = *at(unsafe.StringData(s), 6) // used
}

var _ = plant("bounds/write behind bytes", boundsWrite)

// A length in a message isn't checked.
//
// want: asan
func boundsWrite() {
	a := newArena(arena.WithNoScan())
	buffer := a.AllocBytes(30)
	*at(&buffer[0], 33) = 1 // used
}
