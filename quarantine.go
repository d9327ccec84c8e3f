package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
)

// This file handles memory that is reclaimed and must not be used again: in builds with the race detector, which then
// reports any use of it, and in checked arenas, which watch whether it dies. The engine releases it; package race and
// the tracker learn of it.
//
// Memory in quarantine is ordinary heap memory: while something points to it, it stays as it is; else the GC reclaims
// it. This file must not depend on which of the two happens, nor on the reports.

// A quarantine is the state of an arena that uses no memory again. It belongs to the goroutine that has the arena.
//
//	engine releases ──▶ Dead, Taken ──▶ watch and ranges gather ──▶ submitDead ──▶ tracker
//	                                                                     └─ or the owner, first
type quarantine struct {
	watch  *watch.Watch // of a checked arena
	ranges race.Ranges  // with the race detector: reclaimed memory
	hidden stray.Record
}

func newQuarantine(c *config) *quarantine {
	q := &quarantine{}
	if c.checks != 0 {
		q.watch = watch.New(c.checks&CheckObjects != 0)
		if c.onTaken != nil || inspect.AllTaken.Load() != nil {
			q.watch.Guard()
		}
		if c.fence != nil {
			(*c.fence)(q.watch)
		}
	}
	return q
}

// quarantines reports whether the arena uses no memory again.
func (a *Arena) quarantines() bool { return a.quarantine != nil }

// watch returns the watch of a checked arena, and nil for others.
func (a *Arena) watch() *watch.Watch {
	if a.core == nil || a.quarantine == nil {
		return nil
	}
	return a.quarantine.watch
}

// quarantined is an arena as the engine sees it.
type quarantined Arena

// Intact implements memory.Quarantine: watched values stay as they are, for the watch.
func (q *quarantined) Intact() bool { return q.quarantine.watch != nil }

// Single implements memory.Quarantine.
func (q *quarantined) Single() bool { return q.quarantine.watch.Single() }

// Page implements memory.Quarantine.
func (q *quarantined) Page() uintptr { return q.quarantine.watch.Page() }

// Label implements memory.Quarantine: an allocation has a site.
func (q *quarantined) Label(size, room uintptr) unsafe.Pointer {
	return unsafe.Pointer(q.quarantine.watch.Site(size, room))
}

// Done implements memory.Quarantine.
func (q *quarantined) Done() { q.quarantine.watch.Leave() }

// Taken implements memory.Quarantine.
func (q *quarantined) Taken(c *memory.Chunk, from, to uintptr) {
	q.quarantine.ranges.Remember(unsafe.Add(c.Mem, from), to-from) // fact 1
}

// Dead implements memory.Quarantine. Values in the chunks may still be in use.
//
// Those of a self-contained arena point to each other, which the GC doesn't see. So all that is reclaimed in a life is
// kept together. Where values are overwritten each chunk dies by itself, once the owner doesn't keep it.
func (q *quarantined) Dead(r *memory.Region, gone []memory.Chunk) {
	a := (*Arena)(q)
	w := a.watch()
	if w.Single() {
		w.Scribble(gone, a.owner != nil)
	} else if w != nil && a.owner == nil {
		w.Chunks(r, gone)
	}
	if o := a.owner; o != nil && len(gone) > 0 {
		o = o.reclaim(gone)
		for i := range gone {
			if !w.Single() {
				block.SetOwner(gone[i].Mem, unsafe.Pointer(o))
			}
		}
	}
}

// reclaim makes the owner of reclaimed memory keep chunks, and returns it. It is another owner than o, to which
// values of freed children and locals may lead: these hold both rightly.
func (o *owner) reclaim(gone []memory.Chunk) *owner {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gone == nil {
		o.gone = &owner{parent: o}
	}
	for i := range gone {
		o.gone.bytes += gone[i].Total
	}
	o.gone.chunks = append(o.gone.chunks, gone...)
	return o.gone
}

// expect begins an allocation by a function named op: a watch notes it beforehand.
func (a *Arena) expect(op string, zero any, what watch.Shape) {
	if w := a.watch(); w != nil {
		a.enter(op)
		w.Expect(zero, what)
	}
}

// enter begins an operation on an arena with CheckObjects, and panics if another goroutine is within one.
func (a *Arena) enter(op string) {
	if !a.watch().Enter() {
		panic("arena: " + op + ": another goroutine uses the arena" + quoted(a.name()) +
			" at the same time; an Arena belongs to one at a time, and a Shared is for many")
	}
}

// leave ends an operation.
func (a *Arena) leave() { a.watch().Leave() }

