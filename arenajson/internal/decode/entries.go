package decode

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file selects the maps that are filled without reflect, which takes twice the time. A map
// with string keys is used as one of another type with elements of the same layout: words of the
// same size without pointers, or with pointers at the same places. The runtime's treatment of a map
// depends on nothing else of its elements. Package smallmap must know the type, and thus its layout
// in this version of Go.

// A shape is a layout of elements.
type shape uint8

const (
	noShape shape = iota // by reflect
	shape1               // bytes without pointers
	shape2
	shape4
	shape8
	shapeString
	shapePointer
	shapeSlice
)

// shapeOf returns the shape of the elements of a plan's maps.
func shapeOf(n *plan.Node) shape {
	if n.Elem.Type != plan.StringType && n.Small() == nil {
		return noShape
	}
	switch k := n.Elem.Type.Kind(); {
	case k == reflect.String:
		return shapeString
	case k == reflect.Pointer || k == reflect.Map:
		return shapePointer
	case k == reflect.Slice:
		return shapeSlice
	case k < reflect.Bool || k > reflect.Float64 || k == reflect.Uintptr:
		return noShape
	}
	switch n.Elem.Size {
	case 1:
		return shape1
	case 2:
		return shape2
	case 4:
		return shape4
	}
	return shape8
}
