// Package watch checks that memory reclaimed by arenas dies. It depends on chunks and on the allocations in them. It
// must not depend on who reclaimed them, or on who gets the reports.
//
// Each checked arena has a Watch, which gathers the memory that one operation reclaims. A program has one Tracker,
// which looks for survivors some GC cycles later. This file holds the Watch.
//
// Code that runs for each allocation or block is hidden from the race detector (go:norace), which would otherwise
// remember these accesses in place of the user's. See race.lengthenHistory.
package watch

import (
	"reflect"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tuning"
)

// A Watch is the additional state of a checked arena; it is nil in other arenas. It belongs to the goroutine that has
// the arena.
//
// Invariant: Expect was called before each allocation, so that zero and what describe the present one.
type Watch struct {
	single bool // each allocation has a block of its own
	number uint // of the arena
	guards bool // dead values without pointers are guarded
	paged  int  // allocations with pages of their own
	times  uint // how often memory was reclaimed

	// The next allocation: a nil pointer to its type, if known, and its shape.
	zero any
	what Shape

	doomed []doomedBlock // reclaimed blocks, in no batch yet
	fence  *fence        // around doomed; or nil

	// puts puts a fence around released chunks; nil without fences.
	puts  func(r *memory.Region, gone []memory.Chunk)
	wrote []doomedBlock // of doomed, the blocks written to after a move

	fresh int // allocations since Fresh was called

	busy atomic.Uint32 // odd during an operation, and changed by each
}

// A Shape is the kind of an allocation.
type Shape uint8

const (
	One  Shape = iota // one value
	Many              // the elements of a slice
	Text
	Raw
)

// A Site is an allocation with a block of its own. It never changes. The chunk keeps it until it is reclaimed, then the
// batch does.
type Site struct {
	Elem  reflect.Type // nil if it is unknown
	What  Shape
	Size  uintptr // bytes asked for
	room  uintptr // bytes allocated, alignment included
	Stack Stack
	moved *moved // by Move; or nil
}

// A moved describes the remains of a moved value.
type moved struct {
	Stack
	trap unsafe.Pointer // the address that overwrote its pointers
	kept uint64         // checksum of the rest
}

// A doomedBlock should die, since its contents were reclaimed. All pointers to the block are weak, or the doomedBlock
// would keep it alive.
type doomedBlock struct {
	block weak.Pointer[byte]
	addr  uintptr // of the block, if there is a site; no pointer
	Size  uintptr
	Site  *Site // of the only allocation in it; or nil

	// With a site: the address that overwrote the pointers, and a checksum of the rest.
	trap unsafe.Pointer
	kept uint64

	Elem reflect.Type // of a slab's chunk; else nil
	All  bool         // of a self-contained arena: all memory that one operation reclaimed

	peeked   bool               // Peek has found it alive
	keep     unsafe.Pointer     // to the block, from Peek until the next look: keeps the evidence of writes
	pages    uintptr            // bytes of the block that can be guarded, 0 without pages of its own
	guarded  bool               // the pages are guarded, except while guards are lifted
	watched  uintptr            // bytes of the block that a holder may point to
	sentinel weak.Pointer[byte] // while it is alive, holding the block is right
}

// watches counts checked arenas.
var watches atomic.Uint32

// New returns a watch for an arena. single means that each allocation in it has a block of its own.
func New(single bool) *Watch { return &Watch{single: single, number: uint(watches.Add(1))} }

// Guard has dead values without pointers guarded, so that touching them faults. It keeps them alive until FindAll or
// Peek, so it is only for arenas for which these are called.
func (w *Watch) Guard() { w.guards = w.single && guard.PageSize > 0 }

// Page returns the size of a page if the next allocation should have pages of its own, else 0.
func (w *Watch) Page() uintptr {
	if w == nil || !w.guards || w.paged >= tuning.MaxPaged {
		return 0
	}
	if w.single {
		w.paged++
	}
	return guard.PageSize
}

// Single reports whether each allocation has a block of its own.
func (w *Watch) Single() bool { return w != nil && w.single }

