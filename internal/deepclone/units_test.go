package deepclone_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/harena-go/arena"
)

func TestDeepCloneOfUnits(t *testing.T) {
	type lists struct {
		Bytes []byte
		Twos  []uint16
		Fours []uint32
		Eight []uint64
		Odd   [][3]uint16
	}
	source := lists{[]byte("abc"), []uint16{1, 2, 0xFFFF}, []uint32{1, 2, 0xFFFFFFFF}, []uint64{1, 2, 1 << 63}, [][3]uint16{{1, 2, 3}, {4, 5, 6}}}
	c := arena.DeepClone(&source)
	if !reflect.DeepEqual(*c, source) {
		t.Fatalf("%v; want %v", *c, source)
	}
	if &c.Twos[0] == &source.Twos[0] || &c.Fours[0] == &source.Fours[0] || &c.Odd[0] == &source.Odd[0] {
		t.Error("the clone shares memory with the source")
	}
	clear(source.Fours)
	if !slices.Equal(c.Fours, []uint32{1, 2, 0xFFFFFFFF}) {
		t.Errorf("%v after the source has changed", c.Fours)
	}
}

// TestDeepCloneOfNilError: nil pointers are nothing to be looked up.
func TestDeepCloneOfNilError(t *testing.T) {
	null := reflect.Zero(reflect.TypeOf(errors.New(""))).Interface().(error)
	if c := arena.DeepClone([]error{null, nil}); c[0] != null || c[1] != nil {
		t.Errorf("%#v", c)
	}
}
