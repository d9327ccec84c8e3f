package collections

import (
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/tuning"
)

// entries is the memory of a Map's entries, which have numbers from 0 on.
//
// They are in segments of segLen entries, so that a growing map doesn't move them; only the first
// segment starts smaller. Numbers of deleted entries are reused first. Their memory is zero, so
// that it keeps nothing alive.
type entries[K comparable, V any] struct {
	segs []*entry[K, V]  // the first entry of each segment
	one  [1]*entry[K, V] // memory for segs while it has length one; many maps stay small
	used int             // numbers used so far, including those of deleted entries
	cap  int             // numbers with memory

	// The deleted entries of the first segment and of the others; segments with holes form a list
	// that begins at withHoles. Memory for this comes with the segments, as Delete must not
	// allocate.
	firstHoles holes
	moreHoles  []holes
	withHoles  int32 // number of a segment plus 1, or 0
}

type entry[K comparable, V any] struct {
	value V // first, since a struct is padded if its last field has no size, as in a Set
	key   K
}

// holes marks the deleted entries of a segment.
type holes struct {
	bits  [segLen / 64]uint64
	count int32
	next  int32 // as withHoles
}

const (
	segShift = 9
	segLen   = 1 << segShift
	// maxEntries is the capacity of an index of 2^32 homes; on 32-bit machines it is lower, but
	// fits no memory either.
	maxEntries = 1 << (27 + 4*(^uint(0)>>63))
)

// at returns the entry with a number in use.
func (s *entries[K, V]) at(i uint32) *entry[K, V] {
	offset := uintptr(i%segLen) * unsafe.Sizeof(entry[K, V]{})
	return (*entry[K, V])(unsafe.Add(unsafe.Pointer(s.segs[i>>segShift]), offset)) // fact 11
}

// reserve ensures that next has a number to return.
func (s *entries[K, V]) reserve(a *arena.Arena) {
	if s.used == s.cap && s.withHoles == 0 {
		s.more(a, s.cap+1)
	}
}

// next returns a free number. There must be one.
func (s *entries[K, V]) next() uint32 {
	if s.withHoles != 0 {
		return s.fillHole()
	}
	i := uint32(s.used)
	s.used++
	return i
}

// more makes memory for more entries: for n if that is in the first segment.
//
//go:noinline
func (s *entries[K, V]) more(a *arena.Arena, n int) {
	checked := inspect.Arenas.Checks(a)
	switch {
	case s.cap >= maxEntries:
		panicRange("Map: the number of entries", n, maxEntries)
	case s.cap == 0:
		if !checked {
			n = max(n, tuning.FirstSegment)
		}
		n = min(n, segLen)
		s.one[0] = unsafe.SliceData(arena.MakeSliceUninit[entry[K, V]](a, n, n))
		s.segs, s.cap = s.one[:], n
	case s.cap < segLen:
		if !checked || s.cap >= tuning.CheckedEntries {
			n = max(n, 2*s.cap)
		}
		n = min(n, segLen)
		old := s.segs[0]
		// Keep the whole capacity: with a hint it need not be a power of 2.
		first := arena.Grow(a, unsafe.Slice(old, s.cap), n-s.cap)
		s.segs[0], s.cap = unsafe.SliceData(first), n
		if checked && s.segs[0] != old {
			inspect.Arenas.Moved(a, unsafe.Pointer(old)) // pointers of Ref lead there
		}
	default:
		seg := unsafe.SliceData(arena.MakeSliceUninit[entry[K, V]](a, segLen, segLen))
		more := arena.Append(a, s.moreHoles, holes{})
		s.segs = arena.Append(a, s.segs, seg) // in new memory: append can't extend one
		s.moreHoles = more
		s.cap += segLen
	}
}

// holes returns the holes of a segment.
func (s *entries[K, V]) holes(seg int32) *holes {
	if seg == 0 {
		return &s.firstHoles
	}
	return &s.moreHoles[seg-1]
}

// remove deletes an entry.
func (s *entries[K, V]) remove(i uint32) {
	*s.at(i) = entry[K, V]{}
	seg := int32(i >> segShift)
	h := s.holes(seg)
	h.bits[i%segLen/64] |= 1 << (i % 64)
	if h.count == 0 {
		h.next, s.withHoles = s.withHoles, seg+1
	}
	h.count++
}

// fillHole returns the number of a deleted entry for reuse.
func (s *entries[K, V]) fillHole() uint32 {
	seg := s.withHoles - 1
	h := s.holes(seg)
	for w := range h.bits {
		if b := h.bits[w]; b != 0 {
			h.bits[w] = b & (b - 1)
			h.count--
			if h.count == 0 {
				s.withHoles = h.next
			}
			return uint32(seg)<<segShift + uint32(w*64+bits.TrailingZeros64(b))
		}
	}
	panic("arena: Map: a segment has holes and has none")
}

// live reports whether a number returned by next is that of an entry.
func (s *entries[K, V]) live(i int) bool {
	return s.withHoles == 0 || s.holes(int32(i >> segShift)).bits[i%segLen/64]&(1<<(i%64)) == 0
}

// clear deletes all entries and keeps the memory.
func (s *entries[K, V]) clear() {
	for i := 0; i < s.used; i += segLen {
		clear(unsafe.Slice(s.segs[i>>segShift], min(segLen, s.used-i)))
		*s.holes(int32(i >> segShift)) = holes{}
	}
	s.used, s.withHoles = 0, 0
}
