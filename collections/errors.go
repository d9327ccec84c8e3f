package collections

import (
	"fmt"

	"github.com/harena-go/arena/internal/engine/block"
)

// maxBytes is the largest request that package arena tries.
const maxBytes = block.MaxBytes

// panicNegative reports a negative number.
//
//go:noinline
func panicNegative(op, what string, n int) {
	panic(fmt.Sprintf("arena: %s: %s %d is negative", op, what, n))
}

// panicRange reports a number that is out of range.
//
//go:noinline
func panicRange(op string, n, most int) {
	panic(fmt.Sprintf("arena: %s: %d is out of range; 0 to %d are allowed", op, n, most))
}

// panicEmpty reports an empty container.
//
//go:noinline
func panicEmpty(op string) {
	panic("arena: " + op + ": it is empty")
}

// panicIndex reports an index without an element.
//
//go:noinline
func panicIndex(op string, i, n int) {
	panic(fmt.Sprintf("arena: %s: index %d is out of range of %d elements", op, i, n))
}
