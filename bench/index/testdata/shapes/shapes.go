// Package shapes has one of everything the index looks at.
package shapes

import (
	"fmt"
	"unsafe"

	"shapes/round"
)

// A Shape has an area. Deprecated: use Figure.
type Shape interface {
	// Area is in the body of a declaration: not documented at the top level.
	Area() float64
}

// Sides counts corners.
const Sides, Corners = 4, 4

// The comment of a group documents none of its names.
var (
	// Unit is a shape.
	Unit Shape = Square{1}

	count int // a trailing comment documents nothing
	other int
)

// Square is the name after a type keyword.
type Square struct{ side float64 }

/*
Area is documented
by a block.
*/
func (s Square) Area() float64 { return s.side * s.side }

// This comment is too far away to document the function.

func Print(s Shape) {
	var local = unsafe.Sizeof(s)
	fmt.Println(s.Area(), local, round.Pi)
	for i := 0; i < 3; i++ {
		func() { count++ }()
	}
}
