package memory

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tuning"
)

// A Space is all memory of one arena: the plain region, and a slab for each type with
// pointers. Operations on all of it are methods here. This file must not depend on how a
// region divides a chunk, or on whose memory it is.
//
//	Space ──┬── plain region ── chunks of bytes without pointers
//	        ├── slab of A ───── chunks that are []A
//	        └── slab of B ───── chunks that are []B
//
// A slab is made when a type is first allocated, and dropped when it has long been unused. Each
// life works only on busy slabs, see slab.go: a space that has once seen thousands of types
// doesn't stay slow.
//
// The positions at a mark are in the order of the busy slabs: plain is 0 and busy[i] is 1+i.
// Slabs that were empty at the mark, or woke later, have none. While the mark may be rewound to,
// the busy slabs that have one stay where they are; the others may change places.
//
// It must not be moved once Init was called, since regions point to it. It belongs to one
// goroutine at a time, except for Close.
type Space struct {
	// Invariant: plain is nil until Init. It and all busy slabs agree on careful,
	// windowless and metered. total is the sum of the regions' totals.
	plain  *Region
	config *Config
	types  *Catalog // of the slabs; nil until there is one
	total  uintptr  // bytes of all blocks

	// owner is the object to which each chunk of a self-contained space points. It is nil in other spaces.
	owner unsafe.Pointer

	// life numbers the lives of values that may point into a self-contained space. Spaces of one family whose values
	// point to each other share one.
	life uint32

	grown   bool // by a chunk or a list since Retain was called
	marked  bool // a Rewind may follow to where something was in use
	learned bool // the caller decides how large first chunks are
	ordered bool // that includes the very first one, which is never smaller

	// lock is held where slabs come and go, if another goroutine may free the space, so
	// that each allocation has to check. Otherwise it is nil.
	lock sync.Locker

	epoch  *epoch // of a lasting space
	lender Lender // of a child, or of an arena from a pool
	*seams        // nil in a plain space
}

// A Config holds an arena's options about memory. All sizes are in bytes. It is never written, since many spaces may
// share it.
type Config struct {
	Chunk       uintptr // of the first chunk's block
	MaxChunk    uintptr // up to which chunks double
	MaxRetained uintptr // of blocks that are kept unused
	ChunkSet    bool    // Chunk is no default
	MaxChunkSet bool    // MaxChunk is no default
	Scrub       bool    // reclaimed memory is erased at once
}

// Init makes an empty space of plain, a zero Region, and w, its window, which stays closed if windowless is set.
// c must stay where it is. No memory is taken: the first chunk comes with the first allocation.
func (s *Space) Init(plain *Region, w *Window, c *Config, windowless bool) {
	s.plain, s.config = plain, c
	s.life = 1
	plain.space, plain.Unit = s, ObjectAlign
	plain.setWindowOf(w)
	plain.windowless = windowless || asan.On || !layout.Trusted
	plain.begin(c.Chunk)
}

// Has reports whether plain is the plain region, or with nil, whether there is none yet. In a
// copy of a space the answer is no, as the plain region is still the original's.
func (s *Space) Has(plain *Region) bool { return s.plain == plain }

// SetOwner makes s self-contained, and makes new chunks point to o. The caller changes those that exist.
func (s *Space) SetOwner(o unsafe.Pointer) {
	s.owner, s.plain.w.UpTo = o, ^uint(0)
}

// SetShared declares that another goroutine may free the space while it holds lock, see
// Close. From now on the low end has no fast path, as that would not notice.
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

// The operations of each Reset, Get and Put have loops of their own, not over Regions: a life of ten values of 64 bytes
// then takes 30 ns instead of 33.

// Used returns the bytes allocated, with padding but without red zones. It is computed
// from the ends of chunks, so that no allocation has to count.
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

// Reserved returns the bytes of all blocks, in use or not, overhead included.
func (s *Space) Reserved() uintptr { return s.total }

// Mark appends the positions of the regions in use to a list. last has the positions at the newest
// mark, if there is one.
func (s *Space) Mark(list, last []Position) []Position {
	room := cap(list)
	list = append(list, s.plain.Position())
	busy := s.busy()
	n := len(busy)
	for i := max(0, len(last)-1); i < n; { // empty slabs move behind the others
		if busy[i].span() > 0 {
			i++
			continue
		}
		n--
		busy[i], busy[n] = busy[n], busy[i]
	}
	for _, b := range busy[:n] {
		list = append(list, b.Position())
	}
	s.grown = s.grown || cap(list) > room
	return list
}

// SetMarked notes whether there is a mark that a Rewind may go back to. While there is,
// chunks that were there at the mark must stay, even if nothing in them is in use.
func (s *Space) SetMarked(yes bool) { s.marked = yes }

// At reports whether the space is where it was when Mark returned these positions. Empty slabs
// make no difference.
func (s *Space) At(list []Position) bool {
	if !s.plain.At(&list[0]) {
		return false
	}
	for i, b := range s.busy() {
		if 1+i < len(list) && !b.At(&list[1+i]) || 1+i >= len(list) && b.span() > 0 {
			return false
		}
	}
	return true
}

