package collections

import (
	"math/bits"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the index of a Map, which finds the number of an entry by the hash of
// its key. A small Map has none, see tags.go.
//
// The index is an array of slots. A slot is a hash, of 32 bits, and below it the number of an
// entry. The slots are sorted, the largest first. The home of a hash, the place of its slot if it
// were the only one, is given by its upper bits: the larger the hash, the further to the front. A
// slot whose home is taken moves on:
//
//	home of     f.  e. d. c.  b. a.  9.  ...
//	slots      [f4][0][d9][d3][d1][a7][0]...
//
// So
//   - a search ends at the first smaller slot, and an empty one, 0, is smaller than all:
//     a miss takes no longer than a hit;
//   - removing a slot leaves no tombstone: the slots after it move back, up to the next one
//     that is empty or at home;
//   - a larger index is filled with the slots in their order, and no key is hashed again.
//
// It is Robin Hood hashing with linear probing (Celis, 1986), in a form that needs no distances.
// The slots don't wrap around. Instead there are some more after the last home. The very last stays
// empty, so that all searches end; if they are used up, the index grows.
type index struct {
	slots []uint64
	shift uint8 // the home of a hash is ^hash >> shift
	room  int   // entries that fit until the index grows
}

// homesFor returns the number of homes for n entries.
func homesFor(n int) int { return max(tuning.MinHomes, 1<<bits.Len(uint(n+(n-1)/3))) }

// newIndex returns an empty index in an arena.
func newIndex(a *arena.Arena, homes int) index {
	n := homes + tuning.Overhang
	slots := arena.MakeSlice[uint64](a, n, n)
	return index{slots: slots, shift: uint8(33 - bits.Len(uint(homes))), room: roomFor(homes)}
}

// roomFor returns the number of entries that fit into an index.
func roomFor(homes int) int { return homes - homes/4 }

// none reports whether there is no index.
func (x *index) none() bool { return len(x.slots) == 0 }

// homes returns the number of homes.
func (x *index) homes() int {
	if len(x.slots) == 0 {
		return 0
	}
	return 1 << (32 - x.shift)
}

// home returns the start of the search for a hash.
func (x *index) home(h uint32) int { return int(^h >> (x.shift & 31)) }

// full reports whether insert needs a larger index.
func (x *index) full() bool { return x.room <= 0 || x.slots[len(x.slots)-2] != 0 }

// insert puts a slot into its place, at i or after it, and moves the slots there back. The index
// must not be full.
func (x *index) insert(i int, v uint64) {
	s := x.slots
	for s[i] > v {
		i++
	}
	for v != 0 {
		s[i], v = v, s[i]
		i++
	}
	x.room--
}

// clear removes all slots.
func (x *index) clear() {
	clear(x.slots)
	x.room = roomFor(x.homes())
}

// empty empties the slot of an entry, and reports whether it has found it. It moves no other slot,
// so searches miss some until all slots are empty.
func (x *index) empty(h, number uint32) bool {
	i := x.home(h)
	for end := min(i+2*tuning.Overhang, len(x.slots)); i < end; i++ {
		if s := x.slots[i]; s != 0 && uint32(s) == number {
			x.slots[i] = 0
			return true
		}
	}
	return false
}

// remove removes the slot at i.
func (x *index) remove(i int) {
	s := x.slots
	for s[i+1] != 0 && x.home(uint32(s[i+1]>>32)) <= i {
		s[i] = s[i+1]
		i++
	}
	s[i] = 0
	x.room++
}

// grown returns a larger index with the same slots.
func (x *index) grown(a *arena.Arena) index {
	homes := x.homes()
	for {
		homes *= 2
		y := newIndex(a, homes)
		if y.fill(x.slots) {
			return y
		}
	}
}

// fill puts sorted slots into x, which is empty. It returns false if there isn't enough room.
func (x *index) fill(slots []uint64) bool {
	next := 0
	for _, v := range slots {
		if v == 0 {
			continue
		}
		next = max(next, x.home(uint32(v>>32)))
		if next >= len(x.slots)-1 {
			return false
		}
		x.slots[next] = v
		next++
		x.room--
	}
	return true
}
