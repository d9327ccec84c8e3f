package arena_test

import (
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

// A parser gives up what an attempt allocated when the attempt fails.
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

// What was handed out stays valid after Free.
func ExampleArena_Free() {
	load := func() []string {
		a := arena.NewArena()
		defer a.Free()
		return arena.Collect(a, strings.FieldsSeq("tea milk rice"))
	}
	fmt.Println(load())
	// Output: [tea milk rice]
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
