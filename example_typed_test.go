package arena_test

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
)

type place struct{ X, Y int }

func ExampleKeyOf() {
	key := arena.KeyOf(reflect.TypeFor[place]()) // once, for all arenas
	a := arena.NewArena()
	p := (*place)(key.New(a))
	p.X = 3
	fmt.Println(*p)
	// Output: {3 0}
}

func ExampleTypeKey() {
	type decoder struct {
		elem arena.TypeKey // of the values to be made
	}
	d := decoder{arena.KeyOf(reflect.TypeFor[place]())}
	v := reflect.NewAt(d.elem.Type(), d.elem.New(nil)).Elem()
	v.Field(1).SetInt(4)
	fmt.Println(v)
	// Output: {0 4}
}

func ExampleTypeKey_Type() {
	fmt.Println(arena.KeyOf(reflect.TypeFor[[]string]()).Type())
	// Output: []string
}

func ExampleTypeKey_New() {
	a := arena.NewArena()
	key := arena.KeyOf(reflect.TypeOf(""))
	v := reflect.NewAt(key.Type(), key.New(a)).Elem()
	v.SetString(a.AllocString("in the arena"))
	fmt.Println(v)
	// Output: in the arena
}

func ExampleTypeKey_MakeSlice() {
	a := arena.NewArena()
	key := arena.KeyOf(reflect.TypeFor[int]())
	s := unsafe.Slice((*int)(key.MakeSlice(a, 3)), 3)
	s[1] = 1
	fmt.Println(s)
	// Output: [0 1 0]
}

func ExampleTypeKey_For() {
	a := arena.NewArena()
	points := arena.KeyOf(reflect.TypeFor[place]()).For(a)
	p, q := (*place)(points.New()), (*place)(points.New())
	p.X, q.Y = 1, 2
	fmt.Println(*p, *q)
	// Output: {1 0} {0 2}
}

func ExampleTypeAllocator() {
	a := arena.NewArena()
	names := arena.KeyOf(reflect.TypeFor[string]()).For(a)
	p, room := names.Grow(nil, 0, 0, 8) // more than is needed
	*(*string)(p) = "one"
	*(*string)(unsafe.Add(p, names.Size())) = "two"
	room = names.Trim(p, 2, room)
	fmt.Printf("%q\n", unsafe.Slice((*string)(p), room))
	// Output: ["one" "two"]
}

func ExampleTypeAllocator_New() {
	ints := arena.KeyOf(reflect.TypeFor[int]()).For(arena.NewArena())
	fmt.Println(*(*int)(ints.New()))
	// Output: 0
}

func ExampleTypeAllocator_NewN() {
	ints := arena.KeyOf(reflect.TypeFor[int]()).For(arena.NewArena())
	fmt.Println(unsafe.Slice((*int)(ints.NewN(2)), 2))
	// Output: [0 0]
}

func ExampleTypeAllocator_Size() {
	fmt.Println(arena.KeyOf(reflect.TypeFor[[3]int32]()).For(nil).Size())
	// Output: 12
}

func ExampleTypeAllocator_Grow() {
	ints := arena.KeyOf(reflect.TypeFor[int]()).For(arena.NewArena())
	p, room := ints.Grow(nil, 0, 0, 1)
	*(*int)(p) = 5
	p, room = ints.Grow(p, 1, room, 3)
	fmt.Println(unsafe.Slice((*int)(p), room))
	// Output: [5 0 0]
}

func ExampleTypeAllocator_Trim() {
	a := arena.NewArena()
	ints := arena.KeyOf(reflect.TypeFor[int64]()).For(a)
	p, room := ints.Grow(nil, 0, 0, 100)
	fmt.Println(ints.Trim(p, 2, room), a.UsedBytes())
	// Output: 2 16
}

func ExampleArena_CopyAll() {
	a := arena.NewArena()
	fmt.Printf("%s\n", a.CopyAll([]byte("in several "), []byte("pieces")))
	// Output: in several pieces
}

func ExampleArena_SelfContained() {
	fmt.Println(arena.NewArena(arena.WithNoScan()).SelfContained(), arena.NewArena().SelfContained())
	// Output: true false
}
