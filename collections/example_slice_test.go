package collections_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleSlice() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Insert(1, 9)
	fmt.Println(s, s.Len())
	// Output:
	// [3 9 1 2] 4
}

func ExampleNewSlice() {
	s := collections.NewSlice[string](arena.NewArena(), 10)
	fmt.Println(s.Len(), s.Cap())
	// Output:
	// 0 10
}

func ExampleSlice_Slice() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	fmt.Println(slices.Max(s.Slice()))
	// Output:
	// 3
}

func ExampleSlice_Len() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	fmt.Println(s.Len())
	// Output:
	// 3
}

func ExampleSlice_Cap() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Clip()
	fmt.Println(s.Cap())
	// Output:
	// 3
}

func ExampleSlice_At() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	fmt.Println(s.At(0))
	// Output:
	// 3
}

func ExampleSlice_Set() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Set(0, 7)
	fmt.Println(s)
	// Output:
	// [7 1 2]
}

func ExampleSlice_Append() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Append(4, 5)
	fmt.Println(s)
	// Output:
	// [3 1 2 4 5]
}

func ExampleSlice_AppendSeq() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.AppendSeq(slices.Values([]int{8, 9}))
	fmt.Println(s)
	// Output:
	// [3 1 2 8 9]
}

func ExampleSlice_Insert() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Insert(0, 8, 9)
	fmt.Println(s)
	// Output:
	// [8 9 3 1 2]
}

func ExampleSlice_Delete() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Delete(0, 2)
	fmt.Println(s)
	// Output:
	// [2]
}

func ExampleSlice_Clear() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Clear()
	fmt.Println(s)
	// Output:
	// []
}

func ExampleSlice_Grow() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Grow(100)
	fmt.Println(s.Cap() >= 103)
	// Output:
	// true
}

func ExampleSlice_Clip() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Clip()
	fmt.Println(s.Cap())
	// Output:
	// 3
}

func ExampleSlice_Sort() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.Sort(cmp.Compare[int])
	fmt.Println(s)
	// Output:
	// [1 2 3]
}

func ExampleSlice_SortStable() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	s.SortStable(func(x, y int) int { return y - x })
	fmt.Println(s)
	// Output:
	// [3 2 1]
}

func ExampleSlice_Clone() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	c := s.Clone(arena.NewArena())
	s.Clear()
	fmt.Println(c)
	// Output:
	// [3 1 2]
}

func ExampleSlice_All() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	for i, v := range s.All() {
		fmt.Print(i, ":", v, " ")
	}
	// Output:
	// 0:3 1:1 2:2
}

func ExampleSlice_Values() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	fmt.Println(slices.Sorted(s.Values()))
	// Output:
	// [1 2 3]
}

func ExampleSlice_Backward() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	for _, v := range s.Backward() {
		fmt.Print(v, " ")
	}
	// Output:
	// 2 1 3
}

func ExampleSlice_Format() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	fmt.Printf("%v %02d\n", s, s)
	// Output:
	// [3 1 2] [03 01 02]
}

func ExampleSlice_MarshalJSON() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	data, err := json.Marshal(s)
	fmt.Println(string(data), err)
	// Output:
	// [3,1,2] <nil>
}

func ExampleSlice_UnmarshalJSON() {
	s := collections.NewSlice[int](arena.NewArena(), 0)
	s.Append(3, 1, 2)
	err := json.Unmarshal([]byte("[5, 6]"), s)
	fmt.Println(s, err)
	// Output:
	// [5 6] <nil>
}
