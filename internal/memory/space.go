package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/layout"
)

// A Space is all memory of one arena: the plain region, and a slab for each type with
// pointers. What is done to all of it is a method here.
//
// It must not be moved once Init was called. It belongs to one goroutine at a time, but
// for Close.
type Space struct {
	plain  *Region
	config *Config
	slabs  []*Slab // in the order in which they were made
	table  []*Slab // the same by key, a hash table of a power of two, half empty

	// recent is those from which values came last, by the same hash. With 8 of them instead of
	// 16, a life of three values of three types, of which two met, took 84 ns instead of
	// 60; behind a pointer, a value of 24 bytes took 4.12 ns instead of 3.84.
	recent [16]*Slab

	// owner is what each chunk of a self-contained space points to; nil in others.
	owner unsafe.Pointer

	// life numbers the lives of what may point to values of a self-contained space:
	// the spaces of one family whose values point to each other have one together.
	life uint32

	grown   bool // by a chunk or a list since Retain was called
	marked  bool // a Rewind may follow to where something was in use
	learned bool // somebody else decides how large first chunks are
	shared  bool // another goroutine may free it, so that each allocation has to ask

	*seams // nil in a plain space
}

// A Config is what the options of an arena say about its memory. All sizes are in bytes.
type Config struct {
	Chunk       uintptr // of the first chunk's block
	MaxChunk    uintptr // up to which chunks double
	MaxRetained uintptr // of blocks that are kept unused
	MaxChunkSet bool    // MaxChunk is no default
	Scrub       bool    // what is taken back is erased at once
}

// Init makes an empty space of plain, a zero Region. Its window stays closed if
// windowless is set. c must stay where it is.
func (s *Space) Init(plain *Region, c *Config, windowless bool) {
	s.plain, s.config = plain, c
	s.life = 1
	plain.space, plain.Unit = s, ObjectAlign
	plain.windowless = windowless || asan.On || !layout.Trusted
	plain.first = c.Chunk
	plain.next = plain.first
}

// Has says whether plain is the plain region, or for nil that there is none yet.
func (s *Space) Has(plain *Region) bool { return s.plain == plain }

// SetOwner makes s self-contained, and o what its chunks point to from now on.
func (s *Space) SetOwner(o unsafe.Pointer) {
	s.owner, s.plain.UpTo = o, ^uint(0)
}

// SetShared says that another goroutine may free the space: see Close.
func (s *Space) SetShared() {
	s.shared = true
	s.setCareful()
}

func (s *Space) setCareful() {
	careful := s.shared || s.limited()
	s.plain.careful = careful
	for _, b := range s.slabs {
		b.careful = careful
	}
}

// Regions yields the plain region, then those of the slabs.
func (s *Space) Regions(yield func(r *Region) bool) {
	if s.plain == nil || !yield(s.plain) {
		return
	}
	for _, b := range s.slabs {
		if !yield(&b.Region) {
			return
		}
	}
}

// Slabs yields the slabs, in the order in which they were made.
func (s *Space) Slabs(yield func(b *Slab) bool) {
	for _, b := range s.slabs {
		if !yield(b) {
			return
		}
	}
}

// What each Reset, Get and Put does has a loop of its own rather than one over Regions: a
// life of three values of three types takes 57 ns so, and 83 with that.

// Used returns the bytes handed out, with padding but without red zones.
func (s *Space) Used() uintptr {
	if s.plain == nil {
		return 0
	}
	n := s.plain.Used()
	for _, b := range s.slabs {
		n += b.Used()
	}
	return n
}

// Claimed returns the bytes handed out, and those in open windows.
func (s *Space) Claimed() uintptr {
	n := s.Used() + s.plain.Left
	for _, b := range s.slabs {
		n += b.Left
	}
	return n
}

// Reserved returns the bytes of all blocks.
func (s *Space) Reserved() (n uintptr) {
	for r := range s.Regions {
		n += r.total
	}
	return n
}

// Mark appends the positions of all regions to a list.
func (s *Space) Mark(list []Position) []Position {
	room := cap(list)
	list = append(list, s.plain.Position())
	for _, b := range s.slabs {
		list = append(list, b.Position())
	}
	s.grown = s.grown || cap(list) > room
	return list
}

// SetMarked says whether there is a mark, to which a Rewind may follow.
func (s *Space) SetMarked(yes bool) { s.marked = yes }

// At says whether the space is where it was when Mark returned these positions.
func (s *Space) At(list []Position) bool {
	if len(list) != 1+len(s.slabs) || !s.plain.At(&list[0]) {
		return false
	}
	for i, b := range s.slabs {
		if !b.At(&list[1+i]) {
			return false
		}
	}
	return true
}

// Rewind sets all regions back, to their beginnings if there are no positions.
func (s *Space) Rewind(list []Position) {
	s.plain.Rewind(positionOf(list, 0))
	for i, b := range s.slabs {
		b.Rewind(positionOf(list, 1+i))
	}
}

// positionOf returns the position of region i among those at a mark. Slabs that had none
// then were empty.
func positionOf(list []Position, i int) *Position {
	if i < len(list) {
		return &list[i]
	}
	return &beginning
}

// beginning is where all regions begin.
var beginning Position

// Restart sets all regions back to their beginnings, ready for the next life.
func (s *Space) Restart() {
	s.plain.restart()
	for _, b := range s.slabs {
		b.restart()
	}
}

// Shut closes all windows in a way that Open takes back.
func (s *Space) Shut() {
	s.plain.shut()
	for _, b := range s.slabs {
		b.shut()
	}
}

func (r *Region) shut() { r.savedLeft, r.Left, r.careful = r.Left, 0, true }

// Open is the opposite of Shut.
func (s *Space) Open() {
	careful := s.shared || s.limited()
	s.plain.Left, s.plain.careful = s.plain.savedLeft, careful
	for _, b := range s.slabs {
		b.Left, b.careful = b.savedLeft, careful
	}
}

// SetLearned says that somebody else decides how large first chunks are.
func (s *Space) SetLearned() { s.learned = true }

// Grown says whether a chunk or a list has come since Retain was called.
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

// CloseWindows gives the windows back to the middle.
func (s *Space) CloseWindows() {
	for r := range s.Regions {
		r.closeWindow()
	}
}

// Drop lets go of all chunks, which is for whoever has them by then to keep. The regions
// stay where they are, empty: others may have pointers to them.
func (s *Space) Drop() {
	for r := range s.Regions {
		*r = Region{space: s, slab: r.slab, Unit: r.Unit, UpTo: r.UpTo, careful: true}
	}
	clear(s.recent[:])
	s.owner = nil
}

// Life returns the number of the life of what may point to the space's values.
func (s *Space) Life() uint32 { return s.life }

// SetLife begins a life.
func (s *Space) SetLife(n uint32) { s.life = n }

// stale says whether something in an unused chunk was taken back in this life of a
// self-contained space: values may have pointers there, which the program may
// still load or overwrite, and which the GC may then follow.
func (s *Space) stale(c *Chunk) bool { return s.owner != nil && c.life == s.life }

// markStale notes that values may point to what was in a chunk.
func (s *Space) markStale(c *Chunk) {
	if s.owner != nil {
		c.life = s.life
	}
}
