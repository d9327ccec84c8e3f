package arena_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
)

func ExampleArena_Reset() {
	a := arena.NewArena()
	for range 3 {
		for range 1000 {
			arena.New[[64]byte](a)
		}
		fmt.Println(a.UsedBytes())
		a.Reset() // the next 1000 take the same memory
	}
	// Output:
	// 64000
	// 64000
	// 64000
}

// A parser rewinds the allocations of an attempt that fails.
func ExampleArena_Mark() {
	a := arena.NewArena()
	parseCall := func(s string) []string {
		start := a.Mark()
		name, arguments, _ := strings.Cut(s, "(")
		call := arena.Append(a, nil, name)
		call = arena.AppendSeq(a, call, strings.SplitSeq(strings.TrimSuffix(arguments, ")"), ","))
		if !strings.HasSuffix(s, ")") {
			a.Rewind(start)
			return nil
		}
		return call
	}
	fmt.Println(parseCall("max(1,2"), a.UsedBytes())
	fmt.Println(parseCall("max(1,2)"), a.UsedBytes() > 0)
	// Output:
	// [] 0
	// [max 1 2] true
}

func ExampleArena_Rewind() {
	a := arena.NewArena()
	total := arena.New[int](a) // stays
	start := a.Mark()
	for _, line := range []string{"1 2 3", "4 5"} {
		fields := arena.Collect(a, strings.FieldsSeq(line)) // lives for one round
		*total += len(fields)
		a.Rewind(start)
	}
	fmt.Println(*total, a.UsedBytes())
	// Output: 5 8
}

// A Mark is a small value that can be kept and used several times.
func ExampleMark() {
	type Scope struct{ start arena.Mark }
	a := arena.NewArena()
	outer := Scope{a.Mark()}
	arena.New[int64](a)
	inner := Scope{a.Mark()}
	arena.New[int64](a)

	a.Rewind(inner.start)
	fmt.Println(a.UsedBytes())
	a.Rewind(outer.start)
	fmt.Println(a.UsedBytes())
	a.Rewind(outer.start)
	fmt.Println(a.UsedBytes())
	// Output:
	// 8
	// 0
	// 0
}

// Values stay valid after Free.
func ExampleArena_Free() {
	load := func() []string {
		a := arena.NewArena()
		defer a.Free()
		return arena.Collect(a, strings.FieldsSeq("tea milk rice"))
	}
	fmt.Println(load())
	// Output: [tea milk rice]
}

func ExampleArena_Freed() {
	a := arena.NewArena()
	scratch := a.Child()
	fmt.Println(a.Freed(), scratch.Freed())
	a.Reset()
	fmt.Println(a.Freed(), scratch.Freed()) // Reset ends children
	a.Free()
	fmt.Println(a.Freed())
	// Output:
	// false false
	// false true
	// true
}

// A function has scratch memory of its own, and leaves its result in a.
func ExampleArena_Child() {
	longest := func(a *arena.Arena, text string) string {
		scratch := a.Child()
		defer scratch.Free()
		defer scratch.Reset() // runs first, so that Free gives a the chunks
		words := arena.Collect(scratch, strings.FieldsSeq(text))
		slices.SortFunc(words, func(v, w string) int { return len(w) - len(v) })
		return a.AllocString(words[0])
	}
	fmt.Println(longest(arena.NewArena(), "no arena lives forever"))
	// Output: forever
}

// A value in a self-contained arena may point outside of it if the arena knows.
func ExampleArena_KeepAlive() {
	type Rule struct {
		Name    *string
		Pattern *regexp.Regexp
	}
	a := arena.NewArena(arena.WithNoScan())
	rule := arena.New[Rule](a)
	rule.Name = arena.NewOf(a, "digits") // inside
	pattern := regexp.MustCompile("[0-9]+")
	a.KeepAlive(pattern)
	rule.Pattern = pattern // outside
	fmt.Println(*rule.Name, rule.Pattern.FindString("route 66"))
	// Output: digits 66
}

func ExampleArena_Owns() {
	a := arena.NewArena()
	inside, outside := arena.New[int](a), new(int)
	fmt.Println(a.Owns(unsafe.Pointer(inside)), a.Owns(unsafe.Pointer(outside)))
	a.Reset()
	fmt.Println(a.Owns(unsafe.Pointer(inside)))
	// Output:
	// true false
	// false
}

func ExampleClone() {
	a := arena.NewArena()
	name := arena.Clone(a.AllocString("Ada")) // now on the heap
	a.Reset()
	fmt.Println(name)
	// Output: Ada
}

func ExampleCloneOut() {
	type Schema struct{ Name string }
	type Row struct {
		Schema *Schema // of the whole program
		Key    string
	}
	people := &Schema{"people"}

	a := arena.NewArena()
	row := arena.NewOf(a, Row{people, a.AllocString("ada")})
	row = arena.CloneOut(a, row)
	a.Reset()

	fmt.Println(row.Key, row.Schema == people)
	// Output: ada true
}

func ExampleDeepClone() {
	type person struct {
		name   string
		friend *person
	}
	a := arena.NewArena()
	ada, bob := arena.New[person](a), arena.New[person](a)
	*ada = person{a.AllocString("Ada"), bob}
	*bob = person{a.AllocString("Bob"), ada}

	ada = arena.DeepClone(ada) // all of it is on the heap now
	a.Reset()
	fmt.Println(ada.friend.name, ada.friend.friend == ada)
	// Output: Bob true
}

// greet is called with and without an arena.
func greet(ctx context.Context, name string) string {
	return arena.FromContext(ctx).Sprintf("Hello, %s!", name)
}

func ExampleNewContext() {
	pool := arena.NewPool()
	pool.Do(func(a *arena.Arena) error {
		ctx := arena.NewContext(context.Background(), a)
		fmt.Println(greet(ctx, "arena"))
		fmt.Println(a.UsedBytes())
		return nil
	})
	// Output:
	// Hello, arena!
	// 13
}

// Without an arena in the context it is the Go heap.
func ExampleFromContext() {
	ctx := context.Background()
	fmt.Println(arena.FromContext(ctx) == nil)
	fmt.Println(greet(ctx, "heap"))
	// Output:
	// true
	// Hello, heap!
}

func ExampleKeep() {
	type User struct{ Name string }
	var cache sync.Map
	a := arena.NewArena()
	user := arena.NewOf(a, User{a.AllocString("Ada")})
	cache.Store(arena.Keep(a, a.AllocString("user:1"), user))
	a.Reset() // the request is over
	v, _ := cache.Load("user:1")
	fmt.Println(v.(*User).Name)
	// Output: Ada
}

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
	// allocated by arena_test.ExampleOnEscape in example_lifetime_test.go
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

// The last chunk may be nearly empty: smaller ones grow closer to the need.
func ExampleWithMaxChunkSize() {
	a, b := arena.NewArena(arena.WithMaxChunkSize(32<<10)), arena.NewArena()
	for range 40_000 {
		arena.New[[64]byte](a)
		arena.New[[64]byte](b)
	}
	fmt.Println(a.Stats().Chunks > b.Stats().Chunks)
	// Output: true
}
