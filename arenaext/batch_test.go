package arenaext_test

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

func ExampleLendBatch() {
	pool := arena.NewPool()
	decode := func(text string) string { // for callers who know of no arena
		a := arenaext.LendBatch(pool, "string")
		defer pool.Put(a)
		return a.AllocString(text)
	}
	fmt.Println(decode("one"), decode("two"))
	// Output: one two
}

// TestLendBatch: memory that is reused is refused.
func TestLendBatch(t *testing.T) {
	for name, pool := range map[string]*arena.Pool{
		"all": arena.NewPool(arena.WithReuse()), "a key": arena.NewPool(arena.WithReuse("string")),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			arenaext.LendBatch(pool, "string")
		}()
	}
}
