package memory

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/harena-go/arena/internal/engine/layout"
)

// TestRecentGrows: most of many types that take turns find their slabs at once. Dropped slabs leave no room behind.
func TestRecentGrows(t *testing.T) {
	s := new(Space)
	s.Init(new(Region), new(Window), &Config{Chunk: 4 << 10, MaxChunk: 1 << 20}, false)
	const types = 100
	var slabs []*Slab
	for i := range types {
		elem := reflect.StructOf([]reflect.StructField{{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[*int]()}})
		zero := reflect.Zero(reflect.PointerTo(elem)).Interface()
		b := s.AddSlab(KeyOf(layout.Of(zero), true), elem, 0)
		b.ServesObjects(zero)
		slabs = append(slabs, b)
	}
	found := 0
	for _, b := range slabs {
		if s.types.Recent(b.objects) == b.w {
			found++
		}
	}
	if found < types*2/3 {
		t.Errorf("%d of %d types are found at once", found, types)
	}
	s.dropEmpty()
	for _, b := range slabs {
		if s.types.Recent(b.objects) != nil {
			t.Fatal("a slab that is gone is found")
		}
	}
	if n := len(s.types.recent); n > 4*fewTypes {
		t.Errorf("%d places for no types", n)
	}
}
