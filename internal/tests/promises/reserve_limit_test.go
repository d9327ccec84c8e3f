package promises_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// TestReserveKeepsToTheBudget, whether the room is there already or not, and leaves it as it was: reserved bytes can be
// allocated, to the last one.
func TestReserveKeepsToTheBudget(t *testing.T) {
	const limit, used = 4000, 2504
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()},
		"checked": arenakit.Checked(arena.CheckResets), "large chunk": {arena.WithChunkSize(64 << 10)}} {
		a := arena.NewArena(append(opts, arena.WithLimit(limit))...)
		c := a.Child()
		a.Reserve(limit)
		arena.New[int](a)
		c.AllocBytes(used - 8)
		for range 3 {
			if e := limitOf(t, func() { a.Reserve(limit - used + 1) }); e == nil || e.Used != used || e.Asked != limit-used+1 || e.Limit != limit {
				t.Errorf("%s: one byte more than is left: %v", name, e)
			}
		}
		for range 3 {
			if e := limitOf(t, func() { a.Reserve(limit - used) }); e != nil {
				t.Errorf("%s: what is left: %v", name, e)
			}
		}
		if e := limitOf(t, func() { a.AllocBytes(limit - used) }); e != nil || a.UsedBytes()+c.UsedBytes() != limit {
			t.Errorf("%s: to have what is left: %v; %d bytes used", name, e, a.UsedBytes()+c.UsedBytes())
		}
		if err := arenakit.CheckBooks(a); err != nil {
			t.Error(err)
		}
	}
}
