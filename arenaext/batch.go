package arenaext

import (
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// LendBatch is pool.GetKeyed for a Pool without reuse whose users keep decoded values, and see no arena. If some values
// of a key live for long, but most don't, it returns a nil arena: each value is then an object of the heap and keeps no
// other alive. [arena.Pool.Put] accepts both. LendBatch panics if memory of that key is reused.
func LendBatch(pool *arena.Pool, key string) *arena.Arena {
	return inspect.Arenas.LendBatch(pool, key).(*arena.Arena)
}
