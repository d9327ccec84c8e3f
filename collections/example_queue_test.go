package collections_test

import (
	"fmt"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleNewDeque() {
	d := collections.NewDeque[int](arena.NewArena(), 100) // room for 100
	d.PushBack(2)
	d.PushFront(1)
	fmt.Println(d)
	// Output: [1 2]
}

func ExampleDeque() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.Grow(100) // pushes that need no memory
	for i := range 5 {
		d.PushBack(i)
	}
	d.PushFront(9)
	fmt.Println(d.PopFront(), d.PopBack(), d.Len(), d)
	fmt.Println(d.Front())
	fmt.Println(d.Back())
	d.Set(1, 7)
	fmt.Println(d.At(1))
	c := d.Clone(arena.NewArena())
	d.Clear()
	fmt.Println(c, d)
	// Output:
	// 9 4 4 [0 1 2 3]
	// 0 true
	// 3 true
	// 7
	// [0 7 2 3] []
}

func ExampleDeque_iterators() {
	d := collections.NewDeque[string](arena.NewArena(), 0)
	d.PushBack("a")
	d.PushBack("b")
	for i, v := range d.All() {
		fmt.Print(i, v, " ")
	}
	for i, v := range d.Backward() {
		fmt.Print(i, v, " ")
	}
	// Output: 0a 1b 1b 0a
}

func ExampleDeque_Format() {
	d := collections.NewDeque[int](nil, 0)
	d.PushBack(5)
	fmt.Printf("%v %02d\n", d, d)
	// Output: [5] [05]
}

func ExampleDeque_json() {
	d := collections.NewDeque[int](nil, 0)
	err := d.UnmarshalJSON([]byte(`[5]`)) // as json.Unmarshal does
	data, _ := d.MarshalJSON()
	fmt.Printf("%v %s %v\n", d, data, err)
	// Output: [5] [5] <nil>
}

func ExampleNewList() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	fmt.Println(l)
	// Output: [b]
}

func ExampleList() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushFront("a")
	l.InsertBefore("ab", b)
	l.InsertAfter("c", b)
	fmt.Println(l, l.Len())
	l.MoveToFront(b)
	l.MoveToBack(l.Front().Next())
	fmt.Println(l, l.Back().Value)
	c := l.Clone(arena.NewArena())
	fmt.Println(l.Remove(b), l, c)
	// Output:
	// [a ab b c] 4
	// [b ab c a] a
	// b [ab c a] [b ab c a]
}

func ExampleList_iterators() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("a")
	l.PushBack("b")
	l.PushBack("c")
	for n := range l.All() {
		if n.Value == "b" {
			l.Remove(n) // fine
		}
	}
	for n := range l.Backward() {
		fmt.Print(n.Value, " ")
	}
	fmt.Println(slices.Collect(l.Values()))
	// Output: c a [a c]
}

func ExampleList_Format() {
	l := collections.NewList[int](nil)
	l.PushBack(5)
	fmt.Printf("%v %02d\n", l, l)
	// Output: [5] [05]
}

func ExampleList_json() {
	l := collections.NewList[int](nil)
	err := l.UnmarshalJSON([]byte(`[5]`)) // as json.Unmarshal does
	data, _ := l.MarshalJSON()
	fmt.Printf("%v %s %v\n", l, data, err)
	// Output: [5] [5] <nil>
}

func ExampleNode() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	b.Value = "B"
	fmt.Println(l, b.Next().Value, l.Back().Prev() == b, b.Prev())
	// Output: [B c] c true <nil>
}
