package memory_test

import (
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestReallocInPlaceTakesConstantTime: what grows or shrinks in a chunk of its own
// does so in the same time however many chunks the arena has.
func TestReallocInPlaceTakesConstantTime(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("measures time")
	}
	testkit.WithinTimes(t, 15, "with 100 chunks, and with 100 times as many", func() (few, many time.Duration) {
		return reallocTime(t, 100), reallocTime(t, 100*100)
	})
}

// reallocTime returns the shortest time for growing and shrinking a block in place, in an arena with that many chunks.
func reallocTime(t *testing.T, chunks int) time.Duration {
	a := arena.NewArena(arena.WithChunkSize(256), arena.WithMaxChunkSize(256))
	for range chunks {
		a.Alloc(200, 8)
	}
	if n := a.Stats().Chunks; n < chunks {
		t.Fatalf("%d chunks", n)
	}
	size := uintptr(1 << 16)
	p := a.Alloc(size, 8)
	shortest := time.Duration(1 << 62)
	for range 20 {
		shortest = min(shortest, testkit.Took(func() {
			for range 500 {
				if q := a.Realloc(p, size, size-8, 8); q != p {
					t.Fatal("moved to shrink")
				}
				if q := a.Realloc(p, size, size, 8); q != p {
					t.Fatal("moved")
				}
			}
		}))
	}
	return shortest
}
