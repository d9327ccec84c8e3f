package model_test

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// TestZeroSizeValuesTakeNothing: neither bytes nor chunks, in any number and with any checks, and they have their
// types' alignment.
func TestZeroSizeValuesTakeNothing(t *testing.T) {
	for _, set := range optionSets {
		a := arena.NewArena(set.opts...)
		pointers, longs := arena.For[[0]*int](a), arena.For[[0]int64](a)
		a.Mark()
		for range 1000 {
			arena.New[struct{}](a)
			arena.NewOf(a, [0]func(){})
			arena.MakeSlice[struct{}](a, 5, 5)
			arena.Append(a, []struct{}{}, struct{}{}, struct{}{})
			pointers.New()
			if p := unsafe.Pointer(longs.New()); uintptr(p)%8 != 0 {
				t.Fatalf("%s: a [0]int64 at %x", set.name, p)
			}
			a.AllocString("")
		}
		if s := a.Stats(); s.Used > 0 || s.Chunks > 2 {
			t.Errorf("%s: %v", set.name, s)
		}
		a.Reset()
	}
}
