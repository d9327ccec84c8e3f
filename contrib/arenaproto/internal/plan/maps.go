package plan

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/internal/engine/smallmap"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds the plans of Go maps. Maps of at most eight entries are made in the arena, others by the
// runtime, on the Go heap. Their strings, bytes and messages are in the arena in both cases. With a
// self-contained arena all maps are on the heap, and the arena keeps them alive, since they may grow.
//
// An entry is a message of two fields, and read as one: to the cell, a struct of a key and a value. From
// there it goes to the map.

// A MapPlan says how entries of a map are decoded.
type MapPlan struct {
	Typ   reflect.Type
	Cell  Plan             // of the struct of a key and a value
	Value *Op              // in the cell
	Store storer           // stores entries; nil if reflect has to
	Small *smallmap.Layout // in an arena; nil if that can't be
	Block arena.TypeKey    // of what holds such a map
	Cells sync.Pool        // of *mapCell
}

// A MapCell is where an entry is read to. Key, Val and All are views of the memory at Ptr.
type MapCell struct {
	Ptr      unsafe.Pointer
	Key, Val reflect.Value
	All      reflect.Value
}

// NewMapPlan returns the plan of a map type, without what is done with keys and values: the caller completes
// Value, and adds the ops of key and value to Cell.
func NewMapPlan(t reflect.Type) *MapPlan {
	m := &MapPlan{Typ: t, Store: storerOf(t), Small: smallmap.Of(t)}
	if m.Small != nil {
		m.Block = arena.KeyOf(m.Small.Type())
	}
	m.Cell.Typ = cellType(t)
	m.Cell.Known = map[protoreflect.FieldNumber]bool{1: true, 2: true}
	m.Value = &Op{Num: 2, Field: "value", Off: m.Cell.Typ.Field(1).Offset}
	m.Cells.New = func() any { return newCell(m.Cell.Typ) }
	return m
}

// cellType returns the type of the cell of a map.
func cellType(t reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "Key", Type: t.Key()}, {Name: "Value", Type: t.Elem()}})
}

// newCell returns a zero cell. MapPlan.Cells keeps those that aren't in use.
func newCell(t reflect.Type) *MapCell {
	v := reflect.New(t)
	return &MapCell{v.UnsafePointer(), v.Elem().Field(0), v.Elem().Field(1), v.Elem()}
}

// A storer stores the entry of the cell at cell in the map that the pointer at m leads to, and makes the
// cell zero.
type storer func(m, cell unsafe.Pointer)

// storerOf returns how entries of a type of maps are stored without reflect, nil if there is no way. It
// takes a map for one whose keys and values are as large, have pointers at the same places, and are
// compared alike. To the runtime that is the same (fact E of package smallmap). A difference would be
// noticed when the plan is compared with the official runtime.
func storerOf(t reflect.Type) storer {
	switch t.Key().Kind() {
	case reflect.String:
		return storerFor[string](t.Elem())
	case reflect.Int32, reflect.Uint32:
		return storerFor[uint32](t.Elem())
	case reflect.Int64, reflect.Uint64:
		return storerFor[uint64](t.Elem())
	}
	return nil
}

// storerFor is storerOf for a type of keys. Slices, which bytes are, and structs in place are left to reflect:
// they are rare as values.
func storerFor[K comparable](elem reflect.Type) storer {
	switch elem.Kind() {
	case reflect.String:
		return storeEntry[K, string]
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return storeEntry[K, uint32]
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return storeEntry[K, uint64]
	case reflect.Bool:
		return storeEntry[K, bool]
	case reflect.Pointer:
		return storeEntry[K, unsafe.Pointer]
	}
	return nil
}

// storeEntry is a storer (fact A).
func storeEntry[K comparable, V any](m, cell unsafe.Pointer) {
	type entry = struct {
		key   K
		value V
	}
	// The cell is laid out as an entry is: both are structs of a K and a V.
	e := mem.At[entry](cell)
	mem.Get[map[K]V](m)[e.key] = e.value
	*e = entry{}
}
