package poolstats

import (
	"hash/maphash"
	"sync/atomic"
)

// Keys is a table of C by strings. Strings are added under the caller's lock and never removed, so that finding one
// needs no lock.
//
// An entry is complete before its place in the table points to it, and never changes. When the table is half full a
// larger one replaces it: a goroutine that still searches the old one finds the older entries, and searches again under
// the lock.
type Keys[C any] struct {
	seed  maphash.Seed
	table []atomic.Pointer[entry[C]] // a hash table of a power of two, at most half full
	n     atomic.Int32               // entries in it
}

type entry[C any] struct {
	key   string
	value *C
}

const (
	// MaxKeys is the most keys that a pool distinguishes, and MaxKey the most bytes of one. Others are treated as no
	// key: they may come from outside the program, and must not fill the memory.
	MaxKeys = 1024
	MaxKey  = 256
)

// Find returns the value of a key, or nil; also if k is nil. The search ends because half of the table is empty.
func (k *Keys[C]) Find(key string) *C {
	if k == nil {
		return nil
	}
	for i := k.start(key); ; i++ {
		switch e := k.table[i%len(k.table)].Load(); {
		case e == nil:
			return nil
		case e.key == key:
			return e.value
		}
	}
}

// start returns where the search for a key begins.
func (k *Keys[C]) start(key string) int {
	return int(maphash.String(k.seed, key) & uint64(len(k.table)-1))
}

// Full reports whether there are MaxKeys keys.
func (k *Keys[C]) Full() bool { return k != nil && k.n.Load() >= MaxKeys }

// Add adds v with a key that isn't there. The lock is held.
func (k *Keys[C]) Add(key string, v *C) {
	i := k.start(key)
	for k.table[i%len(k.table)].Load() != nil {
		i++
	}
	k.table[i%len(k.table)].Store(&entry[C]{key, v})
	k.n.Add(1)
}

// Grown returns a table with room for one more key: k itself, or a copy twice as large, which no other goroutine sees
// before the caller stores it. The lock is held.
func (k *Keys[C]) Grown() *Keys[C] {
	if k != nil && 2*int(k.n.Load()) < len(k.table) {
		return k
	}
	g := &Keys[C]{seed: maphash.MakeSeed(), table: make([]atomic.Pointer[entry[C]], 8)}
	if k != nil {
		g.table = make([]atomic.Pointer[entry[C]], 2*len(k.table))
		for key, v := range k.All {
			g.Add(key, v)
		}
	}
	return g
}

// All yields all keys and their values; none if k is nil.
func (k *Keys[C]) All(yield func(key string, v *C) bool) {
	if k == nil {
		return
	}
	for i := range k.table {
		if e := k.table[i].Load(); e != nil && !yield(e.key, e.value) {
			return
		}
	}
}
