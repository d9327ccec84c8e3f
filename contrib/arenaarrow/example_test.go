package arenaarrow_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// Arrays in the arena of a request.
func Example() {
	pool := arena.NewPool()
	err := pool.Do(func(a *arena.Arena) error {
		b := array.NewInt64Builder(arenaarrow.NewAllocator(a))
		b.AppendValues([]int64{1, 2, 3}, nil)
		fmt.Println(b.NewArray())
		return nil // no Release is needed
	})
	fmt.Println(err)
	// Output:
	// [1 2 3]
	// <nil>
}

func ExampleAllocator() {
	mem := arenaarrow.NewAllocator(arena.NewArena())
	b := array.NewStringBuilder(mem)
	b.AppendValues([]string{"to", "be"}, nil)
	fmt.Println(b.NewArray())
	// Output: ["to" "be"]
}

// The newest slice grows in place, and one that is freed late does no harm.
func ExampleAllocator_slices() {
	a := arena.NewArena()
	mem := arenaarrow.NewAllocator(a)
	b := mem.Allocate(64)
	c := mem.Reallocate(128, b)
	fmt.Println(&b[0] == &c[0], len(c), a.UsedBytes() >= 128)
	a.Reset()
	mem.Free(c)
	fmt.Println(a.UsedBytes())
	// Output:
	// true 128 true
	// 0
}

func ExampleNewAllocator() {
	mem := arenaarrow.NewAllocator(nil) // the Go heap
	fmt.Println(len(mem.Allocate(100)))
	// Output: 100
}
