package server

import (
	"hash/maphash"

	"github.com/harena-go/arena"
)

// A table is a map with string keys for an arena: a slice of entries in the
// order in which they came and, only if there are many, an open-addressing
// index over them. Up to smallTable entries are simply searched, which takes no
// longer than hashing a key. A nil arena puts it on the Go heap.
type table[V any] struct {
	entries []entry[V]
	index   []uint32 // 1 + position in entries; 0 is free. A power of two, or none
}

type entry[V any] struct {
	key   string
	value V
}

const smallTable = 8

var tableSeed = maphash.MakeSeed()

func (t *table[V]) len() int { return len(t.entries) }

func (t *table[V]) get(key string) (v V, ok bool) {
	if i, _ := t.find(key); i >= 0 {
		return t.entries[i].value, true
	}
	return v, false
}

// find returns where key is among the entries, or -1 and the place in the index
// that it would get.
func (t *table[V]) find(key string) (i int, place uint64) {
	if t.index == nil {
		for i := range t.entries {
			if t.entries[i].key == key {
				return i, 0
			}
		}
		return -1, 0
	}
	mask := uint64(len(t.index) - 1)
	for h := maphash.String(tableSeed, key) & mask; ; h = (h + 1) & mask {
		i := int(t.index[h]) - 1
		if i < 0 || t.entries[i].key == key {
			return i, h
		}
	}
}

// set stores v under key. The table and the key's memory must both be a's.
func (t *table[V]) set(a *arena.Arena, key string, v V) {
	i, place := t.find(key)
	if i >= 0 {
		t.entries[i].value = v
		return
	}
	if t.entries == nil {
		t.entries = arena.MakeSlice[entry[V]](a, 0, smallTable) // as much as a built-in map begins with
	}
	t.entries = arena.Append(a, t.entries, entry[V]{key, v})
	switch n := len(t.entries); {
	case n <= smallTable:
	case 2*n > len(t.index): // so that it is never more than half full
		t.grow(a)
	default:
		t.index[place] = uint32(n)
	}
}

// grow makes an index of twice the size, of four places an entry at first.
func (t *table[V]) grow(a *arena.Arena) {
	n := max(4*smallTable, 2*len(t.index))
	t.index = arena.MakeSlice[uint32](a, n, n)
	mask := uint64(len(t.index) - 1)
	for i := range t.entries {
		h := maphash.String(tableSeed, t.entries[i].key) & mask
		for t.index[h] != 0 {
			h = (h + 1) & mask
		}
		t.index[h] = uint32(i + 1)
	}
}

func (t *table[V]) all(yield func(string, V) bool) {
	for i := range t.entries {
		if !yield(t.entries[i].key, t.entries[i].value) {
			return
		}
	}
}

func (t *table[V]) clear() {
	clear(t.entries)
	t.entries, t.index = t.entries[:0], nil
}
