// Package smallmap makes Go maps in memory that the caller allocates, in an arena: of at most eight
// entries, and with a table of up to 896 (table.go). It must not depend on arenas, nor on where the
// entries come from.
//
// A map value is a pointer to a header. A map that never had more than eight entries has all of
// them in one group, to which its header points:
//
//	header ─▶ used, seed, group, ...
//	                        └─▶ control word, 8 × (key, element)
//
// The compiler lays both out on the stack for a map that doesn't escape, and leaves the rest to the runtime: it sets
// the pointer to the group and the group's control word, and nothing else. This package does the same, with memory of
// an arena. The runtime does everything else, and puts the table on the Go heap when the map grows beyond its group.
//
// A caller may also put entries into the slots itself (Entry, Count). Besides them the runtime needs a byte of each
// key's hash. Maps that share a Seed have the same byte for a key, so that a reader of the same keys hashes them once
// (Seed.Control).
//
// It relies on the facts that package internal/engine/block lists, and on these:
//
//	E. Header, table and group are laid out as this package takes them to be. Their sizes are
//	   compared with those of the runtime's (sizesAgree); for each type of maps, one that the runtime
//	   has made is compared with it, and one that was made here with one of the runtime's (Of).
//	   If anything is different there are no small maps of that type.
//	F. Header and group are in one value, whose type is made by reflect of the types of keys and
//	   elements, so that the GC finds the pointers in both (fact 2). It need not be a block of its own, as
//	   a pointer into it keeps all of it alive (fact 1).
//	G. A full slot has the lowest seven bits of its key's hash in its byte of the control word. The
//	   hash depends on the seed and on the key's value, and not on the type of the elements: the
//	   byte that the runtime has given a key in one map is right for it in another of the same seed.
//	   Slots are filled from the first on. Checked for each type of maps (putsAs).
package smallmap

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

// Most is the number of slots of a group: the most entries of a map without a table.
const Most = 8

// inline is the size up to which a key or an element lies in the group itself. The group has a pointer to a larger one,
// which this package doesn't make.
const inline = 128

// A header is the target of a map value, laid out as internal/runtime/maps.Map is. Package fill knows count and flags
// by their names.
type header struct {
	used  count // how many entries there are
	seed  uintptr
	group unsafe.Pointer
	flags
}

type count uint64

type flags struct {
	directory int      // 0: group points to a group
	bits      [4]uint8 // of tables, and whether somebody writes
	clears    uint64
}

// empty is the control word of a group without entries: a byte for each slot.
const empty = 0x8080808080808080

// A Layout describes how maps of one type lie in an arena. It never changes.
type Layout struct {
	of    reflect.Type // of the maps
	typ   reflect.Type // of a header and a group
	group uintptr      // offset of the group

	// Of slots that callers may fill, else 0: offsets in a group, and bytes from one key or element to the next.
	keyStep        uintptr
	elem, elemStep uintptr

	groups reflect.Type // of the groups of a table; nil if there are none
}

// Type returns the type of the values that hold a map: the caller allocates a zero one.
func (l *Layout) Type() reflect.Type { return l.typ }

// name is the name of the map's memory in reports: other types of maps with such keys and elements lie in it, too.
func (l *Layout) name() string { return reflect.MapOf(l.of.Key(), l.of.Elem()).String() }

// Begin makes an empty map of the zero value at p. The value of the map is p itself, a pointer to its
// header (fact 9).
func (l *Layout) Begin(p unsafe.Pointer) { l.BeginWith(p, NewSeed()) }

// BeginWith is Begin for a map with a given seed.
func (l *Layout) BeginWith(p unsafe.Pointer, s Seed) {
	group := unsafe.Add(p, l.group) // fact 11
	*(*uint64)(group) = empty       // fact E
	h := (*header)(p)               // fact E
	h.seed, h.group = s.seed, group
}

// A shape is a way to lay out the slots of a group behind its control word.
type shape func(key, elem reflect.Type) reflect.Type

// shapes are the usual shape, and that of GOEXPERIMENT=mapsplitgroup. Tests replace them.
var shapes = []shape{
	func(key, elem reflect.Type) reflect.Type {
		slot := reflect.StructOf([]reflect.StructField{{Name: "Key", Type: key}, {Name: "Elem", Type: elem}})
		return reflect.ArrayOf(Most, slot)
	},
	func(key, elem reflect.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{
			{Name: "Keys", Type: reflect.ArrayOf(Most, key)}, {Name: "Elems", Type: reflect.ArrayOf(Most, elem)},
		})
	},
}

// Of returns how maps of type t lie in an arena, or nil if they can't be made there. It takes
// some microseconds: keep the result. It panics if t is no type of maps.
func Of(t reflect.Type) *Layout {
	l := plainOf(t)
	if l != nil {
		s, _ := newSample(t)
		l.allowEntries(&s)
		l.allowTables(&s)
	}
	return l
}

// plainOf is Of for maps whose slots only the runtime fills.
func plainOf(t reflect.Type) *Layout {
	key, elem := t.Key(), t.Elem()
	if unsafe.Sizeof(uintptr(0)) != 8 || !fits(key) || !fits(elem) || !sizesAgree() {
		return nil
	}
	s, ok := newSample(t)
	if !ok {
		return nil
	}
	for _, shape := range shapes {
		typ := reflect.StructOf([]reflect.StructField{
			{Name: "Header", Type: reflect.TypeFor[header]()},
			{Name: "Control", Type: reflect.TypeFor[uint64]()},
			{Name: "Slots", Type: shape(key, elem)},
		})
		l := &Layout{of: t, typ: typ, group: typ.Field(1).Offset}
		if s.liesAs(typ) && s.worksAs(l) {
			layout.SetName(typ, l.name())
			return l
		}
	}
	return nil
}

// fits reports whether a group has the values of a type in it. Larger ones lie elsewhere, behind a pointer.
func fits(t reflect.Type) bool { return t.Size() > 0 && t.Size() <= inline && t.Align() <= 8 }
