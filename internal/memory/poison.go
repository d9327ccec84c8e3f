package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
)

// This file holds what differs in builds with the address sanitizer, beside the
// calls of asan.Allow where memory is handed out. In others, all of it compiles
// to nothing.

// redZone returns how many bytes nobody gets below an allocation, which leaves what
// lies above a slice for it to grow. The lowest allocation of a chunk needs no
// room for it, since the block has a red zone in front.
func (r *Region) redZone(align uintptr) uintptr {
	if !asan.On || r.lo == 0 {
		return 0
	}
	return max(asan.RedZone, r.Unit, align) // a multiple of unit and align
}

// redZoneBelow returns how many bytes nobody gets below an object at off, for which
// there is room. Objects that are the lowest now may not stay so.
func (r *Region) redZoneBelow(off, size uintptr) uintptr {
	if !asan.On || size == 0 {
		return 0
	}
	return min(max(asan.RedZone, r.Unit), off-r.lo)
}

// Poison makes touching a part of a chunk a bug.
func Poison(mem unsafe.Pointer, from, to uintptr) {
	if asan.On && from < to {
		asan.Poison(unsafe.Add(mem, from), to-from) // fact 1
	}
}