// Rewind sets all regions back, to their beginnings if there are no positions. Regions
// don't depend on each other, so their order doesn't matter. Slabs that no value has come
// from since several Rewinds are put to rest: attempts may see any number of types.
func (s *Space) Rewind(list []Position) {
	s.plain.Rewind(positionOf(list, 0))
	busy := s.busy()
	for i := len(busy) - 1; i >= 0; i-- {
		b := busy[i]
		used := b.span() > 0
		b.Rewind(positionOf(list, 1+i))
		if 1+i >= len(list) {
			s.types.restIfUnused(i, used, tuning.TrimPeriod)
		}
	}
}

// positionOf returns the position of region i among those at a mark. Slabs that had none
// then were empty. nil stands for the beginning of the space, and has no positions.
func positionOf(list []Position, i int) *Position {
	if i < len(list) {
		return &list[i]
	}
	return &beginning
}

// beginning is where all regions begin.
var beginning Position

// Restart sets all regions back to their beginnings, ready for the next life. It is Rewind for that case, and also
// learns the life's use and types. There must be no mark to go back to: the order of the busy slabs changes.
//
// A slab that was unused in one life stays busy: if types take turns, waking their slabs costs
// as much as allocating from the heap.
func (s *Space) Restart() {
	if s.Lasting() {
		s.Leave()
		return
	}
	s.plain.restart()
	busy := s.busy()
	for i := len(busy) - 1; i >= 0; i-- { // backwards, so that the slab that replaces a resting one was looked at
		s.types.restIfUnused(i, busy[i].restart(), tuning.LivesToRest)
	}
}

// Catalog returns the catalog of the slabs, nil until there is a slab. It stays the same from then on.
func (s *Space) Catalog() *Catalog { return s.types }

// Shut closes all windows until Open: the next allocation takes the slow path, where the caller reports the error.
// Nothing is moved, so it costs little.
func (s *Space) Shut() {
	s.plain.shut()
	for _, b := range s.busy() {
		b.shut()
	}
}

func (r *Region) shut() { r.savedLeft, r.w.Left, r.careful = r.w.Left, 0, true }

// Open undoes Shut. Nothing may have been allocated in between.
func (s *Space) Open() {
	careful := s.lock != nil || s.limited()
	s.plain.w.Left, s.plain.careful = s.plain.savedLeft, careful
	for _, b := range s.busy() {
		b.w.Left, b.careful = b.savedLeft, careful
	}
}

// SetLearned declares that the caller decides how large first chunks are. The space then doesn't choose by itself. If
// first is set that includes the very first chunk, which is otherwise a smaller one.
func (s *Space) SetLearned(first bool) { s.learned, s.ordered = true, first }

// Grown reports whether a chunk or a list was added since Retain was called. If not, Retain only has to release idle
// chunks.
func (s *Space) Grown() bool { return s.grown }

// SetGrown declares that one may have been.
func (s *Space) SetGrown() { s.grown = true }

// Close closes the windows for good in a space that another goroutine may be using. It
// writes only the counters of windows. Whether that goroutine sees the old or the new
// value of a counter, it stays within the window, and then the window ends.
func (s *Space) Close() {
	for r := range s.Regions {
		r.w.Left = 0
	}
}

// CloseWindows gives the windows back to the middle. Then only allocated bytes count as claimed, and the next
// allocation of each region opens a new window.
func (s *Space) CloseWindows() {
	for r := range s.Busy {
		r.closeWindow()
	}
}

// SetMetered notes whether the budget has to know of each byte, also of reclaimed ones. Then only the top opens
// windows, up to Due.
func (s *Space) SetMetered(yes bool) {
	for r := range s.Busy {
		r.closeWindow()
		r.metered, r.dueSet = yes && !r.windowless, false
	}
}

// Drop releases all chunks. The owner of values that live on must hold them by then. The regions stay where they are,
// empty: a Typed, say, may have a pointer to one, and finds no memory there. The caller tells the account.
func (s *Space) Drop() {
	s.plain.drop()
	if s.types != nil {
		for _, b := range s.types.all {
			b.drop()
		}
		clear(s.types.recent)
	}
	s.owner, s.total = nil, 0
}

func (r *Region) drop() {
	r.w.Base, r.w.Left = nil, 0
	*r = Region{space: r.space, slab: r.slab, w: r.w, Unit: r.Unit, careful: true}
}

// EndLife is called when nothing is in use, and no value may lead to reclaimed memory: no chunk is stale any more.
func (s *Space) EndLife() { s.life++ }

// JoinLife makes a space without chunks share the life of one whose values may lead to its own.
func (s *Space) JoinLife(of *Space) { s.life = of.life }

// stale reports whether something in an unused chunk was reclaimed in this life of a self-contained
// space: values may have pointers there, which the program may still load or overwrite, and the GC
// may then follow them. Such a chunk must stay allocated; it may be used again with the same owner.
func (s *Space) stale(c *Chunk) bool { return s.owner != nil && c.life == s.life }

// markStale notes that values may point to reclaimed memory in a chunk. It costs one store, and nothing in spaces that
// the GC scans.
func (s *Space) markStale(c *Chunk) {
	if s.owner != nil {
		c.life = s.life
	}
}