// watchEnd passes a life that has ended to the watch. All of it is in the owner: its chunks and values go to gone, the
// owner of reclaimed memory, to which the old owner leads in case valid values lead there.
func (a *Arena) watchEnd() {
	o, w := a.owner, a.watch()
	gone := o.reclaim(nil)
	left, reclaimed := o.left.Load(), gone.chunks
	gone.keep(o.chunks, o.kept...) // with chunks that the arena has made and goes on to use, so no fence surrounds them
	gone.parent, o.parent = o.parent, gone
	if w == nil {
		return
	}
	if gone.bytes > 0 && !w.Single() {
		w.All(unsafe.Pointer(gone), unsafe.Sizeof(*gone), gone.bytes)
	}
	if !left {
		w.Fence(&a.plain, reclaimed)
	}
	if left || !w.Single() { // else nothing leads to o
		w.SetSentinel(unsafe.Pointer(o))
	}
	for _, b := range o.waits {
		if left {
			b.SetSentinel(unsafe.Pointer(o))
		}
		tracker.Submit(b)
	}
	o.waits = nil
}

// submitDead is called when all that an operation reclaims has been reclaimed. ended says that nothing older is in use,
// which in a self-contained arena may lead there.
func (a *Arena) submitDead(ended bool) {
	q := a.quarantine
	if q == nil {
		return
	}
	w := q.watch
	q.ranges.Report(w != nil)
	l, key := a.account.lease, ""
	if l != nil {
		key = l.class.key
	}
	b := w.Batch(a.config.name, key, a.config.onEscape)
	if b != nil && l != nil {
		b.Lent = l.lentAt
	}
	switch o := a.owner; {
	case b == nil:
	case o == nil || ended && !a.isLocal():
		tracker.Submit(b)
	default:
		o.mu.Lock()
		defer o.mu.Unlock()
		o.waits = append(o.waits, b)
	}
}

// afterReclaim ends an operation that has reclaimed memory.
func (a *Arena) afterReclaim() {
	a.leave()
	if f := a.config.onTaken; f != nil {
		(*f)()
	} else if f := inspect.AllTaken.Load(); f != nil && a.watch() != nil {
		(*f)()
	}
}

// surveyed is an arena as package stray sees it.
type surveyed Arena

func (s *surveyed) Name() string                  { return s.config.name }
func (s *surveyed) Plain() *memory.Region         { return &s.plain }
func (s *surveyed) Kept() []any                   { return (*Arena)(s).kept() }
func (s *surveyed) Born() uint64                  { return s.family.born }
func (s *surveyed) IsLocal() bool                 { return (*Arena)(s).isLocal() }
func (s *surveyed) Record() *stray.Record         { return &s.quarantine.hidden }
func (s *surveyed) Fresh() int                    { return s.quarantine.watch.Fresh() }
func (s *surveyed) Handler() *func(inspect.Stray) { return s.config.onStray }
func (s *surveyed) Header() stray.Span            { return headerOf((*Arena)(s)) }

func (s *surveyed) ReclaimedAt(addr uintptr, gone bool) (string, *watch.Site, *watch.Stack) {
	if o := s.owner; o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, b := range o.waits {
			if site := b.SiteAt(addr, gone); site != nil {
				return b.Name, site, &b.Stack
			}
		}
	}
	if b, site := tracker.ReclaimedAt(addr, gone); site != nil {
		return b.Name, site, &b.Stack
	}
	return "", nil, nil
}

func (s *surveyed) Left() (objects []memory.Chunk, kept []any) {
	if o := s.owner; o != nil {
		return o.chunks, o.kept
	}
	return nil, nil
}

func (s *surveyed) Parent() stray.Arena {
	if p := s.family.parent; p != nil {
		return (*surveyed)(p)
	}
	return nil
}

func (s *surveyed) Children(yield func(stray.Arena) bool) {
	for c := range s.family.children {
		if !yield((*surveyed)(c)) {
			return
		}
	}
}

// headerOf returns the memory of the arena itself. Its values may point there, since an owner keeps it.
func headerOf(a *Arena) stray.Span {
	start := uintptr(unsafe.Pointer(a))
	return stray.Span{Start: start, End: start + unsafe.Sizeof(*a)}
}

// wantsHidden reports whether hidden pointers in the arena are to be reported.
func (a *Arena) wantsHidden() bool {
	return a.watch().Single() && a.owner != nil && inspect.Places != nil &&
		(a.config.onStray != nil || inspect.All.Load() != nil)
}

// lookForHidden is called before big chunks from the given one on die, and children that were born after a serial
// number. Locals of a Shared are looked at when that is reset: until then the others use memory to which they may
// point.
func (a *Arena) lookForHidden(first int, born uint64) {
	if a.account.shared == nil && a.wantsHidden() {
		stray.Look((*surveyed)(a), first, born)
	}
}
