package memory

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tuning"
)

// A Space is all memory of one arena: the plain region, and a slab for each type with
// pointers. What is done to all of it is a method here. This file must not depend on how a
// region divides a chunk, or on whose memory it is.
//
//	Space ──┬── plain region ── chunks of bytes without pointers
//	        ├── slab of A ───── chunks that are []A
//	        └── slab of B ───── chunks that are []B
//
// A slab comes when a type is first allocated, and goes when it has long been unused. What each
// life does is done to busy slabs alone, see slab.go: a space that has once seen thousands of
// types isn't slow for ever.
//
// The positions at a mark fit the busy slabs by their index: plain is 0, busy[i] is 1+i, and
// one that woke later was empty at the mark.
//
// It must not be moved once Init was called, since regions point to it. It belongs to one
// goroutine at a time, but for Close.
type Space struct {
	// Invariant: plain is nil until Init. It and all busy slabs have the same careful,
	// windowless and metered. total is the sum of the regions'.
	plain  *Region
	config *Config
	types  *catalog // of the slabs; nil until there is one
	total  uintptr  // bytes of all blocks

	// owner is what each chunk of a self-contained space points to; nil in others.
	owner unsafe.Pointer

	// life numbers the lives of what may point to values of a self-contained space:
	// the spaces of one family whose values point to each other have one together.
	life uint32

	grown   bool // by a chunk or a list since Retain was called
	marked  bool // a Rewind may follow to where something was in use
	learned bool // somebody else decides how large first chunks are

	// lock is held where slabs come and go if another goroutine may free the space, so that
	// each allocation has to ask; else it is nil.
	lock sync.Locker

	lender Lender // of a child
	*seams        // nil in a plain space
}

// A Config is what the options of an arena say about its memory. All sizes are in bytes. It
// is read at any time, and never written: many spaces may have the same.
type Config struct {
	Chunk       uintptr // of the first chunk's block
	MaxChunk    uintptr // up to which chunks double
	MaxRetained uintptr // of blocks that are kept unused
	ChunkSet    bool    // Chunk is no default
	MaxChunkSet bool    // MaxChunk is no default
	Scrub       bool    // what is reclaimed is erased at once
}

// Init makes an empty space of plain, a zero Region. Its window stays closed if
// windowless is set. c must stay where it is. No memory is taken: the first chunk comes
// with the first allocation.
func (s *Space) Init(plain *Region, c *Config, windowless bool) {
	s.plain, s.config = plain, c
	s.life = 1
	plain.space, plain.Unit = s, ObjectAlign
	plain.windowless = windowless || asan.On || !layout.Trusted
	plain.first = c.Chunk
	plain.next = plain.first
}

// Has reports whether plain is the plain region, or for nil that there is none yet. In a copy of
// a space the answer is no, as the plain region is still the original's.
func (s *Space) Has(plain *Region) bool { return s.plain == plain }

// SetOwner makes s self-contained, and o what its chunks point to from now on. Those that
// there are already are for the caller to change.
func (s *Space) SetOwner(o unsafe.Pointer) {
	s.owner, s.plain.UpTo = o, ^uint(0)
}

// SetShared says that another goroutine may free the space, while it holds lock: see Close.
// From now on the low end has no fast path, which would not notice that.
func (s *Space) SetShared(lock sync.Locker) {
	s.lock = lock
	s.setCareful()
}

// setCareful tells all regions whether the low end may have a fast path.
func (s *Space) setCareful() {
	careful := s.lock != nil || s.limited()
	s.plain.careful = careful
	for _, b := range s.busy() {
		b.careful = careful
	}
}

// Regions yields the plain region, then those of the slabs. There is none before Init.
func (s *Space) Regions(yield func(r *Region) bool) {
	if s.plain == nil || !yield(s.plain) {
		return
	}
	for b := range s.Slabs {
		if !yield(&b.Region) {
			return
		}
	}
}

// Busy is Regions without the slabs at rest, from which nothing was allocated lately.
func (s *Space) Busy(yield func(r *Region) bool) {
	if s.plain == nil || !yield(s.plain) {
		return
	}
	for _, b := range s.busy() {
		if !yield(&b.Region) {
			return
		}
	}
}

// What each Reset, Get and Put does has a loop of its own rather than one over Regions: a
// life of ten values of 64 bytes takes 30 ns so, and 33 with that.

// Used returns the bytes allocated, with padding but without red zones. It follows from
// where the ends of chunks are, so that no allocation has to count.
func (s *Space) Used() uintptr {
	if s.plain == nil {
		return 0
	}
	n := s.plain.Used()
	for _, b := range s.busy() {
		n += b.Used()
	}
	return n
}

// Claimed returns the bytes allocated, and those in open windows, which may be allocated
// without anybody being asked. It is what a limit has to reckon with.
func (s *Space) Claimed() uintptr {
	n := s.Used() + s.plain.Left
	for _, b := range s.busy() {
		n += b.Left
	}
	return n
}

// Reserved returns the bytes of all blocks, in use or not, with what blocks need beside
// their chunks.
func (s *Space) Reserved() uintptr { return s.total }

// Mark appends the positions of the busy regions to a list, in the order of Busy.
func (s *Space) Mark(list []Position) []Position {
	room := cap(list)
	list = append(list, s.plain.Position())
	for _, b := range s.busy() {
		list = append(list, b.Position())
	}
	s.grown = s.grown || cap(list) > room
	return list
}

