package collections_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func Example() {
	a := arena.NewArena()
	seen := collections.NewSet[string](a, 0)
	order := collections.NewSlice[string](a, 0)
	for _, w := range []string{"to", "be", "or", "not", "to", "be"} {
		if seen.Add(w) {
			order.Append(w)
		}
	}
	fmt.Println(order)
	a.Reset() // ends both
	// Output:
	// [to be or not]
}

func ExampleSet() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Has(1), s.Has(2), s.Len())
	// Output:
	// true false 2
}

func ExampleNewSet() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Len())
	// Output:
	// 2
}

func ExampleSet_Add() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Add(3), s.Add(4))
	// Output:
	// false true
}

func ExampleSet_Has() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Has(3))
	// Output:
	// true
}

func ExampleSet_Delete() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Delete(3), s.Delete(3))
	// Output:
	// true false
}

func ExampleSet_Len() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(s.Len())
	// Output:
	// 2
}

func ExampleSet_Clear() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	s.Clear()
	fmt.Println(s.Len())
	// Output:
	// 0
}

func ExampleSet_Insert() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	s.Insert(slices.Values([]int{1, 2}))
	fmt.Println(slices.Sorted(s.All()))
	// Output:
	// [1 2 3]
}

func ExampleSet_All() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	fmt.Println(slices.Sorted(s.All()))
	// Output:
	// [1 3]
}

func ExampleSet_Clone() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	c := s.Clone(arena.NewArena())
	s.Clear()
	fmt.Println(c.Len())
	// Output:
	// 2
}

func ExampleSet_Format() {
	s := collections.NewSet[int](nil, 0)
	s.Add(3)
	fmt.Println(s)
	// Output:
	// [3]
}

func ExampleSet_MarshalJSON() {
	s := collections.NewSet[int](nil, 0)
	s.Add(3)
	data, err := json.Marshal(s)
	fmt.Println(string(data), err)
	// Output:
	// [3] <nil>
}

func ExampleSet_UnmarshalJSON() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	s.Add(3)
	s.Add(1)
	err := json.Unmarshal([]byte("[1, 2]"), s)
	fmt.Println(slices.Sorted(s.All()), err)
	// Output:
	// [1 2 3] <nil>
}

func ExampleInterner() {
	in := collections.NewInterner(arena.NewArena(), 0)
	x, y := in.Intern("a word"), in.InternBytes([]byte("a word"))
	fmt.Println(x == y, unsafe.StringData(x) == unsafe.StringData(y), in.Len())
	// Output:
	// true true 1
}

func ExampleNewInterner() {
	in := collections.NewInterner(arena.NewArena(), 0)
	fmt.Println(in.Intern("word"), in.Len())
	// Output:
	// word 1
}

func ExampleInterner_Intern() {
	in := collections.NewInterner(arena.NewArena(), 0)
	fmt.Println(in.Intern("word"))
	// Output:
	// word
}

func ExampleInterner_InternBytes() {
	in := collections.NewInterner(arena.NewArena(), 0)
	line := []byte("GET /index")
	method := in.InternBytes(line[:3])
	copy(line, "PUT")
	fmt.Println(method)
	// Output:
	// GET
}

func ExampleInterner_Len() {
	in := collections.NewInterner(arena.NewArena(), 0)
	in.Intern("word")
	in.Intern("word")
	fmt.Println(in.Len())
	// Output:
	// 1
}
