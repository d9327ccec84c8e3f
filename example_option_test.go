package arena_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
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

// An arena that is known to become large starts large.
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
		// The words would be parts of text, which is outside, so they are copied.
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

func ExampleRecoverLimit() {
	read := func(a *arena.Arena, n int) (b []byte, err error) {
		defer arena.RecoverLimit(&err)
		return a.AllocBytes(n), nil
	}
	a := arena.NewArena(arena.WithLimit(1 << 10))
	b, err := read(a, 5000)
	fmt.Println(len(b), err)
	b, err = read(a, 500)
	fmt.Println(len(b), err)
	// Output:
	// 0 arena: limit exceeded: 5000 bytes asked for, 0 of 1024 in use
	// 500 <nil>
}

func ExampleLimitError_Error() {
	a := arena.NewArena(arena.WithLimit(1<<10), arena.WithName("uploads"))
	defer func() { fmt.Println(recover()) }()
	a.AllocBytes(1000)
	a.AllocBytes(5000)
	// Output: arena "uploads": limit exceeded: 5000 bytes asked for, 1000 of 1024 in use
}

// cache is a global variable that outlives the requests.
var cache struct{ user, other *User }

type User struct {
	Name string
	Age  int
}

// A checked arena for a test knows where each value was allocated, and where it was reclaimed.
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
		fmt.Println("reclaimed by", e.Reclaimed[0].Function)
	}
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(report))
	cache.user = &User{Name: a.AllocString("Ada")}
	a.Reset()

	arena.FindEscapes()
	// Output:
	// allocated by arena.(*Arena).AllocString in text.go
	// allocated by arena_test.ExampleOnEscape in example_option_test.go
	// reclaimed by github.com/harena-go/arena.(*Arena).Reset
}

// With CheckResets the arena allocates as others do, and escaped values stay as they were: only Reset is different.
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

// FindEscapes has the tracker come to a decision, which takes some GC cycles
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

// The fields of an escape.
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
	// Output: ARENA ESCAPE: [4]int32 (16 bytes) in arena "requests" is still referenced, 3 GC cycles after it was reclaimed
}

// A server checks one request in a thousand. Here it is each, so that the example
// has something to show.
func ExampleWithCheckRate() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(1), arena.OnEscape(func(e arena.Escape) {
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

// A canary guards the arena of each request: a use of its memory after its end faults, and the request with that use
// ends with a report. Others go on.
func ExampleWithGuardRate() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithGuardRate(1), arena.OnEscape(func(e arena.Escape) {
		fmt.Println(e) // to the log of the canary
	}))
	err := pool.Do(func(a *arena.Arena) error {
		name := a.Sprintf("user %d", 7)
		fmt.Println(name)
		return nil
	})
	fmt.Println(err)
	// Output:
	// user 7
	// <nil>
}

// A worker gets no arena of its own. It ends one job where it has used memory of a request that is over, and passes on
// panics for other reasons.
func ExampleReportFault() {
	run := func(job func()) {
		debug.SetPanicOnFault(true)
		defer func() {
			v := recover()
			if _, ok := arena.ReportFault(v); !ok {
				fmt.Println("the job has panicked:", v)
			}
		}()
		job()
	}
	run(func() { panic("no paper") })
	// Output: the job has panicked: no paper
}
