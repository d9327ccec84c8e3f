package memory

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// A Chunk is one block of Go heap memory with its state while it isn't current: the region has the state of the current
// chunk. This file must not depend on the contents of chunks, or on how the current one is divided.
//
// A chunk belongs to one list at a time. It is copied when it moves, and so a pointer to it
// is good only until the list changes.
type Chunk struct {
	Mem   unsafe.Pointer // the memory on offer, aligned to 8 bytes
	Size  uintptr        // its bytes
	Total uintptr        // bytes of the whole block, for accounting

	// The part that isn't allocated: all of it for an unused chunk. Below lo are slices,
	// above hi objects. A big chunk is used up to lo. Invariant: lo <= hi <= Size.
	lo, hi uintptr
	Paged  bool // the memory is whole pages, see block.PlainPages
	clean  bool // that part is zero; not known of a chunk that is or was current
	idle   bool // unused since the last trim for idle chunks

	life uint32 // of a self-contained space, the last in which something in it was reclaimed; see stale

	Label unsafe.Pointer // the quarantine's note on the only allocation in it
}

// holds reports whether the n bytes at p lie within the allocated parts: all of them below lo, or all above hi. If p is
// below the chunk off is huge, so one comparison covers both.
func (c *Chunk) holds(p unsafe.Pointer, n uintptr) bool {
	off := uintptr(p) - uintptr(c.Mem) // huge if p lies below
	if off < c.lo {
		return n <= c.lo-off
	}
	return c.hi <= off && off <= c.Size && n <= c.Size-off
}

// Middle returns the ends of the part of a chunk that isn't allocated. The chunk must not be current.
func (c *Chunk) Middle() (lo, hi uintptr) { return c.lo, c.hi }

// A list is the chunks of a region: the chunks in use, in the order in which they came into use, then the unused ones.
// Chunks that pass between a parent and its children are on the shelf.
//
//	chunks   │ used │ used │ used │ unused │ unused │      shelf: unused, by size
//	                         ▲       ▲ find begins here
//	                         the current one is the last in use
//
// The order of those in use is the order in which a Rewind reclaims them. That of the
// unused is the order in which find looks at them, so that after a Reset they come into
// use in the same order as in the life before.
type list struct {
	chunks []Chunk
	used   int    // chunks[:used] are in use
	shelf  *shelf // nil if it was never needed
}

// push puts a chunk in use that belonged to no list. The pointer is good until the next push.
func (l *list) push(c Chunk) *Chunk {
	if len(l.chunks) == 1 && cap(l.chunks) == 1 {
		l.chunks = slices.Grow(l.chunks, 3) // a second one is rarely the last
	}
	l.chunks = append(l.chunks, c)
	return l.use(len(l.chunks) - 1)
}

// use puts the unused chunk i in use, as the newest. It is no longer idle: a life has needed it.
func (l *list) use(i int) *Chunk {
	l.bringForward(i)
	l.used++
	c := l.at(l.used - 1)
	c.idle = false
	return c
}

// needed returns the bytes of the chunks that were in use since the last trim for idle chunks: a measure of the work's
// needs.
func (l *list) needed() (n uintptr) {
	for _, c := range l.chunks[:l.used] {
		n += c.Total
	}
	for c := range l.unused {
		if !c.idle {
			n += c.Total
		}
	}
	return n
}

// bringForward makes the unused chunk i the first one that find looks at. The one that
// was there takes its place.
func (l *list) bringForward(i int) {
	if first, c := l.at(l.used), l.at(i); first != c {
		*first, *c = *c, *first
	}
}

// at returns the chunk i. It exists as long as only one goroutine at a time uses the arena. The
// check is that of a slice index, but panics with a message that names the likely cause.
func (l *list) at(i int) *Chunk {
	if uint(i) >= uint(len(l.chunks)) {
		panicConcurrent()
	}
	return &l.chunks[i]
}

// panicConcurrent is called when a list has changed in the midst of an operation.
func panicConcurrent() {
	panic("arena: two goroutines use an arena at the same time, or one that has put it back still uses it: " +
		"the list of its chunks has changed in the middle of an operation; each goroutine needs one of its own")
}

