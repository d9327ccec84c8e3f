package arena_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/harena-go/arena"
)

// cache is a global variable that outlives the requests.
var cache struct{ user, other *User }

type User struct {
	Name string
	Age  int
}

// A checked arena for a test: what is allocated where is known, and where it was
// taken back.
func ExampleWithChecks() {
	a := arena.NewArena(
		arena.WithName("requests"),
		arena.WithChecks(arena.CheckObjects),
		arena.OnEscape(func(e arena.Escape) {
			fmt.Printf("%s of arena %q has escaped\n", e.Type, e.Arena)
		}),
	)
	cache.user = arena.New[User](a)
	a.Reset()

	arena.FindEscapes()
	// Output: arena_test.User of arena "requests" has escaped
}

// Where an escape was allocated, and where the arena was reset.
func ExampleOnEscape() {
	report := func(e arena.Escape) {
		for _, f := range e.Allocated[:2] {
			fmt.Println("allocated by", f.Function[strings.LastIndex(f.Function, "/")+1:], "in", filepath.Base(f.File))
		}
		fmt.Println("taken back by", e.TakenBack[0].Function)
	}
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(report))
	cache.user = &User{Name: a.AllocString("Ada")}
	a.Reset()

	arena.FindEscapes()
	// Output:
	// allocated by arena.(*Arena).AllocString in raw.go
	// allocated by arena_test.ExampleOnEscape in example_checks_test.go
	// taken back by github.com/harena-go/arena.(*Arena).Reset
}

// With CheckResets the arena allocates as others do, and what has escaped stays
// as it was: only Reset is different.
func ExampleChecks() {
	a := arena.NewArena(arena.WithChecks(arena.CheckResets), arena.OnEscape(func(e arena.Escape) {
		fmt.Printf("a chunk of %s is still referenced after %d GC cycles\n", e.Type, e.Cycles)
	}))
	cache.user = arena.NewOf(a, User{"Ada", 36})
	a.Reset()
	cache.other = arena.New[User](a)

	arena.FindEscapes()
	fmt.Println(cache.user == cache.other)
	// Output:
	// a chunk of arena_test.User is still referenced after 3 GC cycles
	// false
}

// FindEscapes makes the judge come to a decision, which takes him some GC cycles
// otherwise.
func ExampleFindEscapes() {
	escapes := 0
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(arena.Escape) { escapes++ }))
	cache.user = arena.New[User](a)
	arena.New[User](a)
	a.Reset()

	arena.FindEscapes()
	fmt.Println(escapes)
	// Output: 1
}

// What an escape has to say.
func ExampleEscape() {
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(e arena.Escape) {
		fmt.Println(e.Type, e.Size, e.Cycles, e.Written)
	}))
	names := arena.MakeSlice[uint16](a, 0, 8)
	a.Reset()

	arena.FindEscapes()
	runtime.KeepAlive(names)
	// Output: []uint16 16 3 false
}

func ExampleEscape_String() {
	a := arena.NewArena(arena.WithName("requests"), arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(e arena.Escape) {
		first, _, _ := strings.Cut(e.String(), "\n") // the stacks follow
		fmt.Println(first)
	}))
	marks := arena.New[[4]int32](a)
	a.Reset()

	arena.FindEscapes()
	runtime.KeepAlive(marks)
	// Output: ARENA ESCAPE: [4]int32 (16 bytes) in arena "requests" is still referenced, 3 GC cycles after it was taken back
}

// A server checks one request in a thousand. Here it is each, so that the example
// has something to show.
func ExampleWithCheckRate() {
	pool := arena.NewPool(arena.WithCheckRate(1), arena.OnEscape(func(e arena.Escape) {
		fmt.Println("escaped:", e.Type)
	}))
	err := pool.Do(func(a *arena.Arena) error {
		cache.user = arena.New[User](a)
		return nil
	})

	arena.FindEscapes()
	fmt.Println(err)
	// Output:
	// escaped: arena_test.User
	// <nil>
}
