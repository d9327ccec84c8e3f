package promises_test

import (
	"reflect"
	"strconv"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that a life with many types costs later ones no memory.

// manyTypes returns the keys of n types with pointers.
func manyTypes(n int) (keys []arena.TypeKey) {
	for i := range n {
		keys = append(keys, arena.KeyOf(reflect.StructOf([]reflect.StructField{
			{Name: "P" + strconv.Itoa(i), Type: reflect.TypeFor[*int]()}, {Name: "N", Type: reflect.TypeFor[int]()}})))
	}
	return keys
}

// lifeOf is a life in which each type has a value, and a few have many.
func lifeOf(a *arena.Arena, keys []arena.TypeKey) {
	for i, k := range keys {
		if k.New(a); i%100 == 0 {
			k.MakeSlice(a, 100)
		}
	}
}

// TestManyTypesAreForgotten: the memory of a life with thousands of types is gone some dozens of small lives later, in
// an arena of any owner; and an allocator of such a type works as before.
func TestManyTypesAreForgotten(t *testing.T) {
	testkit.NeedsReuse(t)
	keys := manyTypes(3000)
	for name, one := range map[string]func() (a *arena.Arena, end func()){
		"arena": func() (*arena.Arena, func()) { a := arena.NewArena(); return a, a.Reset },
		"child": func() (*arena.Arena, func()) { a := arena.NewArena().Child(); return a, a.Reset },
		"local": func() (*arena.Arena, func()) { a := new(arena.Shared).Local(); return a, a.Reset },
		"pool": func() (*arena.Arena, func()) {
			p := arena.NewPool(arena.WithReuse())
			a := p.Get()
			return a, func() {
				p.Put(a)
				for b := p.Get(); b != a; b = p.Get() { // sync.Pool drops some with the race detector
					t.Skip("another arena came back")
				}
			}
		},
		"limited": func() (*arena.Arena, func()) {
			a := arena.NewArena(arena.WithLimit(16 << 20))
			return a, a.Reset
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, end := one()
			last := keys[len(keys)-1].For(a)
			lifeOf(a, keys)
			huge := a.Stats()
			for i := range 60 {
				end()
				if i%2 == 0 { // a life without a value ends like others
					arena.New[[2]int](a)
					arena.New[*int](a)
				}
			}
			if s := a.Stats(); s.Reserved > 64<<10 || s.Slabs > 100 {
				t.Errorf("after 60 small lives: %v; after the huge one: %v", s, huge)
			}
			for range 2 { // New finds a slab of its own, since that of last was gone
				for _, p := range [...]unsafe.Pointer{last.New(), keys[len(keys)-1].New(a)} {
					p := (*[2]uintptr)(p)
					if *p != [2]uintptr{} {
						t.Fatalf("a new value is %v", *p)
					}
					p[1] = 1
				}
				if used := a.UsedBytes(); used < 4*testkit.SizeOfType(uintptr(0)) {
					t.Errorf("%d bytes are used by two values", used)
				}
				end()
			}
		})
	}
}

// TestTypesInTurnStay: types that are used once in dozens of lives keep their memory, as long as all of it is little
// beside the memory in use.
func TestTypesInTurnStay(t *testing.T) {
	testkit.NeedsReuse(t)
	keys := manyTypes(800)
	a := arena.NewArena()
	for i := range 400 {
		for j := range 20 {
			keys[(i*20+j)%len(keys)].New(a)
		}
		a.Reset()
	}
	if s := a.Stats(); s.Slabs != len(keys) || s.Chunks < len(keys) {
		t.Errorf("%d types are used in turn, each in one of 40 lives: %v", len(keys), s)
	}
}
