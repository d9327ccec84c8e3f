package arena

import (
	"hash/maphash"
	"sync/atomic"
)

// keys is a table of C by strings, which are added, under somebody's lock, and never
// removed, so that whoever looks for one needs no lock. This file may not know what a C is.
//
// An entry is complete before its place in the table points to it, and never changes. When
// the table is half full a larger one takes its place: who still looks in the old one finds
// what it had, and asks again under the lock.
type keys[C any] struct {
	seed  maphash.Seed
	table []atomic.Pointer[entry[C]] // a hash table of a power of two, at most half full
	n     atomic.Int32               // entries in it
}

type entry[C any] struct {
	key   string
	value *C
}

const (
	// maxKeys is how many keys a pool tells apart, and maxKey how many bytes one may
	// have. Others, which may come from outside the program, are treated as none, lest
	// they fill the memory.
	maxKeys = 1024
	maxKey  = 256
)

// find returns what has a key, or nil. The search ends, as half of the table is empty.
func (k *keys[C]) find(key string) *C {
	for i := k.home(key); ; i++ {
		switch e := k.table[i%len(k.table)].Load(); {
		case e == nil:
			return nil
		case e.key == key:
			return e.value
		}
	}
}

// home returns where the search for a key begins.
func (k *keys[C]) home(key string) int {
	return int(maphash.String(k.seed, key) & uint64(len(k.table)-1))
}

// add adds v with a key that isn't there. The lock is held.
func (k *keys[C]) add(key string, v *C) {
	i := k.home(key)
	for k.table[i%len(k.table)].Load() != nil {
		i++
	}
	k.table[i%len(k.table)].Store(&entry[C]{key, v})
	k.n.Add(1)
}

// grown returns keys with room for one more: k itself, or a copy twice as large, which
// nobody sees before the caller stores it.
func (k *keys[C]) grown() *keys[C] {
	if k != nil && 2*int(k.n.Load()) < len(k.table) {
		return k
	}
	g := &keys[C]{seed: maphash.MakeSeed(), table: make([]atomic.Pointer[entry[C]], 8)}
	if k != nil {
		g.table = make([]atomic.Pointer[entry[C]], 2*len(k.table))
		for key, v := range k.all {
			g.add(key, v)
		}
	}
	return g
}

// all yields all keys, and what has them.
func (k *keys[C]) all(yield func(key string, v *C) bool) {
	for i := range k.table {
		if e := k.table[i].Load(); e != nil && !yield(e.key, e.value) {
			return
		}
	}
}
