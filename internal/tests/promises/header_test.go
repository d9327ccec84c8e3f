package promises_test

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A table knows the arena that it is in, as containers do.
type table struct {
	arena *arena.Arena
	n     int
}

// TestValuesKeepTheirArena: a value in a self-contained arena may point to the arena, which stays as it is as long as
// the value is in use, also after Free: allocating from it panics, and nothing else has taken its place.
func TestValuesKeepTheirArena(t *testing.T) {
	make := func(a *arena.Arena) *table { return arena.NewOf(a, table{a, 7}) }
	for name, build := range map[string]func() *table{
		"dropped": func() *table { return make(arena.NewArena(arena.WithNoScan())) },
		"freed": func() *table {
			a := arena.NewArena(arena.WithNoScan())
			defer a.Free()
			return make(a)
		},
		"child": func() *table {
			a := arena.NewArena(arena.WithNoScan())
			defer a.Free()
			return make(a.Child())
		},
		"freed child": func() *table {
			c := arena.NewArena(arena.WithNoScan()).Child()
			defer c.Free()
			return make(c)
		},
		"local": func() *table {
			s := arena.NewShared(arena.WithNoScan())
			defer s.Free()
			return make(s.Local())
		},
		"freed local": func() *table {
			s := arena.NewShared(arena.WithNoScan())
			defer s.Free()
			a := s.Local()
			defer a.Free()
			return make(a)
		},
		"pool": func() *table {
			a := arena.NewPool(arena.WithReuse(), arena.WithNoScan()).Get()
			defer a.Free()
			return make(a)
		},
	} {
		tables := []*table{}
		for range 50 {
			tables = append(tables, build())
		}
		testkit.Churn()
		for _, x := range tables {
			func() {
				defer func() { recover() }() // a freed arena says so
				arena.New[int](x.arena)
			}()
			if s := x.arena.Stats(); x.n != 7 || s.Resets != 0 || s.HighWater > 64 {
				t.Fatalf("%s: the arena isn't what it was: %v", name, s)
			}
		}
		runtime.KeepAlive(tables)
	}
}
