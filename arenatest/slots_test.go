package arenatest_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// freedNode is the element type of the slots in these tests.
type freedNode struct {
	value int
	next  *freedNode
}

// TestSlotsFree: a write to a slot after Slots.Free is reported, with the lines of New and Free; correct programs
// aren't reported.
func TestSlotsFree(t *testing.T) {
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		testkit.Run(t, name, func(t *testing.T) {
			if !testkit.Sanitized { // which would find it first
				run(t, func(tb testing.TB) {
					s := collections.NewSlots[freedNode](arenatest.New(tb, opts...))
					n := s.New()
					s.New().next = n
					s.Free(n)
					n.value = 1
				}).want(t, "arenatest_test.freedNode (16 bytes)", "was written to after Slots.Free", "Allocated by:\n", here(t, `n := s.New()`),
					"Freed by:\n", here(t, `s.Free(n)`))
				run(t, func(tb testing.TB) {
					s := collections.NewSlots[[]int](arenatest.New(tb, opts...))
					list := s.New()
					s.Free(list)
					*list = nil
				}).want(t, "[]int (24 bytes)", "was written to after Slots.Free", "Freed by:\n", here(t, `s.Free(list)`))
			}
			run(t, func(tb testing.TB) {
				a := arenatest.New(tb, opts...)
				first := arena.New[freedNode](a)
				for range 3 {
					s := collections.NewSlots[freedNode](a)
					all := map[*freedNode]int{}
					for i := range 1500 {
						n := s.New()
						if *n != (freedNode{}) {
							t.Fatalf("%+v isn't zero", n)
						}
						n.value, n.next = i, first
						all[n] = i
						if i%3 == 0 {
							for n, v := range all {
								if n.value != v || n.next != first {
									t.Fatalf("%+v, want %d", n, v)
								}
								delete(all, n)
								s.Free(n)
								break
							}
						}
					}
					clear(all)
				}
			}).want(t)
		})
	}
}
