package plan

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// This file determines the effect of methods on arenas. A method such as UnmarshalJSON may put
// pointers to the Go heap into its value, which a self-contained arena would hide from the GC. Such
// types, and all that lead to one, are foreign, and aren't decoded there.

// spreadForeign marks the plans that lead to others with methods, and those that lead to fields
// with the tag option string. Types may lead to themselves, so it repeats until nothing changes.
func (p *planner) spreadForeign() {
	for changed := true; changed; {
		changed = false
		for _, n := range slices.AppendSeq(p.bares, maps.Values(p.nodes)) {
			if !n.Foreign && (n.Kind == KindInterface || n.leadsTo(func(n *Node) bool { return n.Foreign })) {
				n.Foreign, changed = true, true
			}
			if !n.Quoted && n.leadsTo(func(n *Node) bool { return n.Quoted || n.Kind == KindQuoted }) {
				n.Quoted, changed = true, true
			}
		}
	}
}

// leadsTo reports whether a plan one step from n satisfies is.
func (n *Node) leadsTo(is func(*Node) bool) bool {
	if n.Elem != nil && is(n.Elem) || n.MapKey != nil && is(n.MapKey) {
		return true
	}
	if n.Fields != nil {
		for i := range n.Fields.List {
			// A field with the tag option string has a plan of its own around its type's.
			if m := n.Fields.List[i].Node; is(m) || m.Kind == KindQuoted && is(m.Elem) {
				return true
			}
		}
	}
	return false
}

// Refuse returns the error for a type that a self-contained arena can't hold.
func Refuse(n *Node) error {
	return fmt.Errorf("arenajson: type %v can't be read to a self-contained arena: it is an interface with methods, "+
		"or a method such as UnmarshalJSON would put pointers to the Go heap into it; implement UnmarshalerArena",
		n.firstForeign(map[*Node]bool{}))
}

// firstForeign returns the type in n's, or n's itself, that makes it foreign, for the message. seen
// are the visited plans.
func (n *Node) firstForeign(seen map[*Node]bool) reflect.Type {
	if n.Kind == KindMethod || n.Kind == KindText || n.Kind == KindTime || n.Kind == KindInterface {
		return n.Type
	}
	seen[n] = true
	next := []*Node{n.Elem, n.MapKey}
	if n.Fields != nil {
		for i := range n.Fields.List {
			next = append(next, n.Fields.List[i].Node)
		}
	}
	for _, m := range next {
		if m != nil && m.Foreign && !seen[m] {
			return m.firstForeign(seen)
		}
	}
	return n.Type
}
