package memory_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestResetKeepsTheLargest: of the old places of a slice that grew, those go that are soon made again.
func TestResetKeepsTheLargest(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(arena.WithMaxRetained(12 << 20))
	appendAll(t, a, 1_000_000, 1) // 8 MB, and as much in the places before
	a.Reset()
	if s := a.Stats(); s.Reserved < 8e6 || s.Reserved > 12<<20 {
		t.Errorf("%d bytes are kept; want the last 8 MB and some", s.Reserved)
	}
	appendAll(t, a, 1_000_000, 1)
	if s := a.Stats(); s.Reserved > 14<<20 {
		t.Errorf("%d bytes reserved in the next life", s.Reserved)
	}
}

// TestMaxRetainedToTheByte: all memory is kept if it is exactly the maximum, at a Reset that looks for idle chunks,
// too.
func TestMaxRetainedToTheByte(t *testing.T) {
	testkit.NeedsReuse(t)
	for name, live := range map[string]func(a *arena.Arena){
		"the first chunk": func(a *arena.Arena) { arena.New[int](a) },
		"a slab":          func(a *arena.Arena) { arena.New[*int](a) },
		"big chunks":      func(a *arena.Arena) { a.AllocBytes(200_000); a.AllocBytes(100_000) },
	} {
		a := smallChunks()
		live(a)
		all := a.Stats().Reserved
		for _, max := range []int{all, all - 1} {
			a := smallChunks(arena.WithMaxRetained(max))
			for life := range 40 {
				live(a)
				a.Reset()
				if s := a.Stats(); (s.Reserved == all) != (max == all) {
					t.Errorf("%s, life %d: %d bytes of %d are kept, at most %d may be", name, life, s.Reserved, all, max)
				}
			}
		}
	}
}

// TestIdleBigChunksGo: of large slices that were needed once, a share of those stays that
// are needed always.
func TestIdleBigChunksGo(t *testing.T) {
	testkit.NeedsReuse(t)
	const size = 300_000
	a := smallChunks()
	for life := range 100 {
		n := 1
		if life == 20 {
			n = 20
		}
		for range n {
			a.AllocBytes(size)
		}
		a.Reset()
	}
	if r := a.Stats().Reserved; r < 2*size || r > 5*size {
		t.Errorf("%d bytes reserved for %d at a time", r, size)
	}
}
