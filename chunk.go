package arena

import (
	"unsafe"
)

// A chunk is one block of Go heap memory, and what its region needs to know
// of it while it isn't the current one.
type chunk struct {
	mem   unsafe.Pointer // the memory on offer, aligned to 8 bytes
	size  uintptr        // its bytes
	total uintptr        // bytes of the whole block, for accounting

	// The part that nobody got: all of it for an unused chunk. Below lo are
	// slices, above hi objects. A big chunk is used up to lo.
	lo, hi uintptr
	clean  bool // all of it is zero
}

// holds says whether the n bytes at p lie within what was handed out.
func (c *chunk) holds(p unsafe.Pointer, n uintptr) bool {
	off := uintptr(p) - uintptr(c.mem) // huge if p lies below
	if off < c.lo {
		return n <= c.lo-off
	}
	return c.hi <= off && off <= c.size && n <= c.size-off
}

// A list is the chunks of a region: those in use, in the order in which they
// came into use, then those that are kept for later, in no order.
type list struct {
	chunks []chunk
	used   int // chunks[:used] are in use
	peak   int // the largest used since the last trim
}

// push puts a chunk in use.
func (l *list) push(c chunk) *chunk {
	l.chunks = append(l.chunks, c)
	return l.use(len(l.chunks) - 1)
}

// use puts the unused chunk i in use.
func (l *list) use(i int) *chunk {
	l.bringForward(i)
	l.used++
	l.peak = max(l.peak, l.used)
	return &l.chunks[l.used-1]
}

// bringForward makes the unused chunk i the first one that find looks at.
func (l *list) bringForward(i int) {
	l.chunks[l.used], l.chunks[i] = l.chunks[i], l.chunks[l.used]
}

// inUse returns the chunks in use, in a list that holds no others.
func (l *list) inUse() []chunk {
	clear(l.chunks[l.used:])
	return l.chunks[:l.used]
}

// find returns the index of an unused chunk of min to max bytes, or -1. It
// looks at a few only, so that its cost is bounded; arenas that do the same
// work after each Reset find what they need at the first look.
func (l *list) find(min, max uintptr) int {
	for i := l.used; i < len(l.chunks) && i < l.used+searchMax; i++ {
		if size := l.chunks[i].size; min <= size && size <= max {
			return i
		}
	}
	return -1
}

// remove takes the unused chunk i out of the list.
func (l *list) remove(i int) chunk {
	c := l.chunks[i]
	last := len(l.chunks) - 1
	l.chunks[i] = l.chunks[last]
	l.chunks[last] = chunk{}
	l.chunks = l.chunks[:last]
	return c
}
