package collections_test

import (
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
	// Output: [to be or not]
}

func ExampleNewSet() {
	s := collections.NewSet[int](arena.NewArena(), 100) // room for about 100
	fmt.Println(s.Len())
	// Output: 0
}

func ExampleSet() {
	s := collections.NewSet[int](arena.NewArena(), 0)
	fmt.Println(s.Add(3), s.Add(3), s.Has(3), s.Has(2), s.Len())
	s.Insert(slices.Values([]int{1, 2}))
	fmt.Println(slices.Sorted(s.All()), s.Delete(3), s.Delete(3))
	c := s.Clone(arena.NewArena())
	s.Clear()
	fmt.Println(s.Len(), c.Len())
	// Output:
	// true false true false 1
	// [1 2 3] true false
	// 0 2
}

func ExampleSet_Format() {
	s := collections.NewSet[int](nil, 0)
	s.Add(5)
	fmt.Printf("%v %02d\n", s, s)
	// Output: [5] [05]
}

func ExampleSet_json() {
	s := collections.NewSet[int](nil, 0)
	err := s.UnmarshalJSON([]byte(`[5]`)) // as json.Unmarshal does
	data, _ := s.MarshalJSON()
	fmt.Printf("%v %s %v\n", s, data, err)
	// Output: [5] [5] <nil>
}

func ExampleNewInterner() {
	in := collections.NewInterner(arena.NewArena(), 0)
	fmt.Println(in.Intern("word"), in.Len())
	// Output: word 1
}

func ExampleInterner() {
	in := collections.NewInterner(arena.NewArena(), 0)
	line := []byte("GET /index")
	x, y := in.InternBytes(line[:3]), in.Intern("GET")
	copy(line, "PUT")
	fmt.Println(x, unsafe.StringData(x) == unsafe.StringData(y), in.Len())
	// Output: GET true 1
}
