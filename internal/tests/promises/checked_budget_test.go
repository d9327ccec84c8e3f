package promises_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that checks don't change what a limit allows.

// withResets returns options for an arena with CheckResets that isn't heard of.
func withResets(opts ...arena.Option) []arena.Option {
	return arenakit.Checked(arena.CheckResets, opts...)
}

// TestMarksWithNothingBetween are one, and cost nothing, in checked arenas too.
func TestMarksWithNothingBetween(t *testing.T) {
	for _, c := range []arena.Checks{0, arena.CheckResets, arena.CheckObjects} {
		a := arena.NewArena(arenakit.Checked(c)...)
		for i := range 5 {
			m := a.Mark()
			for range 3 {
				if a.Mark() != m {
					t.Errorf("checks %d, %d values: two marks with nothing between", c, i)
				}
			}
			arena.New[uint64](a)
			arena.New[*int](a)
			before := a.Stats()
			m = a.Mark()
			arena.New[*int](a)
			a.Rewind(m)
			if a.Mark() != m && (testkit.Reuses || c != 0) {
				t.Errorf("checks %d, %d values: the mark is another after Rewind", c, i)
			}
			if s := a.Stats(); testkit.Reuses && s.Reserved > before.Reserved {
				t.Errorf("checks %d, %d values: %v; before the mark %v", c, i, s, before)
			}
		}
	}
}

// TestSampledRequestsFitTheLimit: a request with many marks that an unchecked arena of a Pool or a
// Shared serves under a limit is served by a checked one under the same.
func TestSampledRequestsFitTheLimit(t *testing.T) {
	request := func(a *arena.Arena) {
		for i := range 1500 {
			m := a.Mark()
			a.AllocString("a string")
			arena.New[uint64](a)
			if i%3 == 0 {
				arena.New[entry](a)
				a.Rewind(m)
			}
		}
	}
	for _, rate := range []int{0, 1} {
		p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(1<<20), arena.WithCheckRate(rate), arena.OnEscape(func(arena.Escape) {}))
		for range 5 {
			if err := p.Do(func(a *arena.Arena) error { request(a); return nil }); err != nil {
				t.Errorf("one in %d checked: %v", rate, err)
			}
		}
		s := arena.NewShared(withResets(arena.WithLimit(1 << 20))...)
		if v := testkit.Caught(func() { request(s.Local()) }); v != nil {
			t.Error(v)
		}
	}
}
