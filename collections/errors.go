package collections

import "fmt"

// panicNegative says that a number must not be negative.
//
//go:noinline
func panicNegative(op, what string, n int) {
	panic(fmt.Sprintf("arena: %s: %s %d is negative", op, what, n))
}
