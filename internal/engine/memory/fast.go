package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// This file holds the fast paths, which are inlined into the functions that users call. They must not depend on more
// than a region's counters and the layout of a type. An A is the object for which they allocate; they only pass it on
// to the slow path.
//
// A fast path reads a counter once, changes it, and makes a pointer. Every unusual state
// makes one of its comparisons fail: a region without a chunk, one that was shut or freed, a
// window that is used up.

// TakeTyped takes size bytes from the window of the region to which the value's type belongs, or calls
// slow. It is so small that arena.Typed.New, into which it is inlined, can be inlined itself. In a
// slab the size is a multiple of 8, or rounding makes it the slab's unit.
func TakeTyped[A any](w *Window, a A, zero any, size uintptr, slow func(a A, zero any) unsafe.Pointer) unsafe.Pointer {
	size = (w.Left - size) &^ (ObjectAlign - 1)
	if int(size) <= 0 {
		return slow(a, zero)
	}
	w.Left = size
	return unsafe.Add(w.Base, size) // fact 1
}

// Recent returns the window of the slab for single values of the type with a layout.Key, if that is among the recent
// ones, or else nil. A nil catalog has none.
func (c *Catalog) Recent(key unsafe.Pointer) *Window {
	if c == nil {
		return nil
	}
	if r := &c.recent[hash(key)&uintptr(len(c.recent)-1)]; r.objects == key {
		return r.window
	}
	return nil
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
