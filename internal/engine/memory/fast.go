package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// This file holds the fast paths, which are inlined into the functions that users call.
// They must not depend on more than a region's counters and the layout of a type. What
// they allocate for is an A, which is only passed on to the slow path.
//
// A fast path reads a counter once, changes it, and makes a pointer. Every unusual state
// makes one of its comparisons fail: a region without a chunk, one that was shut or freed, a
// window that is used up.

// TakeTyped takes size bytes for a value of a type that belongs to r from its window, or calls
// slow. It is so small that arena.Typed.New, into which it is inlined, can be inlined itself. In a
// slab the size is a multiple of 8, or rounding makes it the slab's unit.
func TakeTyped[A any](r *Region, a A, zero any, size uintptr, slow func(a A, zero any) unsafe.Pointer) unsafe.Pointer {
	size = (r.Left - size) &^ (ObjectAlign - 1)
	if int(size) <= 0 {
		return slow(a, zero)
	}
	r.Left = size
	return unsafe.Add(r.Base, size) // fact 1
}

// Recent returns one of the most recently used slabs: that of the type with a layout.Key,
// or of another type (see Slab.Objects), or nil.
func (s *Space) Recent(key unsafe.Pointer) *Slab {
	if s.types == nil {
		return nil
	}
	recent := s.types.recent
	return recent[hash(key)&uintptr(len(recent)-1)]
}

// ReadyLow is TakeLow's fast path, for sizes of 8 bytes and more: it returns nil if more is
// needed than to advance lo. It never erases, and so takes only memory below zero.
func (r *Region) ReadyLow(size uintptr) unsafe.Pointer {
	off := RoundUp(r.lo)
	if asan.On || off+size > r.zero || r.careful {
		return nil
	}
	r.lo = off + size
	return unsafe.Add(r.mem, off) // facts 1, 4
}

// TakeLow allocates size bytes from the low end, for slices and raw memory. They are zero
// unless uninit is set.
func (r *Region) TakeLow(size, align uintptr, uninit bool) unsafe.Pointer {
	off := (r.lo + align - 1) &^ (align - 1)
	if asan.On || off+size > r.zero || align > ObjectAlign || r.careful || Is32bit && r.slab != nil {
		return r.TakeLowSlow(size, align, uninit)
	}
	r.lo = off + size
	return unsafe.Add(r.mem, off) // facts 1, 4
}
