package arenaext

import (
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A counter is a RowSource of so many rows.
type counter int

func (c *counter) Next() bool { *c--; return *c >= 0 }
func (*counter) Err() error   { return nil }
func (*counter) Close() error { return nil }

// A keeper reads rows that point to KeepAlive values: one for all rows, and one for each.
type keeper struct {
	a          *arena.Arena
	all        *testkit.Sentinel
	first, own weak.Pointer[testkit.Sentinel]
}

func (k *keeper) Prepare() {
	k.all, k.first = testkit.NewSentinel()
	k.a.KeepAlive(k.all)
}

func (k *keeper) Row(p unsafe.Pointer) error {
	s, w := testkit.NewSentinel()
	if k.own == (weak.Pointer[testkit.Sentinel]{}) {
		k.own = w
	}
	k.a.KeepAlive(s)
	*(*[2]*testkit.Sentinel)(p) = [2]*testkit.Sentinel{k.all, s}
	return nil
}

// TestEachRowReleasesRows: a row's kept values end with it, shared ones stay, and each loop reclaims the allocations of
// its body.
func TestEachRowReleasesRows(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		arena.New[int](a)
		before := a.UsedBytes()
		c, k := counter(50), &keeper{}
		for range EachRow[[2]*testkit.Sentinel](a, &c, func(a *arena.Arena) RowReader { k.a = a; return k }) {
			a.AllocBytes(1000)
			if c == 0 {
				k.all = nil
				if shared, own := !testkit.Dead(k.first), !testkit.Dead(k.own); !shared || own {
					t.Errorf("self-contained: %t: what rows share is alive: %t, what the first kept: %t", a.SelfContained(), shared, own)
				}
			}
		}
		if used := a.UsedBytes(); used > before+1200 {
			t.Errorf("%d bytes are in use, %d were", used, before)
		}
	}
}
