package collections_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

func ExampleSegmented() {
	a := arena.NewArena()
	tokens := collections.NewSegmented[string](a)
	first := tokens.Push("if")
	for _, t := range []string{"x", "{", "}"} {
		tokens.Push(t)
	}
	*first = "for" // it is where it was
	fmt.Println(tokens)
	// Output: [for x { }]
}

func ExampleNewSegmented() {
	s := collections.NewSegmented[int](arena.NewArena())
	s.Append(1, 2, 3)
	fmt.Println(s)
	// Output: [1 2 3]
}

func exampleSegmented() *collections.Segmented[string] {
	s := collections.NewSegmented[string](arena.NewArena())
	s.Append("a", "b", "c")
	return s
}

func ExampleSegmented_Len() {
	fmt.Println(exampleSegmented().Len())
	// Output: 3
}

func ExampleSegmented_Push() {
	s := exampleSegmented()
	p := s.Push("d")
	fmt.Println(*p, s)
	// Output: d [a b c d]
}

func ExampleSegmented_Append() {
	s := exampleSegmented()
	s.Append("d", "e")
	fmt.Println(s)
	// Output: [a b c d e]
}

func ExampleSegmented_Ref() {
	s := exampleSegmented()
	p := s.Ref(1)
	s.Append("d", "e") // p stays good
	*p = "B"
	fmt.Println(s)
	// Output: [a B c d e]
}

func ExampleSegmented_At() {
	fmt.Println(exampleSegmented().At(2))
	// Output: c
}

func ExampleSegmented_Set() {
	s := exampleSegmented()
	s.Set(2, "C")
	fmt.Println(s)
	// Output: [a b C]
}

func ExampleSegmented_Clear() {
	s := exampleSegmented()
	s.Clear()
	fmt.Println(s, s.Len())
	// Output: [] 0
}

func ExampleSegmented_Clone() {
	s := exampleSegmented()
	c := s.Clone(nil) // on the heap
	s.Set(0, "A")
	fmt.Println(s, c)
	// Output: [A b c] [a b c]
}

func ExampleSegmented_Segments() {
	n := 0
	for seg := range exampleSegmented().Segments() {
		for _, v := range seg {
			n += len(v)
		}
	}
	fmt.Println(n)
	// Output: 3
}

func ExampleSegmented_All() {
	for i, v := range exampleSegmented().All() {
		fmt.Print(i, v, " ")
	}
	// Output: 0a 1b 2c
}

func ExampleSegmented_Values() {
	fmt.Println(slices.Collect(exampleSegmented().Values()))
	// Output: [a b c]
}

func ExampleSegmented_Format() {
	fmt.Printf("%q", exampleSegmented())
	// Output: ["a" "b" "c"]
}

func ExampleSegmented_MarshalJSON() {
	b, err := json.Marshal(exampleSegmented())
	fmt.Println(string(b), err)
	// Output: ["a","b","c"] <nil>
}

func ExampleSegmented_UnmarshalJSON() {
	s := exampleSegmented()
	err := json.Unmarshal([]byte(`["x","y"]`), s)
	fmt.Println(s, err)
	// Output: [x y] <nil>
}

func ExampleMap_Equal() {
	a := arena.NewArena()
	m := collections.NewMap[string, int](a, 0)
	m.Insert(maps.All(map[string]int{"a": 1, "b": 2}))
	n := m.Clone(nil)
	equal := func(v, w int) bool { return v == w }
	fmt.Println(m.Equal(n, equal))
	n.Set("b", 3)
	fmt.Println(m.Equal(n, equal))
	// Output:
	// true
	// false
}
