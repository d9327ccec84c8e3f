package arena

import (
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file passes on memory among the arenas of a Pool. It must not depend on how much an arena may keep (lease.go).
//
//	arena that comes back ──▶ what is more than its kind of work needs ──▶ depot ──▶ arena that needs a chunk
//	                                                                         └────▶ Go heap, if it is too much or unused
//
// For example, one request in ten takes 1.5 MiB and the others 12 KiB. Nobody knows which when Get is called: they may
// even have the same key. All begin with an arena of 12 KiB. The large one takes further chunks from the depot, where
// it finds those of the large one before, and they are back there after its Put. The chunks lie in bins by size, and
// none much larger than what is needed is lent, so that small requests don't use up the large ones.
//
// Get and Put of arenas that have what they need don't come here.

// A depot is an arena that is never lent. It has chunks that others may take. All its arenas' goroutines use it, one at a
// time.
type depot struct {
	mu    sync.Mutex
	lease atomic.Pointer[lease] // of the arena; nil until there is one

	reviews int // calls of trim

	// hold keeps the arena alive, and nothing else does: if two cycles of the GC pass without a use the arena is
	// gone, as idle ones are. It has the arena once for each processor at most.
	hold sync.Pool
}

// get returns the arena, or nil if there is none. The lock is held.
func (s *depot) get() *Arena {
	if l := s.lease.Load(); l != nil {
		return l.arena.Value()
	}
	return nil
}

// bytes returns how many bytes of chunks it has.
func (s *depot) bytes() int64 {
	if l := s.lease.Load(); l != nil {
		return l.reserved.Load()
	}
	return 0
}

// use keeps the arena alive for some more cycles. The lock is held.
func (s *depot) use(a *Arena) {
	s.hold.Get()
	s.hold.Put(a)
}

// lend gives a chunk to a region of the arena of a lease, or of a child. See [memory.Space.Lend].
func (s *depot) lend(l *lease, to *memory.Region, least, want uintptr, t *total) (c memory.Chunk, ok bool) {
	from := s.lease.Load()
	if from == nil || from.bytes() < least {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.get()
	if a == nil {
		return
	}
	// An arena that has no chunk keeps the first one for good, so a smaller one than it should have won't do; unless it
	// will have to give it back.
	if to.Total() == 0 && !l.books.crowded() {
		least = max(least, want)
	}
	// No chunk is larger than most, so that the limit of the pool isn't exceeded for a moment.
	most := int64(tuning.LendFactor * want)
	if t != nil && !t.tryCharge(most) {
		return
	}
	if c, ok = a.memory.Lend(to, least, want); ok {
		s.use(a)
		s.lease.Load().reserved.Add(-int64(c.Total))
		l.reserved.Add(int64(c.Total))
	}
	if t != nil {
		t.bytes.Add(int64(c.Total) - most)
	}
	return c, ok
}

// take takes the chunks of an arena that comes back that move passes on.
func (s *depot) take(l *lease, config *config, move func(to memory.Keeper)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.get()
	if a == nil {
		a = l.books.newArena(&l.books.main, config)
		a.account.lease.stays = true
		s.lease.Store(a.account.lease)
	}
	s.use(a)
	had := a.memory.Reserved()
	move(func(r *memory.Region) *memory.Region {
		key, ok := r.Key()
		if !ok {
			return &a.plain
		}
		to := a.memory.Find(key)
		if to == nil {
			to = a.memory.AddSlab(key, r.Type(), 0)
		}
		return &to.Region
	})
	moved := int64(a.memory.Reserved() - had)
	a.account.lease.reserved.Add(moved)
	a.account.lease.books.held.Add(moved)
}

// shed releases some bytes of chunks, or all of them if they are fewer.
func (s *depot) shed(bytes uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.get(); a != nil {
		has := a.memory.Reserved()
		a.memory.Shed(has - min(has, bytes))
	}
}

// trim releases chunks that no arena has needed since the trim before, except for a share. It is called when the shares
// are reviewed, and waits for some reviews, so that pieces of work that come once in a while find their memory.
func (s *depot) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reviews++; s.reviews%tuning.TrimReviews != 0 {
		return
	}
	if a := s.get(); a != nil {
		a.memory.TrimUnused()
	}
}
