package deepclone_test

import (
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestDeepCloneOfOverlappingArraysIsLinear: arrays that overlap take time for each pointer to
// one and for each element, and not for the elements of each array.
func TestDeepCloneOfOverlappingArraysIsLinear(t *testing.T) {
	const n = 8000 // arrays, each with as many elements, and each starting one element further on
	type row struct {
		array *[n]*int
		any   any
		slice []*int
	}
	base := make([]*int, 2*n)
	for i := range base {
		base[i] = &i
	}
	var rows []row
	var apart []any // as many pointers, to as many elements
	for i := range n {
		rows = append(rows, row{(*[n]*int)(base[i:]), (*[n]*int)(base[n-1-i:]), base[i : n+i]})
		apart = append(apart, &[2]*int{base[i]}, &[2]*int{base[n+i]}, &base[i])
	}
	c := arena.DeepClone(rows)
	for i, r := range c {
		if r.array != (*[n]*int)(r.slice) || r.slice[0] != c[0].slice[i] || r.any != any(c[n-1-i].array) {
			t.Fatalf("array %d lies elsewhere", i)
		}
	}
	testkit.WithinTimes(t, 20, "arrays apart, and arrays that overlap", func() (small, large time.Duration) { // quadratic: 200 times
		return timeOf(func() { arena.DeepClone(apart) }), timeOf(func() { arena.DeepClone(rows) })
	})
}
