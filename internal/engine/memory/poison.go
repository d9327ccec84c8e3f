package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// This file holds what differs in builds with the address sanitizer, beside the calls of
// asan.Allow where memory is allocated. In others, all of it compiles to nothing. It must
// not depend on what an allocation is for, but its size and alignment.
//
//	│ slice │ red zone │ slice │   middle   │ red zone │ object │ red zone │ object │

// redZone returns how many bytes nobody gets below an allocation in a chunk of which the
// low end is at lo, which leaves what lies above a slice for it to grow. The lowest
// allocation of a chunk needs no room for it, since the block has a red zone in front.
func redZone(lo, unit, align uintptr) uintptr {
	if !asan.On || lo == 0 {
		return 0
	}
	return max(asan.RedZone, unit, align) // a multiple of unit and align
}

// redZoneBelow returns how many bytes nobody gets below an object, for which there is
// room. Objects that are the lowest now may not stay so.
func redZoneBelow(room, unit, size uintptr) uintptr {
	if !asan.On || size == 0 {
		return 0
	}
	return min(max(asan.RedZone, unit), room)
}

// Poison makes touching a part of a chunk a bug, from offset from up to to. It is what
// reclaiming does; asan.Allow, which allocating does, is the opposite.
func Poison(mem unsafe.Pointer, from, to uintptr) {
	if asan.On && from < to {
		asan.Poison(unsafe.Add(mem, from), to-from) // fact 1
	}
}
