package arena

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/internal/engine/race"
)

// This file holds arenas of many goroutines that end together. It must not depend on the allocations of the locals. All
// fields that two goroutines could touch are under mu, but for freed and the counters of windows.

// A Shared is one lifetime for the values of many goroutines: those that work on the same request, or parse the same
// program. Each of them gets an arena of its own from Local, so that none waits for another. All values live until
// Reset or Free of the Shared.
//
// In a self-contained Shared, made with [WithNoScan], values of different locals may point to each other, and any
// pointer into one of them keeps all alive.
//
// A limit set by [WithLimit] is one for all locals together. It counts the bytes of their chunks, and of their
// children's, in use or not, and the values given to KeepAlive of those that live. Chunks of a local that was freed
// don't count, unless it is self-contained: its values live on with the others, and count until Reset.
//
// The zero Shared is ready to use and has the default options. A Shared must not be copied after its first use. A nil
// *Shared is the Go heap: its locals are nil arenas.
type Shared struct {
	// mu is held where locals are made and ended, and where they take chunks from the root. Their slabs are listed
	// under it too, for Free.
	mu    sync.Mutex
	freed atomic.Bool

	// root is the parent of all locals, which are its children. Nothing is allocated from it; it keeps the chunks that
	// the locals of one life leave to those of the next.
	root  Arena
	total total
}

// NewShared returns an empty Shared. It takes no memory until the first allocation. It panics if the options contradict
// each other.
func NewShared(opts ...Option) *Shared {
	s := new(Shared)
	c := *newConfig("NewShared", opts)
	s.total.name = c.name
	s.total.limit = int64(c.limit)
	c.limit = 0 // it is the total's
	s.root.core = &core{config: &c}
	if s.total.limit > 0 {
		s.root.account.total = &s.total
	}
	return s
}

// Local returns a new arena for the calling goroutine, whose values live as long as s. Each goroutine calls it once.
// Any goroutine may call it at any time; it panics after Free.
//
// The arena's own Reset, Rewind and Free reclaim its own allocations, as usual, but nothing requires them. In a
// self-contained Shared they keep all memory, also beyond WithMaxRetained, for the arena's own use or, after Free, for
// that of other locals: values of others may still point there. For the same reason they keep KeepAlive's values, until
// the Shared is reset.
func (s *Shared) Local() *Arena {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed.Load() {
		panic("arena: Local: the Shared" + quoted(s.root.name()) + " was freed")
	}
	s.root.check("Local")
	a := s.root.newChild(s)
	if o := s.root.owner; o != nil { // one for all: what keeps one keeps all
		a.setOwner(o)
	}
	a.memory.JoinLife(&s.root.memory)
	return a
}

// isLocal reports whether a is a local of a Shared, not a child of one.
func (a *Arena) isLocal() bool {
	return a.account.shared != nil && a.family.parent == &a.account.shared.root
}

// isWindowless reports whether another goroutine may free a while it is in use, and a notices only on the slow path, so
// that it must always take that.
//
// Free closes the windows of locals, but not with the race detector, which would report just that. Nor does it close
// those of their children, since it has no list of them.
func (a *Arena) isWindowless() bool {
	return a.account.shared != nil && (race.Enabled || !a.isLocal())
}

// Reset reclaims everything that was allocated from locals, and keeps the memory for those of the next life, as
// [Arena.Reset] does. The locals end: allocating from one panics, and Local returns new ones. All goroutines must be
// done with their locals and with the values in them. Reset of a nil or freed Shared does nothing.
func (s *Shared) Reset() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed.Load() {
		return
	}
	s.root.check("Reset")
	s.root.reset()
	s.total.bytes.Store(int64(s.root.memory.Reserved()))
}

// Free releases all memory, which the GC reclaims as soon as nothing points to it. Values stay valid for as long as
// something points to them, as after [Arena.Free].
//
// The locals end. It is a mistake if another goroutine still allocates from one, but no memory is corrupted: its next
// allocation panics, and so do Local, Mark and the like. Only with WithScrub, which erases values, all goroutines must
// be done. A second Free does nothing, and neither does that of a nil Shared.
func (s *Shared) Free() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed.Load() {
		return
	}
	s.root.check("Free")
	s.freed.Store(true)
	locals := slices.Collect(s.root.family.children)
	for _, a := range locals {
		a.closeForGood()
	}
	if o := s.root.owner; o != nil {
		o.keep(s.root.plain.Kept(), &s.root)
		for _, a := range locals {
			o.keep(nil, a)
		}
		o.arena = nil
	}
	s.root.family, s.root.owner = family{}, nil
	s.root.free(freed)
	s.total.bytes.Store(0)
}

// closeForGood ends a local that another goroutine may be using. It writes nothing but the counters of windows. That
// goroutine stays within the window with an old or a new value of such a counter; then the window ends, or its slow
// path finds that the Shared was freed.
func (a *Arena) closeForGood() {
	if a.config.Scrub {
		a.scrub()
	}
	if !race.Enabled {
		a.memory.Close()
	}
}

// giveUp is Free of a local.
func (s *Shared) giveUp(a *Arena) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed.Load() {
		return
	}
	a.leaveFamily()
	if o := a.owner; o != nil { // the values live on with the others
		o.keep(a.plain.Kept(), a.kept()...)
		if a.plain.Used() > 0 {
			o.left.Store(true)
			o.keep(nil, a)
		}
		if m := a.life.marks; m != nil {
			a.creditKept(m.charged)
		}
		a.account.total = nil // until Reset its blocks count on, as the owner's
	}
	a.free(freed)
}
