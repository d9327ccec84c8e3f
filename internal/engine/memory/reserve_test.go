package memory_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/asan"
)

// TestReserveMakesOneChunk checks that reserved memory comes from a single chunk, for all uses.
func TestReserveMakesOneChunk(t *testing.T) {
	const room = 10 << 20
	uses := map[string]func(a *arena.Arena){
		"objects": func(a *arena.Arena) {
			for range room / 64 {
				arena.New[[64]byte](a)
			}
		},
		"one slice": func(a *arena.Arena) { arena.MakeSlice[byte](a, room, room) },
		"a slice that grows": func(a *arena.Arena) {
			var s []int32
			for i := range room / 4 {
				s = arena.Append(a, s, int32(i))
			}
		},
		"both ends": func(a *arena.Arena) {
			for range room / 128 {
				arena.New[[8]int64](a)
				arena.MakeSlice[byte](a, 64, 64)
			}
		},
	}
	for name, use := range uses {
		for mode, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
			a := arena.NewArena(opts...)
			a.Reserve(room)
			if s := a.Stats(); s.Chunks != 1 || s.Reserved < room || s.Reserved > room+room/10 {
				t.Errorf("%s: Reserve made %v", mode, s)
			}
			use(a)
			if asan.On && name != "one slice" && name != "a slice that grows" {
				continue // red zones take room, too
			}
			if s := a.Stats(); s.Chunks != 1 || s.Used < room {
				t.Errorf("%s, %s: %v", mode, name, s)
			}
		}
	}
}

// TestReserveTakesOnlyWhatIsMissing: nothing where there is room, in the current chunk
// or in one that was kept, and a chunk where there isn't quite.
func TestReserveTakesOnlyWhatIsMissing(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(64<<10), arena.WithMaxChunkSize(64<<10))
	reserve := func(n, more int) {
		t.Helper()
		before := a.Stats()
		a.Reserve(n)
		if s := a.Stats(); s.Chunks-before.Chunks != more {
			t.Errorf("Reserve(%d) took %d chunks, want %d; before: %v", n, s.Chunks-before.Chunks, more, before)
		}
	}
	reserve(1000, 1)
	reserve(1000, 0) // though nothing is in use yet
	if !asan.On {
		arena.MakeSlice[byte](a, 500, 500)
		reserve(1000-500, 0)
	}
	a = arena.NewArena(arena.WithChunkSize(64<<10), arena.WithMaxChunkSize(64<<10))
	arena.New[int](a)
	reserve(60_000, 0)
	arena.MakeSlice[byte](a, 40_000, 40_000)
	reserve(20_000, 0)
	reserve(40_000, 1) // less than was used, more than is left
	reserve(40_000, 0) // it is there
	reserve(60_000, 1)
	reserve(60_000, 0)
	reserve(100_000, 1)
	reserve(90_000, 0)
	arena.MakeSlice[byte](a, 90_000, 90_000)
	reserve(60_000, 0)
}
