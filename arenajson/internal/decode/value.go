package decode

import (
	"strings"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file selects the function for each kind of value.
//
// null has the same effect on most kinds: in version 2 the value becomes zero; with the options of
// v1 pointers, slices, maps and interfaces become nil, and everything else stays unchanged. The
// functions of mismatch.go report values that don't fit the kind, and return where decoding goes
// on.

// value decodes a value into p, whose plan is n, and returns its end, or -1. The kinds are in the
// order of their frequency. On an error p has the part decoded so far.
func (d *decoder) value(n *plan.Node, p unsafe.Pointer, i int) int {
	switch n.Kind {
	case plan.KindString:
		// Most strings have ordinary bytes only and are decoded here.
		data := d.Data
		if uint(i) >= uint(len(data)) || data[i] != '"' || d.Flags&option.ReferenceInput != 0 {
			return d.string(n, p, i)
		}
		end := text.Run(data, i+1)
		if uint(end) >= uint(len(data)) || data[end] != '"' {
			return d.string(n, p, i)
		}
		if d.a == nil {
			mem.Set(p, d.onHeap(data[i+1:end]))
		} else {
			mem.Set(p, d.a.AllocString(mem.String(data[i+1:end])))
		}
		return end + 1
	case plan.KindStruct:
		return d.object(n, p, i)
	case plan.KindInt64:
		return d.integer(n, p, i)
	case plan.KindFloat64:
		return d.float64(n, p, i)
	case plan.KindBool:
		return d.bool(n, p, i)
	case plan.KindSlice:
		return d.slice(n, p, i)
	case plan.KindPointer:
		return d.pointer(n, p, i)
	case plan.KindInt:
		return d.integer(n, p, i)
	case plan.KindUint:
		return d.unsigned(n, p, i)
	case plan.KindFloat32:
		return d.number(n, p, i, d.Flags&option.StringifyNumbers != 0)
	case plan.KindAny:
		return d.anyTo(n, p, i)
	case plan.KindMap:
		return d.mapping(n, p, i)
	case plan.KindArray:
		return d.array(n, p, i)
	case plan.KindBytes, plan.KindByteArray:
		return d.bytes(n, p, i)
	}
	return d.rare(n, p, i)
}

// rare is value for the rare kinds. It isn't inlined, so that value stays small.
//
//go:noinline
func (d *decoder) rare(n *plan.Node, p unsafe.Pointer, i int) int {
	if n.Bare && d.Flags&option.Legacy != 0 {
		return d.value(n.Plain, p, i)
	}
	switch n.Kind {
	case plan.KindInterface:
		return d.iface(n, p, i)
	case plan.KindNumber:
		return d.jsonNumber(p, i, d.Flags&option.StringifyNumbers != 0)
	case plan.KindObject:
		return d.objectTo(n, p, i)
	case plan.KindQuoted:
		return d.quotedValue(n, p, i)
	case plan.KindMethod:
		return d.method(n, p, i)
	case plan.KindText:
		return d.textMethod(n, p, i)
	case plan.KindArena:
		return d.arenaMethod(n, p, i)
	case plan.KindTime:
		return d.time(n, p, i)
	case plan.KindDuration:
		return d.duration(n, p, i)
	case plan.KindRaw:
		return d.raw(p, i)
	case plan.KindTable:
		return d.table(n, p, i)
	case plan.KindList:
		return d.list(n, p, i)
	}
	return d.invalid(n, i)
}

// pointer decodes a value into the target of the pointer at p, which is allocated if it is nil.
// null makes the pointer nil.
func (d *decoder) pointer(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = n.Elem.Key.New(d.a)
		mem.Set(p, q)
	}
	return d.value(n.Elem, q, i)
}

// invalid is value for types without a form in JSON. The options of v1 accept null.
func (d *decoder) invalid(n *plan.Node, i int) int {
	if d.Flags&option.Legacy != 0 {
		if end := d.Word(i, "null"); end >= 0 {
			return end
		}
		return d.mismatch(n.Type, i, nil)
	}
	// A name that becomes a key: the fault is the object's.
	if d.IsName(i) {
		e := d.faultAt(n.Type, i, 0, nil)
		e.Pointer = e.Pointer[:strings.LastIndexByte(e.Pointer, '/')]
		return d.report(e, -1)
	}
	return d.misfit(n.Type, i, i, 0, nil)
}
