package promises_test

import (
	"reflect"
	"strconv"
	"testing"

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

// TestManyTypesOfLocalsAreForgotten: the memory of a local's life with thousands of types is gone some dozens of small
// lives later. TestLivesForget in package attack has arenas of other owners.
func TestManyTypesOfLocalsAreForgotten(t *testing.T) {
	testkit.NeedsReuse(t)
	a := new(arena.Shared).Local()
	for _, k := range manyTypes(3000) {
		k.New(a)
	}
	for range 60 {
		a.Reset()
		arena.New[[2]int](a)
		arena.New[*int](a)
	}
	if s := a.Stats(); s.Reserved > 64<<10 || s.Slabs > 100 {
		t.Errorf("after 60 small lives: %v", s)
	}
}
