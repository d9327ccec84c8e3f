package index

import "hash/maphash"

// A table finds names. It is a plain chained hash table: the chains go through
// the names themselves, so the only memory of its own is the array of buckets.
// A Go map would put its groups on the heap, which a self-contained arena may
// not point to; all builds use this table so that they differ in the allocator
// alone.
type table struct {
	buckets []*Ident // a power of two, or none
	len     int
}

const firstBuckets = 1 << 10

// The seed is fixed within a process. Nothing that is reported depends on the
// order of the buckets.
var seed = maphash.MakeSeed()

func (t *table) find(h uint64, name string) *Ident {
	if t.len == 0 {
		return nil
	}
	for id := t.buckets[h&uint64(len(t.buckets)-1)]; id != nil; id = id.next {
		if id.hash == h && id.Name == name {
			return id
		}
	}
	return nil
}

// named finds or adds a name.
func (t *table) named(m maker, name string) *Ident {
	h := maphash.String(seed, name)
	if id := t.find(h, name); id != nil {
		return id
	}
	if t.len >= len(t.buckets) {
		t.grow(m)
	}
	id := m.ident(name)
	id.hash = h
	t.insert(id)
	t.len++
	return id
}

func (t *table) insert(id *Ident) {
	i := id.hash & uint64(len(t.buckets)-1)
	id.next, t.buckets[i] = t.buckets[i], id
}

func (t *table) grow(m maker) {
	old := t.buckets
	t.buckets = m.buckets(max(2*len(old), firstBuckets))
	for _, id := range old {
		for id != nil {
			next := id.next
			t.insert(id)
			id = next
		}
	}
}

// Ident finds a name, nil if it occurs nowhere.
func (x *Index) Ident(name string) *Ident {
	return x.names.find(maphash.String(seed, name), name)
}

// Idents is an iterator over the identifiers, in no particular order.
func (x *Index) Idents(yield func(*Ident) bool) {
	for _, id := range x.names.buckets {
		for ; id != nil; id = id.next {
			if id.Count > 0 && !yield(id) {
				return
			}
		}
	}
}
