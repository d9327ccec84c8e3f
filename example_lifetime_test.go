package arena_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
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

// This file has examples of strings: how they are made in an arena, and leave it.

func ExampleArena_ToUpper() {
	a := arena.NewArena()
	fmt.Println(a.ToUpper("sku-17é"))
	// Output: SKU-17É
}

func ExampleArena_ToLower() {
	a := arena.NewArena()
	name := "ada" // is returned as it is
	fmt.Println(a.ToLower("Ada@Example.org"), a.ToLower(name))
	// Output: ada@example.org ada
}

func ExampleArena_Map() {
	a := arena.NewArena()
	digits := func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}
	fmt.Println(a.Map(digits, "+49 (30) 1234"))
	// Output: 49301234
}

func ExampleArena_Replace() {
	a := arena.NewArena()
	fmt.Println(a.Replace("a/b/c", "/", ".", -1), a.Replace("a/b/c", "/", ".", 1))
	// Output: a.b.c a.b/c
}

func ExampleArena_Repeat() {
	a := arena.NewArena()
	fmt.Println(a.Repeat("=", 10))
	// Output: ==========
}

func ExampleArena_Text() {
	a := arena.NewArena()
	s := a.Text().Str("order ").Int(17).Str(": ").Float(9.5, 'f', 2).String()
	fmt.Println(s)
	// Output: order 17: 9.50
}

func ExampleText() {
	a := arena.NewArena()
	t := a.Text()
	for i, name := range []string{"ada", "grace"} {
		if i > 0 {
			t.Str(", ")
		}
		t.Int(i + 1).Byte(' ').Quote(name)
	}
	fmt.Println(t.String())
	// Output: 1 "ada", 2 "grace"
}

func ExampleText_Str() {
	a := arena.NewArena()
	fmt.Println(a.Text().Str("a").Str("b").String())
	// Output: ab
}

func ExampleText_Bytes() {
	a := arena.NewArena()
	fmt.Println(a.Text().Bytes([]byte("raw")).String())
	// Output: raw
}

func ExampleText_Byte() {
	a := arena.NewArena()
	fmt.Println(a.Text().Byte('a').Byte('b').String())
	// Output: ab
}

func ExampleText_Rune() {
	a := arena.NewArena()
	fmt.Println(a.Text().Rune('é').Rune('世').String())
	// Output: é世
}

func ExampleText_Bool() {
	a := arena.NewArena()
	fmt.Println(a.Text().Bool(true).String())
	// Output: true
}

func ExampleText_Int() {
	a := arena.NewArena()
	fmt.Println(a.Text().Int(-17).String())
	// Output: -17
}

func ExampleText_Int64() {
	a := arena.NewArena()
	fmt.Println(a.Text().Int64(1 << 40).String())
	// Output: 1099511627776
}

func ExampleText_Uint64() {
	a := arena.NewArena()
	fmt.Println(a.Text().Uint64(1 << 63).String())
	// Output: 9223372036854775808
}

func ExampleText_Float() {
	a := arena.NewArena()
	fmt.Println(a.Text().Float(0.1, 'g', -1).Byte(' ').Float(2.0/3, 'f', 2).String())
	// Output: 0.1 0.67
}

func ExampleText_Time() {
	a := arena.NewArena()
	fmt.Println(a.Text().Time(time.Unix(0, 0).UTC(), time.RFC3339).String())
	// Output: 1970-01-01T00:00:00Z
}

func ExampleText_Quote() {
	a := arena.NewArena()
	fmt.Println(a.Text().Quote("a\n").String())
	// Output: "a\n"
}

func ExampleText_String() {
	a := arena.NewArena()
	t := a.Text().Str("a")
	first := t.String()
	fmt.Println(first, t.Str("b").String())
	// Output: a ab
}

func ExampleText_Len() {
	a := arena.NewArena()
	fmt.Println(a.Text().Int(1000).Len())
	// Output: 4
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
