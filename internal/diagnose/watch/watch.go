// Package watch finds out whether what arenas reclaim dies, as it should. It depends on
// chunks and what was allocated in them. It must not depend on who has reclaimed them, or
// on who gets the reports.
//
// Each checked arena has a Watch, which gathers what one operation reclaims. A program has one
// Tracker, which looks some GC cycles later what is still there. This file holds the Watch.
//
// Code that runs for each allocation or block is hidden from the race detector (go:norace), which
// would remember each of its accesses instead of a use. See race.lengthenHistory.
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

// A Watch is what a checked arena has in addition; it is nil in other arenas. It belongs to
// the goroutine that has the arena.
//
// Invariant: Expect was called before each allocation, so that zero and what describe the
// present one.
type Watch struct {
	single bool // each allocation has a block of its own
	number uint // of the arena
	guards bool // what has no pointers is guarded when it is dead
	paged  int  // allocations that have pages of their own
	times  uint // how often memory was reclaimed

	// What is being allocated: a nil pointer to the type, if it is known.
	zero any
	what Shape

	doomed []doomedBlock // what was reclaimed, and is in no batch yet
	fence  *fence        // around that; or nil

	// puts puts a fence around what was given up; nil if there are none.
	puts  func(r *memory.Region, gone []memory.Chunk)
	wrote []doomedBlock // of these, what was written to after it had been moved

	fresh int // allocations since Fresh was called

	busy atomic.Uint32 // odd while an operation is under way, and another one for each
}

// A Shape is what an allocation is for.
type Shape uint8

const (
	One  Shape = iota // one value
	Many              // the elements of a slice
	Text
	Raw
)

// A Site is an allocation that has a block of its own. It never changes, and is kept by the
// chunk until that is reclaimed, and then by the batch.
type Site struct {
	Elem  reflect.Type // nil if it is unknown
	What  Shape
	Size  uintptr // bytes asked for
	room  uintptr // and those that it got, with what alignment took
	Stack Stack
	moved *moved // by Move; or nil
}

// A moved describes what a moved value has left behind.
type moved struct {
	Stack
	trap unsafe.Pointer // that it was overwritten with
	kept uint64         // checksum of the rest
}

// A doomedBlock is one that should die, since what was in it has been reclaimed. All
// pointers to it are weak, as a doomedBlock must not keep its block alive.
type doomedBlock struct {
	block weak.Pointer[byte]
	addr  uintptr // of the block, if there is a site; no pointer
	Size  uintptr
	Site  *Site // of the only allocation in it; or nil

	// What it was overwritten with, and a checksum of what was kept, if there is a site.
	trap unsafe.Pointer
	kept uint64

	Elem reflect.Type // of a slab's chunk; else nil
	All  bool         // of a self-contained arena: all that was reclaimed at a time

	peeked  bool               // it was alive when Peek looked
	keep    unsafe.Pointer     // to the block, from Peek until the next look: it keeps what may be written to
	pages   uintptr            // bytes of the block that can be guarded, 0 if it has no pages of its own
	guarded bool               // the pages are guarded, except while guards are lifted
	watched uintptr            // bytes of the block that a holder may point to
	leash   weak.Pointer[byte] // by which others may hold it rightly
}

// watches counts checked arenas.
var watches atomic.Uint32

// New returns a watch for an arena. single means that each allocation in it has a block of its own.
func New(single bool) *Watch { return &Watch{single: single, number: uint(watches.Add(1))} }

// Guard has values without pointers guarded when they are dead, so that touching them faults. It
// keeps them alive until FindAll or Peek, so it is only for arenas that these are called for.
func (w *Watch) Guard() { w.guards = w.single && guard.PageSize > 0 }

// Page returns the bytes of a page if the next allocation should have pages of its own, and else 0.
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

// Enter begins an operation of an arena whose allocations have blocks of their own. It returns
// false if another goroutine is within one that goes on; one that a panic has ended counts as over.
// With the race detector it does nothing: the detector finds more, and would take busy for
// synchronization.
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

