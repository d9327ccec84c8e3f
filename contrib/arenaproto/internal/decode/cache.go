package decode

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
)

// This file allocates single values. Finding a type's allocator in an arena takes longer than allocating. For
// long inputs the decoder has a cache of allocators.

// cacheFrom is the least input for which a cache is worthwhile: it has to be cleared afterwards.
const cacheFrom = 1 << 9

// caches has unused caches. They are clear.
var caches = sync.Pool{New: func() any { return new(allocCache) }}

// make allocates a value of type k, with that slot, for a field.
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
		return k.New(d.Arena)
	}
	e := &d.cache[slot%uint8(len(d.cache))]
	e.key, e.alloc = k, k.For(d.Arena)
	return e.alloc.New()
}
