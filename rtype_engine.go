package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/block"
)

// This file holds what rtype.go needs to know of regions and slabs, and nothing else
// does there: how a slice of a run-time type grows where it is or moves, and how what
// it didn't need is given back.

// growIn is Grow in an arena, for values that have a size.
func (t TypeAllocator) growIn(p unsafe.Pointer, length, capacity, n int) (unsafe.Pointer, int) {
	a, size := t.arena, t.info.size
	a.check("Grow")
	r := a.regionOf(t.info.typ, t.info.zero)
	rest := a.rest()
	if bytes := uintptr(capacity) * size; mayLengthen(p, bytes) {
		room, big := r.roomAfter(uintptr(p) + bytes) // fact 10
		if more := min(n-capacity, int(min(rest, room)/size)); more == n-capacity {
			r.lengthen(big, uintptr(more)*size)
			return p, n
		}
	}
	q := makeSlice(a, t.info.zero, "Grow", n, n, false)
	if length > 0 {
		t.info.copyTo(r, q, p, length)
	}
	return q, n
}

// trimIn takes back the bytes from length to capacity of the slice at p, and says whether
// that was possible. They are zero. What was there at a mark stays, since Rewind would go
// back to it.
func (t TypeAllocator) trimIn(p unsafe.Pointer, length, capacity uintptr) bool {
	a := t.arena
	if a.self != a && a.idle() || len(a.marks) > 0 {
		return false
	}
	r := a.regionOf(t.info.typ, t.info.zero)
	end, n := uintptr(p)+capacity, capacity-length // fact 10
	if r.endsLow(end) {
		r.lo -= n // what lies from there to zero still is
		poison(r.mem, r.lo, r.lo+n)
		return true
	}
	c := r.newestBig()
	if c == nil || end != uintptr(c.mem)+c.lo || a.keepsBig() {
		return false
	}
	c.lo -= n
	r.before -= n
	poison(c.mem, c.lo, c.lo+n)
	return true
}

// typedOf returns what knows the type of a slab's values, or nil outside of slabs.
func typedOf(r *region) *block.Typed {
	if r.slab == nil {
		return nil
	}
	return &r.slab.kind
}
