package collections

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// TestMapCoding: entries that are made by their addresses are those that the methods find, numbers stay,
// and an emptied map keeps its arena.
func TestMapCoding(t *testing.T) {
	var c mapCoding[string, int]
	var m Map[string, int]
	at, a := unsafe.Pointer(&m), arena.NewArena()
	if c.Adopt(at, a) != a || c.Adopt(at, nil) != a {
		t.Error("the map isn't in the arena")
	}
	numbers := map[int]bool{}
	for round := range 2 {
		for i, k := range names(700) {
			v, found := c.Place(at, unsafe.Pointer(&k))
			if found != (round > 0) || *(*int)(v) != i*round {
				t.Fatalf("round %d: %q: %t, %d", round, k, found, *(*int)(v))
			}
			*(*int)(v) = i
			n := c.Number(at, unsafe.Pointer(&k))
			if numbers[n] != found || n >= 700 {
				t.Fatalf("%q has number %d", k, n)
			}
			numbers[n] = true
		}
	}
	m.Delete(names(4)[3])
	seen := 0
	for k, v, i := c.Next(at, 0); k != nil; k, v, i = c.Next(at, i) {
		if got, ok := m.Get(*(*string)(k)); !ok || got != *(*int)(v) {
			t.Errorf("%q: %d, %t", *(*string)(k), got, ok)
		}
		seen++
	}
	if seen != 699 || c.Len(at) != seen {
		t.Errorf("%d entries, %d seen", c.Len(at), seen)
	}
	c.Forget(at)
	if m.Len() != 0 || m.Has("") || c.Adopt(at, nil) != a {
		t.Error("the map isn't empty, or elsewhere")
	}
	m.Set("x", 1)
	if v, _ := m.Get("x"); v != 1 {
		t.Error(v)
	}
}

// TestSliceCoding: the same for a Slice. A Slice with memory on the heap stays there.
func TestSliceCoding(t *testing.T) {
	var c sliceCoding[int]
	s, a := NewSlice[int](nil, 3), arena.NewArena()
	if c.Adopt(unsafe.Pointer(s), a) != nil || c.Adopt(unsafe.Pointer(new(Slice[int])), a) != a {
		t.Error("a slice is in the wrong arena")
	}
	*(*[]int)(c.Items(unsafe.Pointer(s))) = []int{1, 2}
	if s.Len() != 2 || s.At(1) != 2 {
		t.Error(s)
	}
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, string(rune('a'+i%26))+string(rune(i)))
	}
	return all
}
