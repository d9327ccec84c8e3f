package arena_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/asan"
)

// TestReserveMakesOneChunk checks that what Reserve made room for comes from a
// single chunk, whatever it is used for.
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
