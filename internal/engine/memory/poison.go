package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// This file holds what differs in builds with the address sanitizer, apart from the calls
// of asan.Allow where memory is allocated. In other builds it compiles to nothing. It
// depends only on the size and alignment of an allocation.
//
//	│ slice │ red zone │ slice │   middle   │ red zone │ object │ red zone │ object │

// redZone returns how many bytes stay unused below an allocation at the low end lo of a
// chunk. They are below it so that a slice can grow upwards. The lowest allocation of a
// chunk needs none, since the block has a red zone in front.
func redZone(lo, unit, align uintptr) uintptr {
	if !asan.On || lo == 0 {
		return 0
	}
	return max(asan.RedZone, unit, align) // a multiple of unit and align
}

// redZoneBelow returns how many bytes stay unused below an object, for which there is
// room. The lowest object needs them too, as it may not stay the lowest.
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
