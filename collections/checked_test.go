package collections_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/collections"
)

// TestCheckedArenas: the checks of arenatest find no fault with the memory that collections leave
// behind.
func TestCheckedArenas(t *testing.T) {
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		t.Run(name, func(t *testing.T) {
			a := arenatest.New(t, opts...)
			for range 3 {
				m := collections.NewMap[string, *int](a, 0)
				for i := range 1200 {
					m.Set(a.Sprintf("%d", i), arena.NewOf(a, i))
				}
				for i := range 600 {
					m.Delete(names[i])
				}
				a.Reset()
			}
		})
	}
}
