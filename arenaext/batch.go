package arenaext

import (
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// LendBatch is pool.GetKeyed for a Pool without reuse whose users keep what they decode, and know of no arena. If few
// values of a key live for long it returns a nil arena, so that each value is an object of the heap and keeps no other.
// [arena.Pool.Put] takes both back. It panics if memory of that key is reused.
func LendBatch(pool *arena.Pool, key string) *arena.Arena {
	lend := inspect.Batch.Load()
	if lend == nil { // a zero Pool, in a program without others
		return pool.GetKeyed(key)
	}
	return (*lend)(pool, key).(*arena.Arena)
}
