package collections_test

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// TestSegmentsAreExact: what many lists that grow at a time take is at most twice their elements, and a large
// one hardly more than its own.
func TestSegmentsAreExact(t *testing.T) {
	a := arena.NewArena()
	lists := make([]*collections.Segmented[int64], 50)
	for i := range lists {
		lists[i] = collections.NewSegmented[int64](a)
	}
	before := a.UsedBytes()
	const n = 100_000
	for i := range n {
		for _, l := range lists {
			l.Push(int64(i))
		}
	}
	if used, least := a.UsedBytes()-before, 8*n*len(lists); used > least*21/20 {
		t.Errorf("%d bytes for %d", used, least)
	}
	for _, l := range lists {
		if l.At(n-1) != n-1 || l.At(2039) != 2039 || l.At(2040) != 2040 || l.At(3063) != 3063 || l.At(3064) != 3064 {
			t.Fatal("elements at the ends of segments")
		}
	}
}

func TestSegmentedLeavesItsArena(t *testing.T) {
	a := arena.NewArena()
	s := collections.NewSegmented[string](a)
	for i := range 3000 {
		s.Push(a.Sprintf("element %d", i))
	}
	c := arena.DeepClone(s)
	a.Reset()
	for range 3000 {
		a.Sprintf("other %d", 1)
	}
	c.Push("more")
	for i, v := range c.All() {
		if want := fmt.Sprintf("element %d", i); v != want && i < 3000 {
			t.Fatalf("%q, want %q", v, want)
		}
	}
	if c.Len() != 3001 || c.At(3000) != "more" {
		t.Error("a clone doesn't grow")
	}
}

func TestSegmentedEdges(t *testing.T) {
	var s collections.Segmented[struct{}] // on the heap, of values without size
	for range 5000 {
		s.Push(struct{}{})
	}
	if s.Len() != 5000 {
		t.Error(s.Len())
	}
	for _, f := range []func(){func() { s.At(5000) }, func() { s.At(-1) }, func() { s.Ref(5000) }, func() { s.Set(5000, struct{}{}) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic for an index out of range")
				}
			}()
			f()
		}()
	}
	for range new(collections.Segmented[int]).Segments() {
		t.Error("a segment of nothing")
	}
	for seg := range s.Segments() {
		if len(seg) != 8 {
			t.Error(len(seg))
		}
		break
	}
	for range s.Values() {
		break
	}
}
