//go:build !asan

package arena_test

import (
	"fmt"
	"unsafe"

	"github.com/harena-go/arena"
)

// Examples that count bytes and chunks, which come out higher with red zones
// between all values.

func ExampleArena_UsedBytes() {
	a := arena.NewArena()
	arena.New[int64](a)
	fmt.Println(a.UsedBytes())
	a.AllocString("gopher")
	fmt.Println(a.UsedBytes())
	arena.New[int64](a)
	fmt.Println(a.UsedBytes()) // with 2 bytes of padding
	a.Reset()
	fmt.Println(a.UsedBytes())
	// Output:
	// 8
	// 14
	// 24
	// 0
}

// With Reserve, a known number of values needs one chunk and no growing.
func ExampleArena_Reserve() {
	type Vertex struct{ X, Y, Z float64 }
	a := arena.NewArena()
	a.Reserve(10_000 * int(unsafe.Sizeof(Vertex{})))
	for range 10_000 {
		arena.New[Vertex](a)
	}
	fmt.Println(a.Stats().Chunks)
	// Output: 1
}

// The last chunk may be nearly empty: smaller ones grow closer to the need.
func ExampleWithMaxChunkSize() {
	unused := func(a *arena.Arena) int {
		for range 40_000 {
			arena.New[[64]byte](a)
		}
		return a.Stats().Reserved - a.Stats().Used
	}
	fmt.Println(unused(arena.NewArena(arena.WithMaxChunkSize(32<<10))) < 64<<10)
	// Output: true
}
