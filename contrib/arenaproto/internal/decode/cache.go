package decode

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
)

// This file allocates single values. Finding out where in an arena values of a type go takes longer than
// taking the next one. With long inputs it is remembered, in a cache of the decoder.

// cacheFrom is the length of an input from which on a cache pays: it has to be cleared afterwards.
const cacheFrom = 1 << 9

// An allocCache has allocators for types, by slots of ops. Different types may have the same slot.
type allocCache [plan.SlotCount]struct {
	key   arena.TypeKey
	alloc arena.TypeAllocator
}

// caches has caches that no decoder uses. They are clear.
var caches = sync.Pool{New: func() any { return new(allocCache) }}

// make allocates a value of a type that has that slot, for a field.
func (d *Decoder) make(f *plan.Op, k arena.TypeKey, slot uint8) unsafe.Pointer {
	if d.cache != nil {
		if e := &d.cache[slot%uint8(len(d.cache))]; e.key == k {
			return e.alloc.New()
		}
	}
	return d.makeSlow(f, k, slot)
}

// makeSlow is make without an allocator in the cache.
//
//go:noinline
func (d *Decoder) makeSlow(f *plan.Op, k arena.TypeKey, slot uint8) unsafe.Pointer {
	switch {
	case d.Arena == nil:
		return onHeap(f, k)
	case d.cache == nil:
		return arena.NewType(d.Arena, k)
	}
	e := &d.cache[slot%uint8(len(d.cache))]
	e.key, e.alloc = k, arena.ForType(d.Arena, k)
	return e.alloc.New()
}

// All decodes a whole input to the message at p, and reports whether it is good. If it panics because the
// arena's budget is used up, the cache isn't used again.
func (d *Decoder) All(pl *plan.Plan, p unsafe.Pointer, b []byte) bool {
	if len(b) < cacheFrom || d.Arena == nil {
		return d.Message(pl, p, b, 0, 0) >= 0
	}
	d.cache = caches.Get().(*allocCache)
	end := d.Message(pl, p, b, 0, 0)
	clear(d.cache[:]) // it would keep the arena alive
	caches.Put(d.cache)
	return end >= 0
}
