package memory

import (
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/tuning"
)

// This file passes on chunks among spaces that do the same kinds of work, in turn and at the same
// time. It must not depend on how much a space may keep for itself.
//
//	space after its life ──▶ more than its work needs ──▶ depot ──▶ space that needs a chunk
//	                                                        └────▶ Go heap, if it is too much or unused
//
// For example, one request in ten takes 1.5 MiB and the others 12 KiB. Nobody knows which when a request begins. All
// begin with a space of 12 KiB. The large one takes further chunks from the depot, where it finds those of the large
// one before, and gives them back at its end. The chunks lie in bins by size, and none much larger than the request is
// lent, so that small requests don't use up the large ones.

// A Depot has chunks that any of several spaces may take. The zero Depot is empty. Any number of goroutines may use it;
// spaces with enough chunks don't.
type Depot struct {
	mu      sync.Mutex
	store   weak.Pointer[store]
	bytes   atomic.Uintptr // of the chunks; of a store that is gone until somebody looks
	reviews int            // calls of Trim

	// Only hold keeps the store alive: the store is gone after two cycles of the GC without a use. hold has it at most
	// once for each processor.
	hold sync.Pool
}

// A store is a space in which nothing is allocated. In chunks of self-contained spaces it is the owner: a reference to
// one of its chunks keeps all of them.
type store struct {
	plain  Region
	window Window
	space  Space
}

// get returns the store, or nil if there is none. The lock is held.
func (d *Depot) get() *store {
	s := d.store.Value()
	if s == nil {
		d.bytes.Store(0)
	}
	return s
}

// used keeps the store alive for some more cycles, and counts its bytes. The lock is held.
func (d *Depot) used(s *store) {
	d.hold.Get()
	d.hold.Put(s)
	d.bytes.Store(s.space.Reserved())
}

// Bytes returns the bytes of the chunks.
func (d *Depot) Bytes() uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.get()
	return d.bytes.Load()
}

// Lend gives a chunk to a region of a space, as [Space.Lend] does.
func (d *Depot) Lend(to *Region, least, want uintptr) (c Chunk, ok bool) {
	if d.bytes.Load() < least {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.get()
	if s == nil {
		return
	}
	if c, ok = s.space.Lend(to, least, want); ok {
		d.used(s)
	}
	return c, ok
}

// Take takes the chunks of a space that move passes on to the Keeper.
func (d *Depot) Take(from *Space, move func(to Keeper)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.get()
	if s == nil {
		s = new(store)
		s.space.Init(&s.plain, &s.window, from.config, true)
		if from.owner != nil {
			s.space.SetOwner(unsafe.Pointer(s))
		}
		d.store = weak.Make(s)
	}
	move(func(r *Region) *Region {
		if like := s.space.sameKind(r); like != nil {
			return like
		}
		return &s.space.AddSlab(r.slab.key, r.Type(), 0).Region
	})
	d.used(s)
}

// Shed releases the given number of bytes of chunks, or all of them if they have less.
func (d *Depot) Shed(bytes uintptr) {
	d.change(func(s *Space) {
		has := s.Reserved()
		s.Shed(has - min(has, bytes))
	})
}

// Trim releases the chunks that nobody has needed since the trim before, except for a share. Only one call in some does
// so, so that rare work finds its memory.
func (d *Depot) Trim() {
	d.change(func(s *Space) {
		if d.reviews++; d.reviews%tuning.TrimReviews == 0 {
			s.TrimUnused()
		}
	})
}

// change calls f, which releases chunks.
func (d *Depot) change(f func(s *Space)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.get(); s != nil {
		f(&s.space)
		d.bytes.Store(s.space.Reserved())
	}
}
