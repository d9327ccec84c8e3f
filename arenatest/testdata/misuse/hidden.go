package main

import (
	"strconv"

	"github.com/harena-go/arena"
)

// Self-contained arenas that point to the Go heap.

type tree struct {
	name     string
	children []*tree
	attrs    map[string]string
	value    any
	eval     func() int
	events   chan int
	parent   *tree
	pair     [2]struct{ key, text string }
	position *point
	number   int
}

func newIndex() *arena.Arena { return newArena(arena.WithNoScan(), arena.WithName("index")) }

// text makes a string that is on the heap.
func text(n int) string { return "number " + strconv.Itoa(n) }

var _ = plant("hidden/string", hiddenString)

// A node's name is made by strconv.
//
// want: hidden
func hiddenString() {
	t := arena.New[tree](newIndex()) // allocated
	t.name = text(1000)
}

var _ = plant("hidden/slice", hiddenSlice)

// append moves a node's children to the heap.
//
// want: hidden
func hiddenSlice() {
	a := newIndex()
	t := arena.New[tree](a) // allocated
	t.children = append(t.children, arena.New[tree](a))
}

var _ = plant("hidden/map", hiddenMap)

// A node has a map.
//
// want: hidden
func hiddenMap() {
	t := arena.New[tree](newIndex()) // allocated
	t.attrs = map[string]string{"a": "b"}
}

var _ = plant("hidden/interface", hiddenInterface)

// A value is put into an interface, for which it is copied to the heap.
//
// want: hidden
func hiddenInterface() {
	t := arena.New[tree](newIndex()) // allocated
	t.value = point{1, 2, sinkInt + 3}
}

var _ = plant("hidden/func", hiddenFunc)

// A closure has variables on the heap.
//
// want: hidden
func hiddenFunc() {
	n := sinkInt + 5
	t := arena.New[tree](newIndex()) // allocated
	t.eval = func() int { n++; return n }
}

var _ = plant("hidden/channel", hiddenChannel)

// A node has a channel.
//
// want: hidden
func hiddenChannel() {
	t := arena.New[tree](newIndex()) // allocated
	t.events = make(chan int, 10)
}

var _ = plant("hidden/pointer", hiddenPointer)

// A node's parent was made by new.
//
// want: hidden
func hiddenPointer() {
	t := arena.New[tree](newIndex()) // allocated
	t.parent = root()
}

//go:noinline
func root() *tree { return &tree{name: "root"} }

var _ = plant("hidden/nested array", hiddenArray)

// The second of two pairs in an array of a struct.
//
// want: hidden
func hiddenArray() {
	t := arena.New[tree](newIndex()) // allocated
	t.pair[1].text = text(2000)
}

var _ = plant("hidden/slice's element", hiddenElement)

// An element of a slice in the arena.
//
// want: hidden
func hiddenElement() {
	names := arena.MakeSlice[string](newIndex(), 10, 10) // allocated
	names[7] = text(3000)
}

var _ = plant("hidden/other arena", hiddenOther)

// A node of another arena, which the GC may free.
//
// want: hidden
func hiddenOther() {
	t := arena.New[tree](newIndex()) // allocated
	t.parent = arena.New[tree](newIndex())
}

var _ = plant("hidden/child", hiddenChild)

// A node points to one in a child, which ends earlier.
//
// want: hidden
func hiddenChild() {
	a := newIndex()
	t := arena.New[tree](a) // allocated
	t.parent = arena.New[tree](a.Child())
}

var _ = plant("hidden/error in an interface", hiddenError)

// An error from the standard library.
//
// want: hidden
func hiddenError() {
	t := arena.New[tree](newIndex()) // allocated
	_, err := strconv.Atoi(text(1))
	t.value = err
}