// SetMarked reports whether there is a mark, to which a Rewind may follow. While there is,
// what was there at the mark must stay where it is, even if nothing is in use of it.
func (s *Space) SetMarked(yes bool) { s.marked = yes }

// At reports whether the space is where it was when Mark returned these positions. A slab
// that woke since then may be empty, but counts as a difference.
func (s *Space) At(list []Position) bool {
	busy := s.busy()
	if len(list) != 1+len(busy) || !s.plain.At(&list[0]) {
		return false
	}
	for i, b := range busy {
		if !b.At(&list[1+i]) {
			return false
		}
	}
	return true
}

// Rewind sets all regions back, to their beginnings if there are no positions. Regions
// don't depend on each other, so that their order doesn't matter.
func (s *Space) Rewind(list []Position) {
	s.plain.Rewind(positionOf(list, 0))
	for i, b := range s.busy() {
		b.Rewind(positionOf(list, 1+i))
	}
}

// positionOf returns the position of region i among those at a mark. Slabs that had none
// then were empty. nil stands for the beginning of the space: it has no position for any.
func positionOf(list []Position, i int) *Position {
	if i < len(list) {
		return &list[i]
	}
	return &beginning
}

// beginning is where all regions begin.
var beginning Position

// Restart sets all regions back to their beginnings, ready for the next life. It is Rewind
// for that case, and also learns how much the life has used, and which types. There must be no
// mark to go back to: the order of the busy slabs changes.
//
// A slab that was unused in one life stays busy: if types take turns, waking them costs as much
// as allocating from the heap.
func (s *Space) Restart() {
	s.plain.restart()
	busy := s.busy()
	for i := len(busy) - 1; i >= 0; i-- { // so that what takes the place of one that leaves was looked at
		if b := busy[i]; b.restart() {
			b.unused = 0
		} else if b.unused++; b.unused == tuning.LivesToRest {
			s.types.rest(i)
		}
	}
}

// Shut closes all windows in a way that Open reclaims: the next allocation takes the slow
// path, where the caller says what is wrong. Nothing is moved, so that it costs little.
func (s *Space) Shut() {
	s.plain.shut()
	for _, b := range s.busy() {
		b.shut()
	}
}

func (r *Region) shut() { r.savedLeft, r.Left, r.careful = r.Left, 0, true }

// Open is the opposite of Shut. Nothing may have been allocated in between.
func (s *Space) Open() {
	careful := s.lock != nil || s.limited()
	s.plain.Left, s.plain.careful = s.plain.savedLeft, careful
	for _, b := range s.busy() {
		b.Left, b.careful = b.savedLeft, careful
	}
}

// SetLearned says that somebody else decides how large first chunks are: the space then
// doesn't choose them by itself.
func (s *Space) SetLearned() { s.learned = true }

// Grown reports whether a chunk or a list has come since Retain was called. If not,
// Retain has nothing to do but to release what is idle.
func (s *Space) Grown() bool { return s.grown }

// SetGrown says that one may have.
func (s *Space) SetGrown() { s.grown = true }

// Close takes the windows away for good, from a space that another goroutine may be
// using. It writes nothing but the counters of windows: whatever that goroutine does with
// an old or a new value of such a counter, it stays within the window; then the window
// ends.
func (s *Space) Close() {
	for r := range s.Regions {
		r.Left = 0
	}
}

// CloseWindows gives the windows back to the middle. Nothing counts as claimed then but
// what was allocated, and the next allocation of each region opens a window anew.
func (s *Space) CloseWindows() {
	for r := range s.Busy {
		r.closeWindow()
	}
}

// SetMetered reports whether the budget has to know of each byte, also of those that were
// reclaimed: only the top opens windows then, up to what is due.
func (s *Space) SetMetered(yes bool) {
	for r := range s.Busy {
		r.closeWindow()
		r.metered, r.dueSet = yes && !r.windowless, false
	}
}

// Drop releases all chunks, which is for whoever has them by then to keep. The regions
// stay where they are, empty: others may have pointers to them, such as a Typed, and find
// that there is nothing to allocate from. The account isn't told: the caller tells it.
func (s *Space) Drop() {
	s.plain.drop()
	if s.types != nil {
		for _, b := range s.types.all {
			b.drop()
		}
		clear(s.types.recent[:])
	}
	s.owner, s.total = nil, 0
}

func (r *Region) drop() {
	*r = Region{space: r.space, slab: r.slab, Unit: r.Unit, UpTo: r.UpTo, careful: true}
}

// Life returns the number of the life of what may point to the space's values. It grows from
// Reset to Reset; what was reclaimed in an earlier life is stale no more.
func (s *Space) Life() uint32 { return s.life }

// SetLife begins a life: what was stale under another number isn't any more.
func (s *Space) SetLife(n uint32) { s.life = n }

// stale reports whether something in an unused chunk was reclaimed in this life of a
// self-contained space: values may have pointers there, which the program may still load or
// overwrite, and which the GC may then follow. Such a chunk must stay allocated; it may be
// used again by the same family.
func (s *Space) stale(c *Chunk) bool { return s.owner != nil && c.life == s.life }

// markStale notes that values may point to what was in a chunk. It costs one store, and
// nothing in spaces that the GC scans.
func (s *Space) markStale(c *Chunk) {
	if s.owner != nil {
		c.life = s.life
	}
}
