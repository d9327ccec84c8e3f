package collections_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleNewSlice() {
	s := collections.NewSlice[string](arena.NewArena(), 10)
	fmt.Println(s.Len(), s.Cap())
	// Output: 0 10
}

func ExampleSlice() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.AppendSeq(slices.Values([]int{8, 9}))
	s.Insert(1, 7)
	fmt.Println(s, s.Len(), s.At(0), slices.Max(s.Slice()))
	s.Delete(0, 3)
	s.Set(0, 6)
	c := s.Clone(arena.NewArena())
	s.Clear()
	fmt.Println(s, c)
	// Output:
	// [3 7 1 2 8 9] 6 3 9
	// [] [6 8 9]
}

func ExampleSlice_sort() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Sort(cmp.Compare[int])
	fmt.Print(s)
	s.SortStable(func(x, y int) int { return y - x })
	fmt.Println(s)
	// Output: [1 2 3][3 2 1]
}

func ExampleSlice_capacity() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Grow(100)
	s.Append(3, 1, 2) // needs no memory
	fmt.Print(s.Cap() >= 100, " ")
	s.Clip()
	fmt.Println(s.Cap())
	// Output: true 3
}

func ExampleSlice_iterators() {
	s := collections.NewSlice[string](arena.NewArena(), 0)
	s.Append("b", "a")
	for i, v := range s.All() {
		fmt.Print(i, v, " ")
	}
	for i, v := range s.Backward() {
		fmt.Print(i, v, " ")
	}
	fmt.Println(slices.Sorted(s.Values()))
	// Output: 0b 1a 1a 0b [a b]
}

func ExampleSlice_Format() {
	s := collections.NewSlice[int](nil, 0)
	s.Append(5)
	fmt.Printf("%v %02d\n", s, s)
	// Output: [5] [05]
}

func ExampleSlice_json() {
	s := collections.NewSlice[int](nil, 0)
	err := s.UnmarshalJSON([]byte(`[5]`)) // as json.Unmarshal does
	data, _ := s.MarshalJSON()
	fmt.Printf("%v %s %v\n", s, data, err)
	// Output: [5] [5] <nil>
}

func ExampleNewSegmented() {
	s := collections.NewSegmented[int](arena.NewArena())
	s.Append(1, 2, 3)
	fmt.Println(s)
	// Output: [1 2 3]
}

func ExampleSegmented() {
	tokens := collections.NewSegmented[string](arena.NewArena())
	first := tokens.Push("if")
	tokens.Append("x", "{", "}")
	*first = "for" // it is where it was
	*tokens.Ref(1) = "y"
	c := tokens.Clone(nil) // on the heap
	tokens.Set(3, ";")
	fmt.Println(tokens, tokens.At(3), c)
	tokens.Clear()
	fmt.Println(tokens.Len())
	// Output:
	// [for y { ;] ; [for y { }]
	// 0
}

func ExampleSegmented_iterators() {
	s := collections.NewSegmented[string](arena.NewArena())
	s.Append("a", "b", "c")
	for i, v := range s.All() {
		fmt.Print(i, v, " ")
	}
	for seg := range s.Segments() { // the fastest
		for _, v := range seg {
			fmt.Print(v, " ")
		}
	}
	fmt.Println(slices.Collect(s.Values()))
	// Output: 0a 1b 2c a b c [a b c]
}

func ExampleSegmented_Format() {
	s := collections.NewSegmented[int](nil)
	s.Append(5)
	fmt.Printf("%v %02d\n", s, s)
	// Output: [5] [05]
}

func ExampleSegmented_json() {
	s := collections.NewSegmented[int](nil)
	err := s.UnmarshalJSON([]byte(`[5]`)) // as json.Unmarshal does
	data, _ := s.MarshalJSON()
	fmt.Printf("%v %s %v\n", s, data, err)
	// Output: [5] [5] <nil>
}
