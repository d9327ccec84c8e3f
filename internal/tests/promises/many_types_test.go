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
