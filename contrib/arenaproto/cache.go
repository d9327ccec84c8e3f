package arenaproto

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file holds how single values are allocated. To find out where in an arena values of a type go
// takes longer than to take the next one; with long inputs it is remembered.

// cacheFrom is from which length of an input on it pays to have a cache.
const cacheFrom = 1 << 9

// An allocCache has allocators for types, by op.slot. Different types may have the same slot.
type allocCache [32]struct {
	key   arena.TypeKey
	alloc arena.TypeAllocator
}

var caches = sync.Pool{New: func() any { return new(allocCache) }}

// slotOf returns the slot of a type.
func slotOf(k arena.TypeKey) uint8 {
	slotMu.Lock()
	defer slotMu.Unlock()
	s, ok := slots[k]
	if !ok {
		s = uint8(len(slots) % len(allocCache{}))
		slots[k] = s
	}
	return s
}

var (
	slotMu sync.Mutex
	slots  = map[arena.TypeKey]uint8{}
)

// make makes a value of a type that has that slot, for a field.
func (d *decoder) make(f *op, k arena.TypeKey, slot uint8) unsafe.Pointer {
	if d.cache != nil {
		if e := &d.cache[slot%uint8(len(d.cache))]; e.key == k {
			return e.alloc.New()
		}
	}
	return d.makeSlow(f, k, slot)
}

//go:noinline
func (d *decoder) makeSlow(f *op, k arena.TypeKey, slot uint8) unsafe.Pointer {
	switch {
	case d.a == nil:
		return f.onHeap(k)
	case d.cache == nil:
		return k.New(d.a)
	}
	e := &d.cache[slot%uint8(len(d.cache))]
	e.key, e.alloc = k, k.For(d.a)
	return e.alloc.New()
}

// all decodes a whole input to the message at p, and says whether it is good. If the arena's budget is
// used up meanwhile, the cache isn't used again.
func (d *decoder) all(pl *plan, p unsafe.Pointer, b []byte) bool {
	if len(b) < cacheFrom || d.a == nil {
		return d.message(pl, p, b, 0, 0) >= 0
	}
	d.cache = caches.Get().(*allocCache)
	end := d.message(pl, p, b, 0, 0)
	clear(d.cache[:]) // it would keep the arena alive
	caches.Put(d.cache)
	return end >= 0
}
