package syntax

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file finds duplicate names in objects that are skipped or decoded into an any, without a
// struct or map that would show them.
//
// Names of small objects are compared with each other, if a filter of 256 bits has a hit; those of
// large ones go to a hash table with a secret seed, so that no input makes it slow. Small objects
// use a fast hash, which is replaced for all names when an object becomes large.
//
// Nested objects share one stack of names. An object's names are removed when it ends; the next
// text uses the stack's memory again.

// A seenName is a name of an open object. Its text isn't copied, unless it had escapes.
type seenName struct {
	start, end int // in the input, or in decoder.unescaped if it had escapes
	hash       uint32
	escaped    bool
}

// A NameSet is the names of one open object. Those of the enclosing objects come first in
// Reader.Seen, which is a stack.
type NameSet struct {
	Base   int       // its first name in decoder.seen
	filter [4]uint64 // of hashes
	table  *nameIndex
}

// A nameIndex is the hash table of a large object. A slot has the hash in its upper half, so that
// neither a search nor growing touches names, which are scattered over the input, unless they are
// equal: with 2 million names that is 3 times as fast.
type nameIndex struct {
	slots []uint64 // hash, and index in decoder.seen plus one, less base; as many as needed
	next  *nameIndex
}

// smallObject is the most names that are compared one by one.
const smallObject = 64

// OpenNames returns the set for an object that begins, inside the open ones.
func (d *Reader) OpenNames() NameSet { return NameSet{Base: len(d.Seen)} }

// CloseNames removes the names of the innermost object. Another one may use its table.
func (d *Reader) CloseNames(s *NameSet) {
	d.Seen = d.Seen[:s.Base]
	// The outermost object: unescaped names of all objects are unused now.
	if s.Base == 0 {
		d.Unescaped = d.Unescaped[:0]
	}
	if s.table != nil {
		s.table.next, d.indexes, s.table = d.indexes, s.table, nil
	}
}

// AddName adds a name to the innermost object, and reports whether it is new. start is the offset
// of its text in the input; escaped: the name differs from that text, and must be copied.
func (d *Reader) AddName(s *NameSet, name []byte, start int, escaped bool) bool {
	hash := text.NameHash(name)
	word, bit := &s.filter[hash>>62], uint64(1)<<(hash>>56&63)
	switch {
	case s.table != nil:
		return d.addToTable(s, name, start, escaped)
	// The filter has false hits, but no false misses.
	case *word&bit != 0 && d.sees(s, name, uint32(hash)):
		return false
	}
	*word |= bit
	d.pushName(name, uint32(hash), start, escaped)
	if len(d.Seen)-s.Base > smallObject {
		d.growTable(s)
	}
	return true
}

// pushName puts a name on the stack.
func (d *Reader) pushName(name []byte, hash uint32, start int, escaped bool) {
	if escaped {
		start = len(d.Unescaped)
		d.Unescaped = append(d.Unescaped, name...)
	}
	d.Seen = append(d.Seen, seenName{start, start + len(name), hash, escaped})
}

// nameOf returns the text of a name.
func (d *Reader) nameOf(n *seenName) []byte {
	if n.escaped {
		return d.Unescaped[n.start:n.end]
	}
	return d.Data[n.start:n.end]
}

// sees reports whether a small object has a name with that fast hash.
func (d *Reader) sees(s *NameSet, name []byte, hash uint32) bool {
	all := d.Seen[s.Base:]
	for i := range all {
		if n := &all[i]; n.hash == hash && n.end-n.start == len(name) && string(d.nameOf(n)) == string(name) {
			return true
		}
	}
	return false
}

// Has reports whether the innermost object has a name.
func (d *Reader) Has(s *NameSet, name []byte) bool {
	if s.table == nil {
		return d.sees(s, name, uint32(text.NameHash(name)))
	}
	slots, hash := s.table.slots, text.SecretHash(name)
	for i := int(hash) & (len(slots) - 1); slots[i] != 0; i = (i + 1) & (len(slots) - 1) {
		if uint32(slots[i]>>32) == hash && string(d.nameOf(&d.Seen[s.Base+int(uint32(slots[i]))-1])) == string(name) {
			return true
		}
	}
	return false
}

// addToTable is AddName for a large object. At most three quarters of the slots are in use.
func (d *Reader) addToTable(s *NameSet, name []byte, start int, escaped bool) bool {
	if 4*(len(d.Seen)-s.Base) >= 3*len(s.table.slots) {
		d.growTable(s)
	}
	// Linear probing, up to a free slot.
	slots, hash := s.table.slots, text.SecretHash(name)
	i := int(hash) & (len(slots) - 1)
	for ; slots[i] != 0; i = (i + 1) & (len(slots) - 1) {
		if uint32(slots[i]>>32) == hash && string(d.nameOf(&d.Seen[s.Base+int(uint32(slots[i]))-1])) == string(name) {
			return false
		}
	}
	d.pushName(name, hash, start, escaped)
	slots[i] = uint64(hash)<<32 | uint64(len(d.Seen)-s.Base)
	return true
}

// growTable makes a table of all names of an object, or a larger one.
func (d *Reader) growTable(s *NameSet) {
	names := d.Seen[s.Base:]
	t := s.table
	// The first table of this object, an earlier object's if there is one.
	if t == nil {
		if t = d.indexes; t != nil {
			d.indexes = t.next
		} else {
			t = new(nameIndex)
		}
		s.table = t
		// Fill the table. The names are different, so nothing is compared.
		for k := range names { // they have the fast hash until now
			names[k].hash = text.SecretHash(d.nameOf(&names[k]))
		}
	}
	if size := 2 << bits.Len(uint(len(names))); size > cap(t.slots) {
		t.slots = make([]uint64, size)
		d.Slots += size
	} else { // a table of a much larger object: clear only the part needed
		t.slots = t.slots[:size]
		clear(t.slots)
	}
	for k := range names {
		i := int(names[k].hash) & (len(t.slots) - 1)
		for t.slots[i] != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = uint64(names[k].hash)<<32 | uint64(k+1)
	}
}
