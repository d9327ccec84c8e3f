package collections_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleMap() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	for _, w := range []string{"to", "be", "or", "not", "to", "be"} {
		*m.Ref(w)++
	}
	fmt.Println(m.Len(), m)
	// Output:
	// 4 map[be:2 not:1 or:1 to:2]
}

func ExampleNewMap() {
	m := collections.NewMap[int, string](arena.NewArena(), 100) // room for about 100
	m.Set(7, "seven")
	fmt.Println(m)
	// Output:
	// map[7:seven]
}

func ExampleMap_Set() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	m.Set("a", 3)
	fmt.Println(m)
	// Output:
	// map[a:3 b:2]
}

func ExampleMap_Get() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	v, ok := m.Get("a")
	fmt.Println(v, ok)
	v, ok = m.Get("z")
	fmt.Println(v, ok)
	// Output:
	// 1 true
	// 0 false
}

func ExampleMap_Has() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(m.Has("a"), m.Has("z"))
	// Output:
	// true false
}

func ExampleMap_Ref() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	*m.Ref("a") += 10
	*m.Ref("c")++
	fmt.Println(m)
	// Output:
	// map[a:11 b:2 c:1]
}

func ExampleMap_LoadOrStore() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(m.LoadOrStore("a", 5))
	fmt.Println(m.LoadOrStore("c", 5))
	// Output:
	// 1 true
	// 5 false
}

func ExampleMap_Swap() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(m.Swap("a", 5))
	fmt.Println(m)
	// Output:
	// 1 true
	// map[a:5 b:2]
}

func ExampleMap_Delete() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	m.Delete("a")
	m.Delete("z")
	fmt.Println(m)
	// Output:
	// map[b:2]
}

func ExampleMap_LoadAndDelete() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(m.LoadAndDelete("a"))
	fmt.Println(m)
	// Output:
	// 1 true
	// map[b:2]
}

func ExampleMap_Len() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(m.Len())
	// Output:
	// 2
}

func ExampleMap_Clear() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	m.Clear()
	fmt.Println(m)
	// Output:
	// map[]
}

func ExampleMap_Clone() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	b := arena.NewArena()
	c := m.Clone(b)
	m.Clear()
	fmt.Println(c)
	// Output:
	// map[a:1 b:2]
}

func ExampleMap_All() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	sum := 0
	for k, v := range m.All() {
		if k == "a" {
			m.Delete("a") // fine
		}
		sum += v
	}
	fmt.Println(sum, m)
	// Output:
	// 3 map[b:2]
}

func ExampleMap_Keys() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(slices.Sorted(m.Keys()))
	// Output:
	// [a b]
}

func ExampleMap_Values() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Println(slices.Sorted(m.Values()))
	// Output:
	// [1 2]
}

func ExampleMap_Insert() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	m.Insert(maps.All(map[string]int{"c": 3}))
	fmt.Println(m)
	// Output:
	// map[a:1 b:2 c:3]
}

func ExampleMap_Format() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	fmt.Printf("%v %#v\n", m, m)
	// Output:
	// map[a:1 b:2] map[string]int{"a":1, "b":2}
}

func ExampleMap_MarshalJSON() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	data, err := json.Marshal(m)
	fmt.Println(string(data), err)
	// Output:
	// {"a":1,"b":2} <nil>
}

func ExampleMap_UnmarshalJSON() {
	m := collections.NewMap[string, int](arena.NewArena(), 0)
	m.Set("b", 2)
	m.Set("a", 1)
	err := json.Unmarshal([]byte(`{"a": 7, "c": 3}`), m)
	fmt.Println(m, err)
	// Output:
	// map[a:7 b:2 c:3] <nil>
}
