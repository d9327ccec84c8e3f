package arena_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

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