// Leave ends an operation that Enter has begun, if there is one.
func (w *Watch) Leave() {
	if w.Single() && !race.Enabled {
		w.busy.Store((w.busy.Load() + 1) &^ 1)
	}
}

// Expect is told what will be allocated next. On a nil Watch it does nothing, so callers
// needn't check whether the arena is checked.
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

// Fresh returns how many sites there were since the last call, which nothing has looked at yet.
func (w *Watch) Fresh() int {
	n := w.fresh
	w.fresh = 0
	return n
}

// SiteOf returns the allocation that has a chunk of its own. The label of such a chunk is
// always a *Site, as Site makes labels.
func SiteOf(c *memory.Chunk) *Site { return (*Site)(c.Label) }

// Chunks is called when chunks were given up with their contents unchanged. Each is
// watched by itself.
func (w *Watch) Chunks(r *memory.Region, gone []memory.Chunk) {
	w.Fence(r, gone)
	for i := range gone {
		w.doomed = append(w.doomed,
			doomedBlock{
				block: weak.Make((*byte)(gone[i].Mem)), Size: gone[i].Total, watched: gone[i].Total, Elem: r.Type(),
			})
	}
}

// All is called when all chunks of a self-contained arena were given up. They have so many
// bytes, and are held together by the object of size bytes at owner.
func (w *Watch) All(owner unsafe.Pointer, size, bytes uintptr) {
	w.doomed = append(w.doomed, doomedBlock{block: weak.Make((*byte)(owner)), watched: size, Size: bytes, All: true})
}

// Forget drops what is in no batch yet: nothing will check whether it dies.
func (w *Watch) Forget() { w.doomed, w.wrote, w.fence = nil, nil, nil }

// Leash declares that what is in no batch yet is held rightly while the object at p is held.
func (w *Watch) Leash(p unsafe.Pointer) { leash(w.doomed, p) }

// Leash declares the same of a batch that wasn't submitted yet.
func (b *Batch) Leash(p unsafe.Pointer) { leash(b.doomed, p) }

func leash(doomed []doomedBlock, p unsafe.Pointer) {
	leash := weak.Make((*byte)(p))
	for i := range doomed {
		doomed[i].leash = leash
	}
}

// Scribble is called when chunks with one allocation each were given up. It overwrites them.
// owned means that they are those of a self-contained arena: the pointers to the owner go
// first, so that each block dies by itself.
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

// Move is called when the contents of a chunk with one allocation have moved, as when a container
// has grown, and must not be used there any more. The chunk is overwritten, and later writes are
// found when it is given up. The arena, which has a name, holds it until then, so holders can't be
// found. owned is as for Scribble.
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

// scribble fills a dead block, which is at p. scanned reports whether the GC looks into it.
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

// Values returns what the allocation holds, n values of a type.
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

// Batch returns what was reclaimed since the last call, by an operation of the arena with
// a name and the key of its Pool; nil if there is nothing, or no watch. The stack is that of the reclaiming call.
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

// ended notes where the pointers in dead blocks lead now. The stack is that of the call that
// reclaimed them.
func (w *Watch) ended(name, key string, s *Stack, doomed []doomedBlock) {
	sites := kinds(doomed)
	e := ending{name, key, uintptr(fill.Trap(w.number, w.times)), *s, func() []string { return places(sites) }}
	endings.push(e)
	if f := inspect.Ended.Load(); f != nil {
		(*f)(name, inspect.Ending{Trap: e.trap, When: When(s.Frames(), key), Values: e.died()})
	}
}

// kinds returns the different types with pointers among the first blocks.
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

// places returns what was allocated, and where.
func places(sites []*Site) (texts []string) {
	for _, s := range sites {
		texts = append(texts, s.String()+" allocated at "+CallSite(s.Stack.Frames()))
	}
	return texts
}

// String returns the type of what was allocated.
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
