package arenajson

import (
	"strconv"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// quotedValue reads the value of a field with the tag option string.
func (d *decoder) quotedValue(n *plan.Node, p unsafe.Pointer, i int) int {
	if option.Classic && d.Flags&option.Legacy != 0 {
		return d.quotedClassic(n, p, i)
	}
	e := n.Elem
	switch e.Kind {
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat64, plan.KindFloat32:
		return d.number(e, p, i, true)
	case plan.KindNumber:
		return d.jsonNumber(p, i, true)
	case plan.KindPointer:
		return d.quotedPointer(n, p, i)
	case plan.KindMethod, plan.KindText, plan.KindArena, plan.KindRaw:
		return d.value(e, p, i)
	}
	if d.Flags&option.Legacy == 0 {
		return d.misfit(e.Typ, i, i, 0, plan.ErrStringTag)
	}
	switch e.Kind {
	case plan.KindString:
		return d.quotedString(e, p, i)
	case plan.KindBool:
		return d.quotedBool(e, p, i)
	case plan.KindDuration:
		return d.number(&plan.Node{Kind: plan.KindInt64, Bits: 64, Size: 8, Typ: e.Typ}, p, i, true)
	}
	return d.value(e, p, i)
}

// quotedPointer passes the option on to what a pointer points to. With the options of v1, null
// in a string is a nil pointer.
func (d *decoder) quotedPointer(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	e := n.Elem.Elem
	if d.Flags&option.Legacy != 0 && e.Kind == plan.KindPointer {
		return d.value(n.Elem, p, i)
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = arena.NewType(d.a, e.Key)
		mem.Set(p, q)
	}
	faults := d.faults
	end := d.quotedValue(&plan.Node{Kind: plan.KindQuoted, Typ: e.Typ, Size: e.Size, Elem: e}, q, i)
	nulls := d.Flags&option.Legacy != 0 && e.Kind != plan.KindAny && e.Kind != plan.KindInterface
	if nulls && end >= 0 && d.faults == faults && string(d.Data[i:end]) == `"null"` {
		mem.Set[unsafe.Pointer](p, nil)
	}
	return end
}

func (d *decoder) quotedString(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.Text(i)
	if end < 0 || string(b) == "null" {
		return end
	}
	in := syntax.Reader{Data: append([]byte(nil), b...), Flags: d.Flags}
	s, inner := in.Text(0)
	if inner != len(in.Data) {
		return d.mismatch(n.Typ, i, strconv.ErrSyntax)
	}
	mem.Set(p, d.a.AllocString(string(s)))
	return end
}

func (d *decoder) quotedBool(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		return end
	}
	if d.Peek(i) != '"' {
		return d.mismatchToken(n.Typ, i, nil)
	}
	b, end := d.Text(i)
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
		return d.mismatch(n.Typ, i, strconv.ErrSyntax)
	}
	return end
}
