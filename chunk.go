package arena

import (
	"slices"
	"sort"
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
	clean  bool // that part is zero; not known of a chunk that is or was current
	idle   bool // unused since the last trim that looked for such chunks

	site *site // where the only value in it was allocated, with CheckObjects
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
// came into use, then those that are kept for later.
type list struct {
	chunks []chunk
	used   int // chunks[:used] are in use
}

// lendFactor is how many times larger than asked for a chunk may be that a
// parent lends to a child.
const lendFactor = 4

// push puts a chunk in use.
func (l *list) push(c chunk) *chunk {
	l.chunks = append(l.chunks, c)
	return l.use(len(l.chunks) - 1)
}

// use puts the unused chunk i in use.
func (l *list) use(i int) *chunk {
	l.bringForward(i)
	l.used++
	c := &l.chunks[l.used-1]
	c.idle = false
	return c
}

// needed returns the bytes of the chunks that were in use since the last trim
// that looked for others.
func (l *list) needed() (n uintptr) {
	for _, c := range l.chunks {
		if !c.idle {
			n += c.total
		}
	}
	return n
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

// findLargest is find for what will grow, and returns the largest. It looks at one
// chunk for each KiB at least, which takes a small part of the time to copy that.
func (l *list) findLargest(least, most uintptr) int {
	unused := l.chunks[l.used:]
	unused = unused[:min(uintptr(len(unused)), searchMax+least>>10)]
	largest := -1
	for i := range unused {
		if size := unused[i].size; least <= size && size <= most {
			largest, least = l.used+i, size+1
		}
	}
	return largest
}

// findBest returns the index of an unused chunk to lend, or -1: the smallest of
// want bytes and more but not much more, or else the largest of at least
// least.
//
// The unused chunks of a parent that uses none itself, as that of a Shared, are
// in order, the largest first. In another parent's list a search may miss one.
func (l *list) findBest(least, want uintptr) int {
	unused := l.chunks[l.used:]
	fit := sort.Search(len(unused), func(i int) bool { return unused[i].size < least }) - 1
	i := min(fit, sort.Search(len(unused), func(i int) bool { return unused[i].total < want })-1)
	if i < 0 || unused[i].total > lendFactor*want {
		i++
	}
	if i > fit || unused[i].total > lendFactor*want {
		return -1
	}
	return l.used + i
}

// take takes the unused chunk i out of the list, for a child.
func (l *list) take(i int) chunk {
	c := l.chunks[i]
	l.chunks = slices.Delete(l.chunks, i, i+1)
	return c
}

// takeBack adds an unused chunk that a child had, its own or one that was lent.
func (l *list) takeBack(c chunk) {
	unused := l.chunks[l.used:]
	i := sort.Search(len(unused), func(i int) bool { return unused[i].total < c.total })
	l.chunks = slices.Insert(l.chunks, l.used+i, c)
}
