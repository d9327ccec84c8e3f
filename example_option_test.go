package arena_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/harena-go/arena"
)

// Options are values, which a program may keep in one place.
func ExampleOption() {
	options := []arena.Option{
		arena.WithName("requests"),
		arena.WithLimit(1 << 20),
	}
	a, b := arena.NewArena(options...), arena.NewArena(options...)
	fmt.Println(a.Stats().Name, b.Stats().Name)
	// Output: requests requests
}

// An arena of which one knows that it will be large starts large.
func ExampleWithChunkSize() {
	chunks := func(a *arena.Arena) int {
		for range 1000 {
			arena.New[[64]byte](a)
		}
		return a.Stats().Chunks
	}
	fmt.Println(chunks(arena.NewArena()) > 1)
	fmt.Println(chunks(arena.NewArena(arena.WithChunkSize(128 << 10))))
	// Output:
	// true
	// 1
}

// One big request doesn't make the arena big for ever.
func ExampleWithMaxRetained() {
	a := arena.NewArena(arena.WithMaxRetained(1 << 20))
	a.AllocBytes(100 << 20)
	a.Reset()
	fmt.Println(a.Stats().Reserved <= 1<<20)
	// Output: true
}

// A request that asks for too much fails, and the next one goes on.
func ExampleWithLimit() {
	a := arena.NewArena(arena.WithLimit(1 << 10))
	repeat := func(s string, n int) (result string, err error) {
		defer a.Reset()
		defer func() {
			switch e := recover().(type) {
			case nil:
			case *arena.LimitError:
				err = e
			default:
				panic(e)
			}
		}()
		var b []byte
		for range n {
			b = arena.Append(a, b, []byte(s)...)
		}
		return string(b), nil // a copy on the Go heap
	}
	for _, n := range []int{3, 3000, 4} {
		s, err := repeat("ab", n)
		fmt.Printf("%q %v\n", s, err != nil)
	}
	// Output:
	// "ababab" false
	// "" true
	// "abababab" false
}

// buildList returns a list in an arena of its own that the GC never looks into.
func buildList(text string) (list *listEntry) {
	a := arena.NewArena(arena.WithNoScan())
	for word := range strings.FieldsSeq(text) {
		// The words would be parts of text, which is outside: hence the copy.
		list = arena.NewOf(a, listEntry{a.AllocString(word), list})
	}
	return list // keeps all of the arena alive
}

type listEntry struct {
	word string
	next *listEntry
}

func ExampleWithNoScan() {
	for e := buildList("to be or not"); e != nil; e = e.next {
		fmt.Print(e.word, " ")
	}
	// Output: not or be to
}

func ExampleWithScrub() {
	a := arena.NewArena(arena.WithScrub())
	key := a.AllocBytes(4)
	copy(key, "key!")
	a.Free()
	fmt.Println(key) // erased, though safe to look at
	// Output: [0 0 0 0]
}

func ExampleWithName() {
	a := arena.NewArena(arena.WithName("uploads"))
	a.Free()
	defer func() { fmt.Println(recover()) }()
	a.AllocBytes(1)
	// Output: arena: AllocBytes: the arena "uploads" was freed; nothing can be allocated after Free
}

func ExampleLimitError() {
	a := arena.NewArena(arena.WithLimit(1 << 10))
	defer func() {
		err, _ := recover().(error)
		var limit *arena.LimitError
		if errors.As(err, &limit) {
			fmt.Println(limit.Asked, "of", limit.Limit)
		}
	}()
	a.AllocBytes(5000)
	// Output: 5000 of 1024
}

func ExampleLimitError_Error() {
	a := arena.NewArena(arena.WithLimit(1<<10), arena.WithName("uploads"))
	defer func() { fmt.Println(recover()) }()
	a.AllocBytes(1000)
	a.AllocBytes(5000)
	// Output: arena "uploads": limit exceeded: 5000 bytes asked for, 1000 of 1024 in use
}
