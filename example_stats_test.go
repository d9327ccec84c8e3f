package arena_test

import (
	"fmt"

	"github.com/harena-go/arena"
)

func ExampleStats() {
	a := arena.NewArena()
	for range 2 {
		a.Reset()
		a.AllocBytes(5000)
	}
	s := a.Stats()
	fmt.Println(s.Used, s.HighWater, s.Resets, s.Reserved >= s.Used)
	// Output: 5000 5000 2 true
}

func ExampleStats_String() {
	a := arena.NewArena(arena.WithName("requests"))
	a.AllocBytes(1000)
	a.Reset()
	a.AllocBytes(200)
	fmt.Println(a.Stats())
	// Output: arena "requests": 200 B used (high water 1000 B) of 4096 B in 1 chunk; 0 B retained, 0 B wasted; 0 slabs, 1 reset
}

func ExampleArena_Stats() {
	type Node struct{ Next *Node }
	a := arena.NewArena(arena.WithName("list"))
	arena.New[Node](a)  // in a slab
	arena.New[int64](a) // in a plain chunk
	s := a.Stats()
	fmt.Println(s.Name, s.Slabs, s.Chunks)
	// Output: list 1 2
}
