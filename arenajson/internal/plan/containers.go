package plan

import (
	"reflect"

	"github.com/harena-go/arena"
)

// This file recognizes containers of package collections, which it doesn't import: by a field of
// size zero whose type has the methods of a coding (see collections/coding.go).

// container fills in the plan of a type of package collections, and reports whether t is one. A
// coding names its type: a struct that embeds a container has its field, too, but isn't one.
func (p *planner) container(n *Node, t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i).Type
		if f.Kind() != reflect.Struct || f.Size() != 0 {
			continue
		}
		switch c := reflect.Zero(f).Interface().(type) {
		case MapCoding:
			if of, key, value := c.Types(); of == t {
				n.Kind, n.MapKey, n.Elem = KindTable, p.plan(key), p.part(value)
				n.Container = &container{Table: c}
				return true
			}
		case sliceCoding:
			if of, items := c.Types(); of == t {
				n.Kind, n.Elem = KindList, p.part(items.Elem())
				in := &Node{Type: t, Size: items.Size(), Key: arena.KeyOf(items), Elem: n.Elem}
				in.Kind = in.listKind(items)
				in.Write = in.Kind
				n.Container = &container{List: c, Items: in}
				return true
			}
		}
	}
	return false
}
