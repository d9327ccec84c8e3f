//go:build race

package race_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestAbandonedRewind: an arena in a build with the race detector uses nothing again that
// Rewind reclaims. The rest of the chunk in which it was is lost, and counts as wasted,
// unless nothing of the chunk was allocated since the mark.
func TestAbandonedRewind(t *testing.T) {
	for _, kind := range []struct {
		name string
		opts []arena.Option
	}{{"default", nil}, {"self-contained", []arena.Option{arena.WithNoScan()}}} {
		for _, c := range []struct {
			name   string
			use    func(a *arena.Arena)
			intact bool
		}{
			{"nothing", func(*arena.Arena) {}, true},
			{"a big slice", func(a *arena.Arena) { a.AllocBytes(100_000) }, true},
			{"a small slice", func(a *arena.Arena) { a.AllocBytes(40) }, false},
			{"an object", func(a *arena.Arena) { arena.New[[5]uint64](a) }, false},
			{"a slice and an object", func(a *arena.Arena) { a.AllocBytes(40); arena.New[[5]uint64](a) }, false},
			{"more chunks", func(a *arena.Arena) {
				for range 200 {
					a.AllocBytes(100)
				}
			}, false},
		} {
			t.Run(kind.name+", "+c.name, func(t *testing.T) {
				a := arena.NewArena(kind.opts...)
				a.AllocBytes(1000)
				arena.New[[10]uint64](a)
				m := a.Mark()
				left, before := plain(a).Room(), a.Stats()
				c.use(a)
				a.Rewind(m)
				got := a.Stats()
				want := before
				want.HighWater = got.HighWater
				if !c.intact {
					want.Wasted += int(left)
				}
				if kind.opts != nil {
					want.Reserved, want.Lists = got.Reserved, got.Lists // other values may point into its chunks: they stay until the life ends
				}
				if got != want {
					t.Errorf("after Rewind %+v, want %+v", got, want)
				}
				if current := plain(a).Room() > 0; current != c.intact {
					t.Errorf("there is a current chunk: %t, want %t", current, c.intact)
				}
				a.AllocBytes(8)
				if used := a.UsedBytes(); used != before.Used+8 {
					t.Errorf("%d bytes are used after 8 more, of %d", used, before.Used)
				}
				a.Rewind(m)
				if got = a.Stats(); got.Used != want.Used || got.Chunks != 1 {
					t.Errorf("after the second Rewind %+v, want %+v", got, want)
				}
			})
		}
	}
}

// plain returns the memory of values without pointers.
func plain(a *arena.Arena) *memory.Region { return testkit.Field[memory.Region](a, "plain") }

func maybeWatched(watched bool) *arena.Arena {
	if !watched {
		return arena.NewArena()
	}
	return arena.NewArena(arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) {}))
}

// TestWatchedIsNotRemembered: memory that a checked arena reclaims must be free to die.
func TestWatchedIsNotRemembered(t *testing.T) {
	for _, watched := range []bool{false, true} {
		a := maybeWatched(watched)
		m := a.Mark() // of nothing
		arena.New[int](a)
		a.Rewind(m)
		n := testkit.Value(a, "quarantine.ranges.old").Len()
		if remembered := n > 0; remembered == watched {
			t.Errorf("watched %t: remembered %t", watched, remembered)
		}
	}
}

// TestTakenAreErased: as far as they could keep others alive, unless somebody
// watches whether they are used.
func TestTakenAreErased(t *testing.T) {
	type node struct{ next *node }
	for _, watched := range []bool{false, true} {
		a := maybeWatched(watched)
		p := arena.New[node](a)
		p.next = &node{}
		a.Reset()
		if erased := unobserved(&p.next) == nil; erased == watched {
			t.Errorf("watched %t: erased %t", watched, erased)
		}
	}
}

// unobserved reads without the race detector's knowledge.
//
//go:norace
//go:noinline
func unobserved[T any](p *T) T { return *p }
