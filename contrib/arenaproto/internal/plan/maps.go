package plan

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/arenaext"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds the plans of Go maps. Maps of at most eight entries are made in the arena, others by the
// runtime, on the Go heap. Their strings, bytes and messages are in the arena in both cases. With a
// self-contained arena all maps are on the heap, since they may grow, and the arena keeps them alive.
//
// An entry is a message of two fields. It is decoded to the cell, a struct of a key and a value, and then
// stored in the map.

// A MapPlan says how entries of a map are decoded.
type MapPlan struct {
	Cell  Plan // of the struct of a key and a value
	Value *Op  // in the cell
	Maps  *arenaext.MapBuilder
	Cells sync.Pool // of *mapCell
}

// A MapCell is the memory to which an entry is decoded. Val and All are views of the memory at Ptr.
type MapCell struct {
	Ptr      unsafe.Pointer
	Val, All reflect.Value
}

// NewMapPlan returns the plan of a map type, without the ops of keys and values: the caller completes Value,
// and adds the ops of key and value to Cell.
func NewMapPlan(t reflect.Type) *MapPlan {
	m := &MapPlan{Maps: arenaext.NewMapBuilder(t)}
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

// newCell returns a zero cell. MapPlan.Cells keeps unused ones.
func newCell(t reflect.Type) *MapCell {
	v := reflect.New(t)
	return &MapCell{v.UnsafePointer(), v.Elem().Field(1), v.Elem()}
}
