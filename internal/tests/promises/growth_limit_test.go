package promises_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// TestAppendReachesHalfOfTheLimit: a slice that grows item by item leaves its old places behind, which count. It
// reaches half of an arena's limit all the same, and a third of that of a Pool or a Shared, where each chunk that is
// larger than needed would be taken from others.
func TestAppendReachesHalfOfTheLimit(t *testing.T) {
	reach := func(a *arena.Arena) (n int) {
		limitOf(t, func() {
			for s := []int64(nil); ; n++ {
				s = arena.Append(a, s, 1)
			}
		})
		return 8 * n
	}
	reachPointers := func(a *arena.Arena) (n int) {
		size := testkit.SizeOfType([3]*int{})
		limitOf(t, func() {
			for s := [][3]*int(nil); ; n++ {
				s = arena.Append(a, s, [3]*int{})
			}
		})
		return size * n
	}
	most := 4 << 20
	if testing.Short() || testkit.Sanitized {
		most /= 10
	}
	for limit := 10_000; limit < most; limit += limit / 5 {
		for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}, "checked": arenakit.Checked(arena.CheckResets),
			"tiny": {arena.WithChunkSize(256)}} {
			check := func(name string, n, want int) {
				t.Helper()
				if n < want {
					t.Errorf("%s, %s: %d of %d bytes (%d%%)", kind, name, n, limit, n*100/limit)
				}
			}
			own := func() *arena.Arena { return arena.NewArena(append(opts, arena.WithLimit(limit))...) }
			check("numbers", reach(own()), limit/2)
			check("pointers", reachPointers(own()), limit/2-64*testkit.SizeOfType([3]*int{})) // blocks come in groups of 64
			limited(t, limit, func(name string, a *arena.Arena) { check(name, reach(a), limit*3/10) }, opts...)
			limited(t, limit, func(name string, a *arena.Arena) { check(name+", pointers", reachPointers(a), limit*3/10) }, opts...)
		}
	}
}

// TestNothingFitsAnywhere: values of no size can be had at any limit.
func TestNothingFitsAnywhere(t *testing.T) {
	a := arena.NewArena(arena.WithLimit(1003))
	a.AllocBytes(1003)
	for range 10 {
		if e := limitOf(t, func() {
			arena.New[struct{}](a)
			arena.NewOf(a, [0]*int{})
			arena.For[[0]int64](a).New()
		}); e != nil || a.UsedBytes() != 1003 {
			t.Fatalf("%v, %d bytes used", e, a.UsedBytes())
		}
	}
}
