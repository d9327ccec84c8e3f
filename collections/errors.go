package collections

import (
	"fmt"

	"github.com/harena-go/arena/internal/engine/block"
)

// maxBytes is the largest request that package arena tries at all.
const maxBytes = block.MaxBytes

// panicNegative says that a number must not be negative.
//
//go:noinline
func panicNegative(op, what string, n int) {
	panic(fmt.Sprintf("arena: %s: %s %d is negative", op, what, n))
}

// panicRange says that a number is out of range.
//
//go:noinline
func panicRange(op string, n, most int) {
	panic(fmt.Sprintf("arena: %s: %d is out of range; 0 to %d are allowed", op, n, most))
}

// panicEmpty panics because there is nothing to take.
//
//go:noinline
func panicEmpty(op string) {
	panic("arena: " + op + ": it is empty")
}

// panicIndex says that there is no such element.
//
//go:noinline
func panicIndex(op string, i, n int) {
	panic(fmt.Sprintf("arena: %s: index %d is out of range of %d elements", op, i, n))
}
