package arenajson

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
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
	p := arena.NewType(d.a, plan.Ordered.Key)
	mem.Set(p, o)
	return mem.Any(plan.Ordered.Word, p), end
}

// boxOrdered returns an object as an any, on the Go heap, by reflect.
//
//go:noinline
func boxOrdered(o []plan.Pair) any {
	return mem.Value(plan.Ordered.Typ, unsafe.Pointer(&o)).Interface()
}

// ordered reads an object to pairs.
func (d *decoder) ordered(i int) ([]plan.Pair, int) {
	base := len(d.members.all)
	end := d.anyMembers(i)
	if end < 0 {
		return nil, -1
	}
	all := d.members.all[base:]
	if d.Flags&option.AllowDuplicateNames == 0 && !plan.UniqueNames(all) {
		return nil, -1 // likewise
	}
	if len(all) == 0 {
		return []plan.Pair{}, end
	}
	o := unsafe.Slice(mem.At[plan.Pair](arena.MakeSliceType(d.a, plan.Ordered.Member, len(all))), len(all))
	copy(o, all)
	d.members.popTo(base)
	return o, end
}

// objectTo reads an object to the Object at p.
func (d *decoder) objectTo(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[[]plan.Pair](p, nil)
		return end
	}
	if d.Peek(i) != '{' {
		return d.mismatchToken(n.Typ, i, nil)
	}
	o, end := d.ordered(i)
	if end >= 0 {
		mem.Set(p, o)
	}
	return end
}