// Enter begins an operation of an arena whose allocations have blocks of their own. It returns false if another
// goroutine is within an operation that goes on; an operation that a panic ended counts as over. With the race detector
// it does nothing: the detector finds more, and would take busy for synchronization.
func (w *Watch) Enter() bool {
	if !w.Single() || race.Enabled {
		return true
	}
	n := w.busy.Load()
	if n%2 == 0 {
		return w.busy.CompareAndSwap(n, n+1)
	}
	for i, began := 0, time.Now(); time.Since(began) < tuning.BusyFor; i++ {
		if w.busy.Load() != n {
			return false
		}
		if i < 100_000 { // some 10 ms; in a synctest bubble Sleep waits for all others
			runtime.Gosched()
		} else {
			time.Sleep(tuning.BusyFor / 1000)
		}
	}
	return w.busy.CompareAndSwap(n, n+2)
}

// Leave ends the operation that Enter began, if any.
func (w *Watch) Leave() {
	if w.Single() && !race.Enabled {
		w.busy.Store((w.busy.Load() + 1) &^ 1)
	}
}

// Expect describes the next allocation. On a nil Watch it does nothing, so callers needn't check whether the arena is
// checked.
func (w *Watch) Expect(zero any, what Shape) {
	if w != nil {
		w.zero, w.what = zero, what
	}
}

// Site returns the expected allocation, of size bytes, which got room bytes.
//
//go:norace
func (w *Watch) Site(size, room uintptr) *Site {
	s := &Site{What: w.what, Size: size, room: room}
	w.fresh++
	if w.zero != nil {
		s.Elem = reflect.TypeOf(w.zero).Elem()
	}
	if s.What == One {
		s.Size = s.Elem.Size() // without padding
	}
	runtime.Callers(3, s.Stack[:])
	return s
}

// Fresh returns the number of sites since its last call, all unexamined.
func (w *Watch) Fresh() int {
	n := w.fresh
	w.fresh = 0
	return n
}

// SiteOf returns the allocation of a chunk that holds only one. The label of such a chunk is always a *Site, as Site
// makes labels.
func SiteOf(c *memory.Chunk) *Site { return (*Site)(c.Label) }

// Chunks is called when chunks were given up with their contents unchanged. Each chunk is watched by itself.
func (w *Watch) Chunks(r *memory.Region, gone []memory.Chunk) {
	w.Fence(r, gone)
	for i := range gone {
		w.doomed = append(w.doomed,
			doomedBlock{
				block: weak.Make((*byte)(gone[i].Mem)), Size: gone[i].Total, watched: gone[i].Total, Elem: r.Type(),
			})
	}
}

// All is called when all chunks of a self-contained arena, of bytes in all, were given up. The object of size bytes at
// owner holds them together.
func (w *Watch) All(owner unsafe.Pointer, size, bytes uintptr) {
	w.doomed = append(w.doomed, doomedBlock{block: weak.Make((*byte)(owner)), watched: size, Size: bytes, All: true})
}

// Forget drops the blocks that are in no batch yet: nothing will check whether they die.
func (w *Watch) Forget() { w.doomed, w.wrote, w.fence = nil, nil, nil }

// SetSentinel declares that the blocks in no batch yet are rightly held while the object at p is held.
func (w *Watch) SetSentinel(p unsafe.Pointer) { setSentinel(w.doomed, p) }

// SetSentinel declares the same of a batch that isn't submitted yet.
func (b *Batch) SetSentinel(p unsafe.Pointer) { setSentinel(b.doomed, p) }

func setSentinel(doomed []doomedBlock, p unsafe.Pointer) {
	sentinel := weak.Make((*byte)(p))
	for i := range doomed {
		doomed[i].sentinel = sentinel
	}
}

// Scribble is called when chunks with one allocation each were given up. It overwrites them. owned means that they
// belong to a self-contained arena; then it first clears the pointers to the owner, so that each block dies by itself.
//
//go:norace
func (w *Watch) Scribble(gone []memory.Chunk, owned bool) {
	trap := fill.Trap(w.number, w.times)
	for i := range gone {
		c := &gone[i]
		if owned {
			block.SetOwner(c.Mem, nil)
		}
		asan.Unpoison(c.Mem, c.Size)
		site := SiteOf(c)
		s := doomedBlock{
			block: weak.Make((*byte)(c.Mem)), addr: uintptr(c.Mem),
			Size: site.Size, watched: site.Size, Site: site, trap: trap,
		}
		if c.Paged {
			s.pages = block.PagesOf(c.Size, guard.PageSize)
			w.paged--
		}
		if m := site.moved; m != nil {
			left := s
			if left.trap, left.kept = m.trap, m.kept; left.touched(c.Mem) {
				w.wrote = append(w.wrote, left)
			}
		}
		s.scribble(c.Mem, !owned)
		w.doomed = append(w.doomed, s)
	}
}

