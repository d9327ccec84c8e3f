package collections_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleNewMap() {
	m := collections.NewMap[int, string](arena.NewArena(), 100) // room for about 100
	m.Set(7, "seven")
	fmt.Println(m)
	// Output: map[7:seven]
}

func ExampleMap() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	for _, w := range []string{"to", "be", "or", "not", "to", "be"} {
		*m.Ref(w)++
	}
	fmt.Println(m.Len(), m)
	v, ok := m.Get("be")
	fmt.Println(v, ok, m.Has("is"))
	m.Set("be", 7)
	m.Delete("not")
	m.Delete("is") // which isn't there
	m.Insert(maps.All(map[string]int{"that": 3}))
	c := m.Clone(arena.NewArena())
	m.Clear()
	fmt.Println(c, m)
	// Output:
	// 4 map[be:2 not:1 or:1 to:2]
	// 2 true false
	// map[be:7 or:1 that:3 to:2] map[]
}

// Two steps in one look up the key once.
func ExampleMap_twoInOne() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	fmt.Println(m.LoadOrStore("a", 1))
	fmt.Println(m.LoadOrStore("a", 5))
	fmt.Println(m.Swap("a", 6))
	fmt.Println(m.LoadAndDelete("a"))
	// Output:
	// 1 false
	// 1 true
	// 1 true
	// 6 true
}

func ExampleMap_iterators() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(slices.Sorted(m.Keys()), slices.Sorted(m.Values()))
	sum := 0
	for k, v := range m.All() {
		if k == "a" {
			m.Delete("a") // fine
		}
		sum += v
	}
	fmt.Println(sum, m)
	// Output:
	// [a b] [1 2]
	// 3 map[b:2]
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

func ExampleMap_Format() {
	m := collections.NewMap[string, int](nil, 0)
	m.Set("b", 2)
	fmt.Printf("%v %#v\n", m, m)
	// Output: map[b:2] map[string]int{"b":2}
}

func ExampleMap_json() {
	m := collections.NewMap[string, int](nil, 0)
	err := m.UnmarshalJSON([]byte(`{"b":2}`)) // as json.Unmarshal does
	data, _ := m.MarshalJSON()
	fmt.Printf("%v %s %v\n", m, data, err)
	// Output: map[b:2] {"b":2} <nil>
}
