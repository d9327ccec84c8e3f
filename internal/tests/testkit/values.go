package testkit

var (
	// Sink keeps the compiler from moving a test's values to the stack.
	Sink any

	// Decoy is a target for pointers whose only purpose is to be pointers.
	Decoy = -1
)

// Static is a string that is in no heap.
const Static = "static data that strings may point to from any arena"

// Types with pointers in different places.
type (
	// Node begins with its pointers.
	Node struct {
		Left, Right *int
		N           uintptr
	}
	// Late has its only pointer at the end.
	Late struct {
		N [7]uintptr
		P *int
	}
	// Odd has 12 bytes on 32-bit machines.
	Odd struct {
		P *int
		N [2]uint32
	}
	// Large has more than a page.
	Large struct {
		P *int
		N [600]uintptr
		Q *int
	}
)
