package plan

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds the types whose methods the original encoding/json doesn't find when
// it reads. It looks for methods of pointers only, and takes the address of a value
// only if its type has a name. So it reads by its kind:
//
//	struct{ time.Time; Zone string }    as a field, an element, or a map's value
//	*T behind type P *T                 everywhere: P has no methods
//
// Behind an unnamed pointer, both are read by their methods.

// part returns the plan of a type in a place that no pointer leads to.
func (p *planner) part(t reflect.Type) *Node {
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return p.bare(t)
	}
	return p.plan(t)
}

// bare returns the plan of a type that the original encoding/json reads without
// methods. fillBares completes it.
func (p *planner) bare(t reflect.Type) *Node {
	n := p.plan(t)
	if !option.Classic || reflect.PointerTo(t).NumMethod() == 0 {
		return n
	}
	b := &Node{Type: t, Size: n.Size, Key: n.Key}
	b.setRooms()
	p.bares = append(p.bares, b)
	return b
}

// fillBares fills in the plans of bare, once those that they are copies of are complete.
func (p *planner) fillBares() {
	for _, b := range p.bares {
		n := p.plan(b.Type)
		b.Kind, b.Write, b.Writer, b.Word, b.Scalar, b.Foreign = n.Kind, n.Write, n.Writer, n.Word, n.Scalar, n.Foreign
		b.Bits, b.NamedByte, b.Len, b.Fields, b.Elem, b.MapKey = n.Bits, n.NamedByte, n.Len, n.Fields, n.Elem, n.MapKey
		b.Native, b.Walks, b.Cells, b.Small, b.Container = n.Native, n.Walks, n.Cells, n.Small, n.Container
		if b.Plain = n.Plain; n.Kind == KindRaw {
			b.Plain = &Node{Kind: KindBytes, Size: n.Size, Type: n.Type, Key: n.Key, Elem: n.Elem}
		}
		b.Bare = b.Plain != nil
	}
}
