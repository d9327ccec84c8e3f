package collections_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleDeque() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.PopFront(), d.PopBack(), d)
	// Output:
	// 1 3 [2]
}

func ExampleNewDeque() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d)
	// Output:
	// [1 2 3]
}

func ExampleDeque_Len() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.Len())
	// Output:
	// 3
}

func ExampleDeque_At() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.At(2))
	// Output:
	// 3
}

func ExampleDeque_Set() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	d.Set(1, 9)
	fmt.Println(d)
	// Output:
	// [1 9 3]
}

func ExampleDeque_PushBack() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	d.PushBack(4)
	fmt.Println(d)
	// Output:
	// [1 2 3 4]
}

func ExampleDeque_PushFront() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	d.PushFront(0)
	fmt.Println(d)
	// Output:
	// [0 1 2 3]
}

func ExampleDeque_PopFront() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.PopFront(), d)
	// Output:
	// 1 [2 3]
}

func ExampleDeque_PopBack() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.PopBack(), d)
	// Output:
	// 3 [1 2]
}

func ExampleDeque_Front() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.Front())
	// Output:
	// 1 true
}

func ExampleDeque_Back() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Println(d.Back())
	// Output:
	// 3 true
}

func ExampleDeque_Grow() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	d.Grow(100) // pushes that need no memory
	fmt.Println(d)
	// Output:
	// [1 2 3]
}

func ExampleDeque_Clear() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	d.Clear()
	fmt.Println(d)
	// Output:
	// []
}

func ExampleDeque_Clone() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	c := d.Clone(arena.NewArena())
	d.Clear()
	fmt.Println(c)
	// Output:
	// [1 2 3]
}

func ExampleDeque_All() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	for i, v := range d.All() {
		fmt.Print(i, ":", v, " ")
	}
	// Output:
	// 0:1 1:2 2:3
}

func ExampleDeque_Backward() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	for _, v := range d.Backward() {
		fmt.Print(v, " ")
	}
	// Output:
	// 3 2 1
}

func ExampleDeque_Format() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	fmt.Printf("%v %x\n", d, d)
	// Output:
	// [1 2 3] [1 2 3]
}

func ExampleDeque_MarshalJSON() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	data, err := json.Marshal(d)
	fmt.Println(string(data), err)
	// Output:
	// [1,2,3] <nil>
}

func ExampleDeque_UnmarshalJSON() {
	d := collections.NewDeque[int](arena.NewArena(), 0)
	d.PushBack(2)
	d.PushBack(3)
	d.PushFront(1)
	err := json.Unmarshal([]byte("[5, 6]"), d)
	fmt.Println(d, err)
	// Output:
	// [5 6] <nil>
}

func ExampleList() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	l.InsertBefore("a", b)
	l.MoveToBack(b)
	fmt.Println(l)
	// Output:
	// [a c b]
}

func ExampleNewList() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l)
	// Output:
	// [b c]
}

func ExampleNode() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	b.Value = "B"
	fmt.Println(l)
	// Output:
	// [B c]
}

func ExampleNode_Next() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	fmt.Println(b.Next().Value, b.Next().Next())
	// Output:
	// c <nil>
}

func ExampleNode_Prev() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l.Back().Prev().Value)
	// Output:
	// b
}

func ExampleList_Len() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l.Len())
	// Output:
	// 2
}

func ExampleList_Front() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l.Front() == b)
	// Output:
	// true
}

func ExampleList_Back() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l.Back().Value)
	// Output:
	// c
}

func ExampleList_PushFront() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	l.PushFront("a")
	fmt.Println(l)
	// Output:
	// [a b c]
}

func ExampleList_PushBack() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	l.PushBack("d")
	fmt.Println(l)
	// Output:
	// [b c d]
}

func ExampleList_InsertBefore() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	l.InsertBefore("a", b)
	fmt.Println(l)
	// Output:
	// [a b c]
}

func ExampleList_InsertAfter() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	l.InsertAfter("bb", b)
	fmt.Println(l)
	// Output:
	// [b bb c]
}

func ExampleList_Remove() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	fmt.Println(l.Remove(b), l)
	// Output:
	// b [c]
}

func ExampleList_MoveToFront() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	l.MoveToFront(l.Back())
	fmt.Println(l)
	// Output:
	// [c b]
}

func ExampleList_MoveToBack() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	l.MoveToBack(b)
	fmt.Println(l)
	// Output:
	// [c b]
}

func ExampleList_Clone() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	c := l.Clone(arena.NewArena())
	l.Remove(b)
	fmt.Println(c)
	// Output:
	// [b c]
}

func ExampleList_All() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	for n := range l.All() {
		if n.Value == "b" {
			l.Remove(n)
		}
	}
	fmt.Println(l)
	// Output:
	// [c]
}

func ExampleList_Backward() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	for n := range l.Backward() {
		fmt.Print(n.Value, " ")
	}
	// Output:
	// c b
}

func ExampleList_Values() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Println(slices.Collect(l.Values()))
	// Output:
	// [b c]
}

func ExampleList_Format() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	fmt.Printf("%q\n", l)
	// Output:
	// ["b" "c"]
}

func ExampleList_MarshalJSON() {
	l := collections.NewList[string](arena.NewArena())
	l.PushBack("b")
	l.PushBack("c")
	data, err := json.Marshal(l)
	fmt.Println(string(data), err)
	// Output:
	// ["b","c"] <nil>
}

func ExampleList_UnmarshalJSON() {
	l := collections.NewList[string](arena.NewArena())
	b := l.PushBack("b")
	l.PushBack("c")
	err := json.Unmarshal([]byte(`["x"]`), l)
	fmt.Println(l, err, b.Next())
	// Output:
	// [x] <nil> <nil>
}
