package arenajson

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds how values go to an any: strings and numbers get a place in the arena that
// the interface points to; the elements of an array are gathered on a stack of the decoder,
// and copied to a slice of the right length.

func (d *decoder) anyOrdered(i int) (any, int) {
	o, end := d.ordered(i)
	if end < 0 {
		return nil, -1
	}
	if !mem.Trusted {
		v := boxOrdered(o)
		d.hold(v)
		return v, end
	}
	p := arena.NewType(d.a, ordered.key)
	mem.Set(p, o)
	return mem.Any(ordered.word, p), end
}

// boxOrdered returns an object as an any, on the Go heap, by reflect.
//
//go:noinline
func boxOrdered(o []pair) any { return mem.Value(ordered.typ, unsafe.Pointer(&o)).Interface() }

// ordered reads an object to pairs.
func (d *decoder) ordered(i int) ([]pair, int) {
	base := len(d.members.all)
	end := d.anyMembers(i)
	if end < 0 {
		return nil, -1
	}
	all := d.members.all[base:]
	if d.flags&option.AllowDuplicateNames == 0 && !uniqueNames(all) {
		return nil, -1 // likewise
	}
	if len(all) == 0 {
		return []pair{}, end
	}
	o := unsafe.Slice(mem.At[pair](arena.MakeSliceType(d.a, ordered.member, len(all))), len(all))
	copy(o, all)
	d.members.popTo(base)
	return o, end
}

// objectTo reads an object to the Object at p.
func (d *decoder) objectTo(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		mem.Set[[]pair](p, nil)
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
