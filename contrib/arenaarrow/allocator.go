package arenaarrow

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
)

// This file holds Arrow's allocator. It must not depend on the memory's contents: bytes, offsets
// and bits, never pointers.

// Alignment is the alignment of all memory in bytes, which Arrow requires: that of a cache line and
// of the widest vector registers.
const Alignment = 64

// An Allocator allocates from an arena. Any number of goroutines may use it, as Arrow's compute
// functions do. The arena itself must not be used meanwhile.
type Allocator struct {
	mu    sync.Mutex
	arena *arena.Arena
}

var _ memory.Allocator = (*Allocator)(nil)

// NewAllocator returns an allocator for an arena. A nil arena is the Go heap. The allocator stays
// usable after a Reset of the arena.
func NewAllocator(a *arena.Arena) *Allocator { return &Allocator{arena: a} }

// Allocate returns size bytes of zeroed memory, aligned to [Alignment]. It panics if size is
// negative, if the arena was freed or put back, and with a *arena.LimitError if its budget doesn't
// allow for the memory.
func (m *Allocator) Allocate(size int) []byte {
	if size <= 0 {
		return empty("Allocate", size)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytesAt(m.arena.Alloc(uintptr(size), Alignment), size)
}

// Reallocate changes the size of b, which Allocate or Reallocate has returned. b stays in place if
// it is the newest of the arena's slices and raw memory, or has room in a chunk of its own, or if
// size is no larger. Otherwise b is copied, and the old copy is left to the arena. The new part is
// zero. Reallocate panics as Allocate does, and if b isn't the arena's.
func (m *Allocator) Reallocate(size int, b []byte) []byte {
	if size <= 0 {
		return empty("Reallocate", size)
	}
	if cap(b) == 0 {
		return m.Allocate(size)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := unsafe.Pointer(unsafe.SliceData(b))
	return bytesAt(m.arena.Realloc(p, uintptr(cap(b)), uintptr(size), Alignment), size)
}

// Free does nothing: the arena reclaims all memory at once. So arrays may be released after that,
// or never.
func (m *Allocator) Free([]byte) {}

// empty returns a slice without bytes.
func empty(where string, size int) []byte {
	if size < 0 {
		panic(fmt.Sprintf("arenaarrow: %s: the size %d is negative", where, size))
	}
	return []byte{}
}

// bytesAt returns size bytes at p, with no spare capacity.
func bytesAt(p unsafe.Pointer, size int) []byte { return unsafe.Slice((*byte)(p), size) }
