package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/reclaim"
)

// This file handles memory that is reclaimed and must not be used again: in builds with the race detector, which then
// reports any use of it, and in checked arenas, which watch whether it dies. The engine releases it; package race and
// the tracker learn of it.
//
// Memory in quarantine is ordinary heap memory: while something points to it, it stays as it is; else the GC reclaims
// it. This file must not depend on which of the two happens, nor on what is reported.

// A quarantine is the state of an arena that uses no memory again. It belongs to the goroutine that has the arena.
//
//	engine releases ──▶ Dead, Taken ──▶ watch and ranges gather ──▶ submitDead ──▶ tracker
//	                                                                     └─ or limbo, first
type quarantine struct {
	watch   *watch.Watch // of a checked arena
	ranges  race.Ranges  // with the race detector: reclaimed memory
	rewound *owner       // of what a Rewind in progress reclaims
	held    *owner       // by which children that end with the Rewind hold that
	ending  bool         // all of the arena is being reclaimed
	hidden  stray.Record
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

// isEnding reports whether all of the arena is being reclaimed.
func (a *Arena) isEnding() bool { return a.quarantine != nil && a.quarantine.ending }

// setEnding is called before and after all of the arena is reclaimed.
func (a *Arena) setEnding(yes bool) {
	if a.quarantine != nil {
		a.quarantine.ending = yes
	}
}

// quarantined is an arena as the engine sees it.
type quarantined Arena

// Intact implements memory.Quarantine: the watch decides what becomes of watched memory.
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
// Those of a self-contained arena point to each other, which the GC doesn't see. So all that ends at a time is kept
// together: the owner that the chunks point to keeps them, and is no longer the arena's. That isn't needed where the
// values are overwritten.
func (q *quarantined) Dead(r *memory.Region, gone []memory.Chunk) {
	a := (*Arena)(q)
	w := a.watch()
	switch {
	case w.Single():
		w.Scribble(gone, a.owner != nil)
		if a.owner != nil && (!a.isEnding() || a.survived()) {
			o := a.generation()
			o.chunks = append(o.chunks, gone...)
		}
	case a.owner != nil && len(gone) > 0:
		o := a.generation()
		if w != nil && o == a.owner && !a.survived() { // else values that stay valid may lead there
			w.Fence(r, gone)
		}
		for i := range gone {
			if o != a.owner {
				block.SetOwner(gone[i].Mem, unsafe.Pointer(o))
			}
			o.bytes += gone[i].Total
		}
		o.chunks = append(o.chunks, gone...)
	case w != nil:
		w.Chunks(r, gone)
	}
}

// generation returns the owner of what is reclaimed now: the arena's own if that is everything, and else a new one,
// which keeps the arena's, since later values may point to earlier ones.
func (a *Arena) generation() *owner {
	q := a.quarantine
	if q.ending {
		return a.owner
	}
	if q.rewound == nil {
		q.rewound = &owner{parent: a.owner}
	}
	return q.rewound
}

// held returns an owner by which children that a Rewind ends hold what it reclaims: values that they have left may
// point there. While something points to these values, it is no escape that they keep it.
func (a *Arena) held() *owner {
	q := a.quarantine
	if q.held == nil {
		q.held = &owner{parent: a.generation()}
	}
	return q.held
}

// endLife is called before all of an arena is reclaimed. What KeepAlive was given goes with it. The owner of a local is
// that of all locals, and ends with the Shared.
func (a *Arena) endLife() {
	o := a.owner
	switch {
	case o == nil || a.isLocal() && !a.isEnding():
	case a.quarantines():
		a.setEnding(true)
		o.kept = append(o.kept, a.kept()...)
	case a.survived():
		a.leaveAll()
	default:
		o.limbo = reclaim.Limbo{}
	}
}

// beginLife is called afterwards.
func (a *Arena) beginLife() {
	if !a.isEnding() {
		return
	}
	a.setEnding(false)
	if a.watch() != nil {
		a.watchEnd()
	}
	if !a.isLocal() {
		a.succeed()
	}
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

// watchEnd gives the life that has ended to the watch. Values that stay valid may keep its memory, which is no escape.
// Those of a freed child keep it through the leash, so that the watch can tell. Those of a freed local keep it as any
// other pointer would, so that nothing is watched if there are such values.
func (a *Arena) watchEnd() {
	o, w := a.owner, a.watch()
	if len(o.locals) > 0 {
		w.Forget()
		return
	}
	if !a.isLocal() {
		o.submit(w)
		if !o.survived() {
			o.limbo.Close(w.Single(), &tracker)
		}
	}
	w.Leash(unsafe.Pointer(a.family.leash))
}

// submitDead is called when all that an operation reclaims has been reclaimed.
func (a *Arena) submitDead() {
	q := a.quarantine
	if q == nil {
		return
	}
	w := q.watch
	q.ranges.Report(w != nil)
	gone := q.rewound
	q.rewound = nil
	if w != nil && gone != nil {
		gone.submit(w)
	}
	if w != nil && q.held != nil {
		w.Leash(unsafe.Pointer(q.held))
	}
	q.held = nil
	l, key := a.account.lease, ""
	if l != nil {
		key = l.class.key
	}
	b := w.Batch(a.config.name, key, a.config.onEscape)
	if b != nil && l != nil {
		b.Lent = l.lentAt
	}
	switch {
	case gone != nil:
		a.toLimbo(reclaim.Remains{Chunks: gone.chunks, Batch: b})
	case b != nil:
		tracker.Submit(b)
	}
}

// submit has the watch find out whether something points to chunks that o keeps.
func (o *owner) submit(w *watch.Watch) {
	if len(o.chunks) > 0 && !w.Single() {
		w.All(unsafe.Pointer(o), unsafe.Sizeof(*o), o.bytes)
	}
}

// tookBack is called when an operation that reclaims something is over.
func (a *Arena) tookBack() {
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

func (s *surveyed) TakenBack(addr uintptr, gone bool) (string, *watch.Site, *watch.Stack) {
	if o := s.owner; o != nil && !s.IsLocal() {
		if site, by := o.limbo.SiteAt(addr, gone); site != nil {
			return s.Name(), site, by
		}
	}
	if b, site := tracker.TakenBack(addr, gone); site != nil {
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

// headerOf returns the memory of the arena itself. Its values may point there, so that an owner keeps it.
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
// number. Locals of a Shared are looked at when that is reset: until then others use what they may point to.
func (a *Arena) lookForHidden(first int, born uint64) {
	if a.account.shared == nil && a.wantsHidden() {
		stray.Look((*surveyed)(a), first, born)
	}
}
