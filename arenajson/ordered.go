package arenajson

import (
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds objects that keep their order.

// This file holds how values go to an any: strings and numbers get a place in the arena that
// the interface points to; the elements of an array are gathered on a stack of the decoder,
// and copied to a slice of the right length.

// An Object is what [OrderedObjects] makes of a JSON object that goes to an any: its members
// in their order. It lies in the arena.
type Object []Member

// A Member is a member of an [Object].
type Member struct {
	Name  string
	Value any
}

// Get returns the value of the member with a name, and whether there is one. Of several it is
// the last.
func (o Object) Get(name string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			return o[i].Value, true
		}
	}
	return nil, false
}

func (d *decoder) anyOrdered(i int) (any, int) {
	o, end := d.ordered(i)
	if end < 0 {
		return nil, -1
	}
	if !mem.Trusted {
		d.hold(o)
		return o, end
	}
	p := objectKey.New(d.a)
	mem.Set(p, o)
	return mem.Any(objectWord, p), end
}

// ordered reads an object to an Object.
func (d *decoder) ordered(i int) (Object, int) {
	base := len(d.members.all)
	end := d.anyMembers(i)
	if end < 0 {
		return nil, -1
	}
	all := d.members.all[base:]
	if d.flags&allowDuplicateNames == 0 && !uniqueNames(all) {
		return nil, -1 // likewise
	}
	if len(all) == 0 {
		return Object{}, end
	}
	o := unsafe.Slice(mem.At[Member](memberKey.MakeSlice(d.a, len(all))), len(all))
	copy(o, all)
	d.members.popTo(base)
	return o, end
}

// uniqueNames says whether all names are different.
func uniqueNames(all []Member) bool {
	if len(all) > smallObject {
		return uniqueMany(all)
	}
	var filter [4]uint64
	for i := range all {
		hash := hashName(mem.Bytes(all[i].Name))
		word, bit := &filter[hash>>62], uint64(1)<<(hash>>56&63)
		if *word&bit != 0 {
			for j := range i {
				if all[j].Name == all[i].Name {
					return false
				}
			}
		}
		*word |= bit
	}
	return true
}

func uniqueMany(all []Member) bool {
	seen := make(map[string]struct{}, len(all))
	for i := range all {
		seen[all[i].Name] = struct{}{}
	}
	return len(seen) == len(all)
}

// objectTo reads an object to the Object at p.
func (d *decoder) objectTo(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		mem.Set[Object](p, nil)
		return end
	}
	if d.peek(i) != '{' {
		return d.mismatchToken(n.typ, i, nil)
	}
	o, end := d.ordered(i)
	if end >= 0 {
		mem.Set(p, o)
	}
	return end
}
