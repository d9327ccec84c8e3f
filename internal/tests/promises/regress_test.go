package promises_test

import (
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Each test of this file is named for a failure that other arenas for Go have. Dirty memory, overlaps, lost pointers
// and wrong alignment are failures that the random programs of internal/tests/model and attack find.

// The runtime's arena charges 8 MiB for the first byte.
func TestRegressEightMiBPerArena(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		if n := a.Stats().Reserved; n != 0 {
			t.Errorf("%d bytes reserved for nothing", n)
		}
		arena.New[byte](a)
		arena.New[*int](a)
		if n := a.Stats().Reserved; n > 8<<10 {
			t.Errorf("%d bytes reserved for two small values", n)
		}
	}
}

// Chunk lists are walked from their beginning, so that an allocation costs the
// more the more chunks there are.
func TestRegressCostGrowsWithChunks(t *testing.T) {
	if testkit.Sanitized || testing.Short() {
		t.Skip("measures time")
	}
	const chunk = 4096
	run := func(chunks int, opts ...arena.Option) time.Duration {
		a := arena.NewArena(append(opts, arena.WithChunkSize(chunk), arena.WithMaxChunkSize(chunk))...)
		for a.Stats().Chunks < chunks {
			arena.New[[400]byte](a)
			arena.MakeSlice[*int](a, 50, 50)
		}
		best := time.Hour
		for range 30 {
			best = min(best, testkit.Took(func() {
				for range 200 {
					arena.New[[400]byte](a)
					arena.MakeSlice[*int](a, 50, 50)
				}
			}))
		}
		return best
	}
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		testkit.WithinTimes(t, 20, name+", 10 chunks and 3,000", func() (few, many time.Duration) {
			return run(10, opts...), run(3000, opts...)
		})
	}
}