// inUse returns the chunks in use, in a slice that holds no others. The rest of the array
// is cleared, so that it doesn't keep blocks alive that were given away.
func (l *list) inUse() []Chunk {
	clear(l.chunks[l.used:])
	return l.chunks[:l.used]
}

// find returns the index of an unused chunk of least to most bytes, or -1. It looks at a few only, to bound its cost.
// Arenas that do the same work after each Reset find a chunk at the first look. From the shelf it prefers a chunk of
// want bytes. The chunk stays unused until use is called.
func (l *list) find(least, want, most uintptr) int {
	for i := l.used; i < len(l.chunks) && i < l.used+tuning.SearchMax; i++ {
		if size := l.chunks[i].Size; least <= size && size <= most {
			return i
		}
	}
	return l.fetch(least, want, most)
}

// findLargest is find for an allocation that will grow, and returns the largest chunk. It looks at
// one chunk for each KiB of least, which takes a small part of the time to copy that much. For
// example for 100 KiB and more it looks at 108 chunks, and for 100 bytes at 8.
func (l *list) findLargest(least, most uintptr) int {
	unused := l.chunks[l.used:]
	unused = unused[:min(uintptr(len(unused)), tuning.SearchMax+least>>10)]
	largest := -1
	for i := range unused {
		if size := unused[i].Size; least <= size && size <= most {
			largest, least = l.used+i, size+1
		}
	}
	if largest < 0 {
		return l.fetch(least, most, most)
	}
	return largest
}

// lend takes an unused chunk that fits out of the list, for a child. It is the smallest
// of want bytes or not much more, or else the largest of at least least bytes, to within
// the size of a bin. The first call puts all unused chunks on the shelf, where further
// ones find theirs in constant time.
func (l *list) lend(least, want uintptr, fits func(c *Chunk) bool) (Chunk, bool) {
	for _, c := range l.chunks[l.used:] {
		l.shelve(c)
	}
	l.chunks = l.inUse()
	return l.shelf.pick(least, want, tuning.LendFactor*want, fits)
}

// shelve puts an unused chunk on the shelf, which is made when it is first needed: most
// regions never have one.
func (l *list) shelve(c Chunk) {
	if l.shelf == nil {
		l.shelf = new(shelf)
	}
	l.shelf.put(c)
}

// all yields the chunks, those in use first. They may be changed, but none may come or go.
func (l *list) all(yield func(c *Chunk) bool) {
	for i := range l.chunks[:l.used] {
		if !yield(&l.chunks[i]) {
			return
		}
	}
	l.unused(yield)
}

// unused yields the unused chunks: those of the list, then those on the shelf. They may be
// changed, but none may come or go meanwhile.
func (l *list) unused(yield func(c *Chunk) bool) {
	for i := l.used; i < len(l.chunks); i++ {
		if !yield(&l.chunks[i]) {
			return
		}
	}
	l.shelf.all(yield)
}

// filter removes the unused chunks for which keep returns false.
func (l *list) filter(keep func(c *Chunk) bool) {
	if l.used > len(l.chunks) {
		panicConcurrent()
	}
	l.chunks = l.chunks[:l.used+len(filter(l.chunks[l.used:], keep))]
	l.shelf.filter(keep)
}

// filter removes the chunks for which keep returns false. The others stay in the same array.
func filter(chunks []Chunk, keep func(c *Chunk) bool) []Chunk {
	kept := chunks[:0]
	for i := range chunks {
		if keep(&chunks[i]) {
			kept = append(kept, chunks[i])
		}
	}
	clear(chunks[len(kept):])
	return kept
}

// len returns how many chunks there are, in use or not, those on the shelf included.
func (l *list) len() int { return len(l.chunks) + l.shelf.len() }

// fetch moves a chunk from the shelf, if there is one that fits, to the end of the list, and
// returns its index or else -1. Counts don't change: the region has the chunk before and after.
func (l *list) fetch(least, want, most uintptr) int {
	c, ok := l.shelf.pick(least, want, most, nil)
	if !ok {
		return -1
	}
	l.chunks = append(l.chunks, c)
	return len(l.chunks) - 1
}