// Move is called when the contents of a chunk with one allocation have moved, as when a container has grown, and must
// not be used in the old place any more. It overwrites the chunk; later writes are found when the chunk is given up.
// Until then the arena, named name, holds the chunk, so holders can't be found. owned is as for Scribble.
func (w *Watch) Move(c *memory.Chunk, owned bool, name string) {
	site := SiteOf(c)
	site.moved = &moved{trap: fill.Trap(w.number, w.times)}
	runtime.Callers(3, site.moved.Stack[:])
	s := doomedBlock{Site: site, trap: site.moved.trap}
	s.scribble(c.Mem, !owned)
	site.moved.kept = s.kept
	w.ended(name, "", &site.moved.Stack, []doomedBlock{s})
	w.times++
}

// Moved reports whether Move was called for the allocation.
func (s *Site) Moved() bool { return s.moved != nil }

// scribble fills the dead block at p. scanned reports whether the GC scans the block.
//
//go:norace
func (s *doomedBlock) scribble(p unsafe.Pointer, scanned bool) {
	switch t, n := s.Site.Values(); {
	case n == 0:
	case scanned:
		s.kept = fill.Dead(t, p, n, s.trap)
	default:
		s.kept = fill.DeadUnscanned(t, p, n, s.trap)
	}
}

// touched reports whether the dead block at p was written to.
func (s *doomedBlock) touched(p unsafe.Pointer) bool {
	t, n := s.Site.Values()
	if n == 0 {
		return false
	}
	kept, ok := fill.Untouched(t, p, n, s.trap)
	return !ok || kept != s.kept
}

// Values returns the allocation's contents: n values of type t.
//
//go:norace
func (s *Site) Values() (t reflect.Type, n int) {
	if s.Elem == nil {
		return reflect.TypeFor[byte](), int(s.room)
	}
	if size := s.Elem.Size(); size > 0 {
		return s.Elem, int(s.Size / size)
	}
	return s.Elem, 0
}

// Batch returns the memory reclaimed since the last call, by an operation of the arena with that name and Pool key; nil
// if there is none, or no watch. The stack is that of the reclaiming call.
func (w *Watch) Batch(name, key string, handler any) *Batch {
	if w == nil || len(w.doomed) == 0 {
		return nil
	}
	b := &Batch{Name: name, Key: key, Handler: handler, doomed: w.doomed, fence: w.fence}
	runtime.Callers(3, b.Stack[:])
	for i := range w.wrote {
		f := Finding{doomedBlock: &w.wrote[i], addr: w.wrote[i].addr, Written: true, Moved: true}
		f.Batch = &Batch{Name: name, Handler: handler, Stack: f.Site.moved.Stack}
		b.wrote = append(b.wrote, f)
	}
	w.Forget()
	if w.single {
		w.ended(name, key, &b.Stack, b.doomed)
	}
	w.times++
	return b
}

// ended records the address to which pointers in dead blocks now lead. s is the stack of the reclaiming call.
func (w *Watch) ended(name, key string, s *Stack, doomed []doomedBlock) {
	sites := kinds(doomed)
	e := ending{name, key, uintptr(fill.Trap(w.number, w.times)), *s, func() []string { return places(sites) }}
	endings.push(e)
	if f := inspect.Ended.Load(); f != nil {
		(*f)(name, inspect.Ending{Trap: e.trap, When: When(s.Frames(), key), Values: e.died()})
	}
}

// kinds returns sites of the different types with pointers among the first blocks.
func kinds(doomed []doomedBlock) (sites []*Site) {
	const look, most = 64, 3
	seen := map[reflect.Type]bool{}
	for i := range doomed[:min(len(doomed), look)] {
		s := doomed[i].Site
		if s == nil || s.Elem == nil || seen[s.Elem] || !layout.HasPointers(s.Elem) {
			continue
		}
		seen[s.Elem] = true
		if sites = append(sites, s); len(sites) == most {
			break
		}
	}
	return sites
}

// places describes each site: its type and the line that allocated it.
func places(sites []*Site) (texts []string) {
	for _, s := range sites {
		texts = append(texts, s.String()+" allocated at "+CallSite(s.Stack.Frames()))
	}
	return texts
}

// String returns the allocation's type.
func (s *Site) String() string {
	switch {
	case s.What == Text:
		return "string"
	case s.Elem == nil:
		return "raw memory"
	case s.What == Many:
		return "[]" + layout.Name(s.Elem)
	}
	return layout.Name(s.Elem)
}
