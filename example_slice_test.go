package arena_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

func ExampleMakeSlice() {
	a := arena.NewArena()
	row := arena.MakeSlice[int](a, 2, 8)
	fmt.Println(row, cap(row))
	// Output: [0 0] 8
}

// What is overwritten in any case need not be zeroed first.
func ExampleMakeSliceUninit() {
	a := arena.NewArena()
	squares := arena.MakeSliceUninit[int](a, 5, 5)
	for i := range squares {
		squares[i] = i * i
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleAppend() {
	a := arena.NewArena()
	var primes []int
	for n := 2; n < 20; n++ {
		if !slices.ContainsFunc(primes, func(p int) bool { return n%p == 0 }) {
			primes = arena.Append(a, primes, n)
		}
	}
	fmt.Println(primes)
	// Output: [2 3 5 7 11 13 17 19]
}

// A slice grows where it is, also while objects and strings are allocated.
func ExampleAppend_inPlace() {
	a := arena.NewArena()
	words := arena.MakeSlice[string](a, 0, 1)
	words = arena.Append(a, words, a.AllocString("one"))
	first := &words[0]
	for _, w := range []string{"two", "three", "four"} {
		words = arena.Append(a, words, a.AllocString(w))
	}
	fmt.Println(words, &words[0] == first)
	// Output: [one two three four] true
}

func ExampleAppendSeq() {
	stock := map[string]int{"tea": 3, "milk": 1, "rice": 2}
	a := arena.NewArena()
	names := arena.MakeSlice[string](a, 0, len(stock))
	names = arena.AppendSeq(a, names, maps.Keys(stock))
	slices.Sort(names)
	fmt.Println(names)
	// Output: [milk rice tea]
}

func ExampleCollect() {
	a := arena.NewArena()
	fields := arena.Collect(a, strings.SplitSeq("2026-03-14", "-"))
	fmt.Println(len(fields), fields)
	// Output: 3 [2026 03 14]
}

func ExampleGrow() {
	a := arena.NewArena()
	line := arena.Grow(a, []byte("> "), 10)
	fmt.Println(len(line), cap(line) >= 12)
	line = append(line, "ten bytes!"...) // there is room
	fmt.Printf("%s\n", line)
	// Output:
	// 2 true
	// > ten bytes!
}

func ExampleCopySlice() {
	buffer := []byte("GET /index")
	a := arena.NewArena()
	method := arena.CopySlice(a, buffer[:3])
	copy(buffer, "PUT") // the next request overwrites the buffer
	fmt.Printf("%s\n", method)
	// Output: GET
}
