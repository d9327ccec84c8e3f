package collections_test

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// A page is an entry of a cache, in a list from the newest to the oldest.
type page struct {
	name         string
	newer, older *page
}

// A cache evicts its oldest entry for each new one. The entries' memory is used again, and in a self-contained arena
// the GC scans none of them.
func ExampleSlots() {
	a := arena.NewArena(arena.WithNoScan())
	pages := collections.NewSlots[page](a)
	var newest, oldest *page
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if pages.Len() == 3 {
			p := oldest
			oldest = p.newer
			oldest.older = nil
			pages.Free(p)
		}
		p := pages.New()
		p.name, p.older = a.AllocString(name), newest
		if newest != nil {
			newest.newer = p
		} else {
			oldest = p
		}
		newest = p
	}
	for p := newest; p != nil; p = p.older {
		fmt.Print(p.name, " ")
	}
	fmt.Println(pages.Len())
	// Output: e d c 3
}

// A folder is a node of a tree. It has no pointers, so that the GC never scans it.
type folder struct {
	id            int
	parent, first collections.Ref[folder]
	next          collections.Ref[folder] // of the same parent
}

// Refs link nodes in half the memory of pointers.
func ExampleRef() {
	folders := collections.NewSlots[folder](arena.NewArena())
	root := folders.New()
	for id := range 3 {
		f := folders.New()
		f.id, f.parent, f.next = id, folders.RefTo(root), root.first
		root.first = folders.RefTo(f)
	}
	for f := folders.At(root.first); f != nil; f = folders.At(f.next) {
		fmt.Print(f.id, " ")
	}
	// Output: 2 1 0
}

// A Handle tells that its slot was freed, even if another value is there now.
func ExampleHandle() {
	sessions := collections.NewSlots[string](nil)
	s := sessions.New()
	*s = "first"
	h := sessions.HandleOf(s)
	sessions.Free(s)
	*sessions.New() = "second"
	_, ok := sessions.Get(h)
	fmt.Println(ok)
	// Output: false
}

func ExampleNewSlots() {
	numbers := collections.NewSlots[int](arena.NewArena())
	*numbers.New() = 7
	fmt.Println(numbers.Len())
	// Output: 1
}

// A Ref and a Handle lead to a slot; nil and zero belong together.
func ExampleSlots_references() {
	numbers := collections.NewSlots[int](arena.NewArena())
	p := numbers.New()
	r, h := numbers.RefTo(p), numbers.HandleOf(p)
	q, ok := numbers.Get(h)
	fmt.Println(numbers.At(r) == p, q == p, ok, numbers.At(0), numbers.RefTo(nil))
	numbers.Free(p)
	fmt.Println(numbers.Get(h))
	defer func() { fmt.Println(recover() != nil) }()
	numbers.Free(p) // panics
	// Output:
	// true true true <nil> 0
	// <nil> false
	// true
}

func ExampleSlots_All() {
	numbers := collections.NewSlots[int](arena.NewArena())
	for i := range 5 {
		*numbers.New() = i
	}
	for _, p := range numbers.All() {
		if *p%2 == 0 {
			numbers.Free(p)
		}
	}
	for r, p := range numbers.All() {
		fmt.Print(*p, numbers.At(r) == p, " ")
	}
	// Output: 1 true 3 true
}
