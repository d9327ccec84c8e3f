package plan

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file holds how objects and arrays go to containers of package collections, which this one
// doesn't import: it finds what it needs of them by a field's methods (collections/coding.go).
//
// A container that has memory has an arena, too. What is read into it comes from there, all the way
// down, whatever arena the rest goes to: so nothing in it ends before it does, or is in memory that
// nobody keeps alive. One without memory becomes one of the decoder's arena.

// MapCoding is how a Map of package collections is used by its address.
type MapCoding interface {
	Types() (container, key, value reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Len(at unsafe.Pointer) int
	Forget(at unsafe.Pointer)
	Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool)
	Number(at, key unsafe.Pointer) int
	Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int)
}

// sliceCoding is how a Slice of package collections is used by its address.
type sliceCoding interface {
	Types() (container, items reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Items(at unsafe.Pointer) unsafe.Pointer
}

// A container is what a plan has for a type of package collections.
type container struct {
	Table   MapCoding   // of a Map
	List    sliceCoding // of a Slice
	Items   *Node       // of a Slice: how its elements, a Go slice, are read and written
	Entries sync.Pool   // of a Map: of *mapEntry
}

// container fills in the plan of a type of package collections, and says whether it is one.
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
				n.Kind, n.MapKey, n.Elem = KindTable, p.plan(key), p.plan(value)
				n.Container = &container{Table: c}
				return true
			}
		case sliceCoding:
			if of, items := c.Types(); of == t {
				n.Kind, n.Elem = KindList, p.plan(items.Elem())
				in := &Node{Typ: t, Size: items.Size(), Key: arena.KeyOf(items), Elem: n.Elem}
				in.Kind = in.listKind(items)
				in.Write = in.Kind
				n.Container = &container{List: c, Items: in}
				return true
			}
		}
	}
	return false
}
