package fill

import (
	"sync"
	"unsafe"
)

// A dead pointer becomes an address in memory that is reserved but can't be touched.
// Following it faults, and the address of the fault tells where the pointer was:
//
//	0xdead_aa_tt_ooo
//	       │  │  └─ offset of the pointer
//	       │  └─ how many times the arena had reclaimed memory, modulo 256
//	       └─ the arena's number, modulo 256
//
// If the region isn't available at that address it lies elsewhere. On 32-bit machines it
// is smaller, with 4 bits each for the arena and the times. Where there is no such
// memory, dead pointers are nil.
type region struct {
	base          unsafe.Pointer
	arenas, times uint // as many as an address can tell apart
}

// slot is the size of a place in the region, the largest offset that an address can encode.
const slot = 1 << 12

// TrapSize is how many addresses, from the one that Trap returns on, stand for the same operation.
const TrapSize = slot

// reserved is made when the first pointer dies.
var reserved = sync.OnceValue(func() region {
	r := region{arenas: 1 << 8, times: 1 << 8}
	if word == 4 {
		r = region{arenas: 1 << 4, times: 1 << 4}
	}
	r.base = reserve(r.size())
	return r
})

func (r *region) size() uintptr { return uintptr(r.arenas * r.times * slot) }

// Trap returns the address for pointers of an arena that die when it reclaims memory,
// given how often it has done so.
func Trap(arena, times uint) unsafe.Pointer {
	r := reserved()
	if r.base == nil {
		return nil
	}
	place := arena%r.arenas*r.times + times%r.times
	return unsafe.Add(r.base, place*slot) // not in the Go heap, and never anything else
}

// Explain decodes an address, if a dead pointer had it: the arena's number and how often the arena had reclaimed
// memory, as far as the address encodes them.
func Explain(addr uintptr) (arena, times uint, ok bool) {
	r := reserved()
	off := addr - uintptr(r.base)
	if r.base == nil || off >= r.size() {
		return 0, 0, false
	}
	place := uint(off / slot)
	return place / r.times, place % r.times, true
}
