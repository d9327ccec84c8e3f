package arena_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
