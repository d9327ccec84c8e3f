package arenajson

import (
	"fmt"
	"reflect"
)

// refuse says that a self-contained arena can't hold the values of a type.
func refuse(n *node) error {
	return fmt.Errorf("arenajson: type %v can't be read to a self-contained arena: it is an interface with methods, or a method "+
		"such as UnmarshalJSON would put pointers to the Go heap into it; implement UnmarshalerArena", n.firstForeign(map[*node]bool{}))
}

// firstForeign returns a type in n's that has methods.
func (n *node) firstForeign(seen map[*node]bool) reflect.Type {
	if n.kind == kindMethod || n.kind == kindText || n.kind == kindTime || n.kind == kindInterface {
		return n.typ
	}
	seen[n] = true
	next := []*node{n.elem, n.mapKey}
	if n.fields != nil {
		for i := range n.fields.list {
			next = append(next, n.fields.list[i].node)
		}
	}
	for _, m := range next {
		if m != nil && m.foreign && !seen[m] {
			return m.firstForeign(seen)
		}
	}
	return n.typ
}
