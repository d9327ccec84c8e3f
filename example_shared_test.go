package arena_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// Several goroutines build one result, which lives and dies as a whole.
func ExampleShared() {
	type tree struct {
		name  string
		words []string
	}
	s := arena.NewShared(arena.WithName("parse"))
	defer s.Free()

	sources := []string{"package one", "package two imports one", "package three"}
	trees := make([]*tree, len(sources))
	var wait sync.WaitGroup
	for i, source := range sources {
		wait.Go(func() {
			a := s.Local() // this goroutine's own
			t := arena.New[tree](a)
			for word := range strings.FieldsSeq(source) {
				t.words = arena.Append(a, t.words, a.AllocString(word))
			}
			t.name = t.words[1]
			trees[i] = t
		})
	}
	wait.Wait()
	for _, t := range trees {
		fmt.Println(t.name, len(t.words))
	}
	// Output:
	// one 2
	// two 4
	// three 2
}

// A limit is one for all goroutines together, and counts chunks.
func ExampleNewShared() {
	s := arena.NewShared(arena.WithName("fan-out"), arena.WithLimit(100_000))
	arena.MakeSlice[byte](s.Local(), 60_000, 60_000)
	defer func() { fmt.Println(recover()) }()
	arena.MakeSlice[byte](s.Local(), 60_000, 60_000)
	// Output:
	// arena "fan-out": limit exceeded: 60000 bytes asked for, 60008 of 100000 in use
}

func ExampleShared_Local() {
	s := arena.NewShared()
	a, b := s.Local(), s.Local()
	fmt.Println(a != b, a.AllocString("one"), b.AllocString("two"))
	// Output: true one two
}

// Reset ends the locals of one life, and keeps their memory for the next.
func ExampleShared_Reset() {
	s := arena.NewShared()
	for range 3 {
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { arena.MakeSlice[int64](s.Local(), 100, 100) })
		}
		wait.Wait()
		fmt.Println(s.Stats().Used, s.Stats().Chunks)
		s.Reset()
	}
	// Output:
	// 3200 4
	// 3200 4
	// 3200 4
}

// Values stay valid after Free, as long as something points to them.
func ExampleShared_Free() {
	s := arena.NewShared()
	a := s.Local()
	name := a.AllocString("still here")
	s.Free()
	fmt.Println(name)

	defer func() { fmt.Println(recover()) }()
	a.AllocString("too late")
	// Output:
	// still here
	// arena: AllocString: the arena is of a Shared that was freed; nothing can be allocated after Free
}

func ExampleShared_Stats() {
	s := arena.NewShared(arena.WithName("parse"))
	arena.New[[1000]byte](s.Local())
	arena.New[[500]byte](s.Local())
	stats := s.Stats()
	fmt.Println(stats.Name, stats.Used, stats.Chunks)
	// Output: parse 1504 2
}
