package promises_test

import (
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that what fits into a limit on chunks can be had, however blocks
// are rounded where there is room.

// limited calls f with a new arena for each kind of limit on chunks.
func limited(t *testing.T, limit int, f func(name string, a *arena.Arena), opts ...arena.Option) {
	t.Helper()
	pool := []arena.PoolOption{arena.WithPoolLimit(limit)}
	for _, o := range opts {
		pool = append(pool, o)
	}
	f("pool", arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, pool...)...).Get())
	f("child in a pool", arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, pool...)...).Get().Child())
	f("shared", arena.NewShared(append(opts, arena.WithLimit(limit))...).Local())
}

// TestLimitOfChunksIsExactForSlices of values with pointers, also for numbers of them
// that aren't those of a block that the GC scans best, and for one more.
func TestLimitOfChunksIsExactForSlices(t *testing.T) {
	type value [63]*int
	size := testkit.SizeOfType(value{})
	for n := 1; n < 400; n += 1 + n/40 {
		limited(t, n*size, func(name string, a *arena.Arena) {
			if e := limitOf(t, func() { arena.MakeSlice[value](a, n+1, n+1) }); e == nil {
				t.Errorf("%s: %d values fit into a limit for %d", name, n+1, n)
			}
			s := make([]value, n-1)
			if e := limitOf(t, func() { s = arena.Append(a, s, value{0: &testkit.Decoy}) }); e != nil || s[n-1][0] != &testkit.Decoy {
				t.Errorf("%s: %d values don't fit into a limit for %d: %v", name, n, n, e)
			}
		})
	}
}

// TestLimitOfChunksFitsSelfContained: little is lost of a limit of any size.
func TestLimitOfChunksFitsSelfContained(t *testing.T) {
	for limit := 5000; limit < 5<<20; limit += limit / 7 {
		limited(t, limit, func(name string, a *arena.Arena) {
			n := limit - limit/64 - 64
			if e := limitOf(t, func() { a.AllocBytes(n) }); e != nil {
				t.Errorf("%s: %d bytes: %v", name, n, e)
			}
		}, arena.WithNoScan())
	}
}

// TestLimitOfChunksFitsSprintf: it needs no more than its result.
func TestLimitOfChunksFitsSprintf(t *testing.T) {
	const limit = 1000
	limited(t, limit, func(name string, a *arena.Arena) {
		a.AllocBytes(limit - 100)
		got := ""
		if e := limitOf(t, func() { got = a.Sprintf("%d of %d", 1, 2) }); e != nil || got != "1 of 2" {
			t.Errorf("%s: %q, %v", name, got, e)
		}
	}, arena.WithChunkSize(256))
}

// TestSprintfKeepsNoPadding: where its result is empty, or lies elsewhere, nothing of the
// room that it offered to fmt stays in use, nor what aligned that room.
func TestSprintfKeepsNoPadding(t *testing.T) {
	if testkit.RedZoneMax > 0 {
		t.Skip("what red zones take stays where it is")
	}
	for odd := 1; odd < 8; odd++ {
		for _, n := range []int{0, 300} {
			text := strings.Repeat("x", n)
			formatted, copied := arena.NewArena(), arena.NewArena()
			formatted.AllocBytesUninit(odd)
			copied.AllocBytesUninit(odd)
			formatted.Sprintf("%s", text)
			copied.AllocString(text)
			if got, want := formatted.UsedBytes(), copied.UsedBytes(); got != want {
				t.Errorf("%d bytes and then a text of %d: %d in use, %d where it is copied", odd, n, got, want)
			}
		}
	}
}
