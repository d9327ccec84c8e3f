package arenajson

import (
	"errors"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds fields with the tag option string.

var errStringTag = errors.New("invalid use of `string` tag option")

// quotedValue reads the value of a field with the tag option string.
func (d *decoder) quotedValue(n *node, p unsafe.Pointer, i int) int {
	if option.Classic && d.flags&option.Legacy != 0 {
		return d.quotedClassic(n, p, i)
	}
	e := n.elem
	switch e.kind {
	case kindInt64, kindInt, kindUint, kindFloat64, kindFloat32:
		return d.number(e, p, i, true)
	case kindNumber:
		return d.jsonNumber(p, i, true)
	case kindPointer:
		return d.quotedPointer(n, p, i)
	case kindMethod, kindText, kindArena, kindRaw:
		return d.value(e, p, i)
	}
	if d.flags&option.Legacy == 0 {
		return d.misfit(e.typ, i, i, 0, errStringTag)
	}
	switch e.kind {
	case kindString:
		return d.quotedString(e, p, i)
	case kindBool:
		return d.quotedBool(e, p, i)
	case kindDuration:
		return d.number(&node{kind: kindInt64, bits: 64, size: 8, typ: e.typ}, p, i, true)
	}
	return d.value(e, p, i)
}

// quotedPointer passes the option on to what a pointer points to. With the options of v1, null
// in a string is a nil pointer.
func (d *decoder) quotedPointer(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	e := n.elem.elem
	if d.flags&option.Legacy != 0 && e.kind == kindPointer {
		return d.value(n.elem, p, i)
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = arena.NewType(d.a, e.key)
		mem.Set(p, q)
	}
	faults := d.faults
	end := d.quotedValue(&node{kind: kindQuoted, typ: e.typ, size: e.size, elem: e}, q, i)
	nulls := d.flags&option.Legacy != 0 && e.kind != kindAny && e.kind != kindInterface
	if nulls && end >= 0 && d.faults == faults && string(d.data[i:end]) == `"null"` {
		mem.Set[unsafe.Pointer](p, nil)
	}
	return end
}

func (d *decoder) quotedString(n *node, p unsafe.Pointer, i int) int {
	if d.peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.text(i)
	if end < 0 || string(b) == "null" {
		return end
	}
	in := reader{data: append([]byte(nil), b...), flags: d.flags}
	s, inner := in.text(0)
	if inner != len(in.data) {
		return d.mismatch(n.typ, i, strconv.ErrSyntax)
	}
	mem.Set(p, d.a.AllocString(string(s)))
	return end
}

func (d *decoder) quotedBool(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		return end
	}
	if d.peek(i) != '"' {
		return d.mismatchToken(n.typ, i, nil)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	switch string(b) {
	case "true":
		mem.Set(p, true)
	case "false":
		mem.Set(p, false)
	case "null":
	default:
		return d.mismatch(n.typ, i, strconv.ErrSyntax)
	}
	return end
}
