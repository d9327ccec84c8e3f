package memory_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that what ends a family takes time in proportion to its number,
// whatever chunks its members leave behind.

// families are things that n arenas do within one lifetime, whose time is measured. Each is called for several lives,
// so that the later ones begin with chunks of the earlier ones.
var families = map[string]func(n int) (live func()){
	"locals": func(n int) func() {
		s := arena.NewShared(arena.WithMaxRetained(1 << 29))
		return func() {
			for i := range n {
				a := s.Local()
				arena.New[testkit.Node](a)
				a.AllocBytes(100 + i%1000)
			}
			s.Reset()
		}
	},
	"self-contained locals": func(n int) func() {
		s := arena.NewShared(arena.WithNoScan(), arena.WithMaxRetained(1<<29))
		return func() {
			for range n {
				arena.New[testkit.Node](s.Local())
			}
			s.Reset()
		}
	},
	"children": func(n int) func() {
		a := arena.NewArena(arena.WithMaxRetained(1 << 29))
		return func() {
			for i := range n {
				a.Child().AllocBytes(100 + i%1000)
			}
			a.Reset()
		}
	},
	"children of many sizes": func(n int) func() {
		a := arena.NewArena(arena.WithChunkSize(256), arena.WithMaxRetained(1<<29))
		return func() {
			for i := range n {
				a.Child().AllocBytes(100 + i%8192)
			}
			a.Reset()
		}
	},
	"children, last first": func(n int) func() {
		a := arena.NewArena(arena.WithMaxRetained(1 << 29))
		children := make([]*arena.Arena, n)
		return func() {
			for i := range children {
				children[i] = a.Child()
				children[i].AllocBytes(100 + i%1000)
			}
			for _, c := range children {
				c.Reset()
				c.Free()
			}
		}
	},
	"children with a limit": func(n int) func() {
		a := arena.NewArena(arena.WithLimit(1<<29), arena.WithMaxRetained(1<<29))
		return func() {
			for range n {
				a.Child().AllocBytes(100)
			}
			a.Reset()
		}
	},
	"chains": func(n int) func() {
		a := arena.NewArena(arena.WithMaxRetained(1 << 29))
		return func() {
			chain(a, n)
			a.Reset()
		}
	},
	"chains with a limit": func(n int) func() {
		a := arena.NewArena(arena.WithLimit(1<<29), arena.WithMaxRetained(1<<29))
		return func() {
			for range 4 {
				chain(a, n)[n/2].Reset()
			}
			a.Reset()
		}
	},
	"chains, last first": func(n int) func() {
		a := arena.NewArena(arena.WithMaxRetained(1 << 29))
		return func() {
			for _, c := range slices.Backward(chain(a, n)) {
				c.Reset()
				c.Free()
			}
		}
	},
	"self-contained chains with values": func(n int) func() {
		return func() {
			for _, c := range slices.Backward(chain(arena.NewArena(arena.WithNoScan()), n)) {
				c.Free()
			}
		}
	},
	"scratch children down a chain": func(n int) func() {
		a := arena.NewArena(arena.WithMaxRetained(1 << 29))
		return func() {
			for _, c := range chain(a, n) {
				scratch := c.Child()
				scratch.AllocBytes(100)
				scratch.Reset()
				scratch.Free()
			}
			a.Reset()
		}
	},
	"refusals down a chain": func(n int) func() {
		a := arena.NewArena(arena.WithLimit(1<<29), arena.WithMaxRetained(1<<29))
		return func() {
			for _, c := range chain(a, n) {
				refused(c, 1<<29)
			}
			a.Reset()
		}
	},
	"refusals of chunks down a chain": func(n int) func() {
		s := arena.NewShared(arena.WithLimit(1<<29), arena.WithMaxRetained(1<<29))
		return func() {
			for _, c := range chain(s.Local(), n/4) {
				refused(c, 1<<29)
			}
			s.Reset()
		}
	},
	"checked, self-contained chains": func(n int) func() {
		return func() {
			silent := arena.OnEscape(func(arena.Escape) {})
			a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckResets), silent)
			for _, c := range slices.Backward(chain(a, n/8)) {
				c.Free()
			}
		}
	},
	"refusals and allocations beside many": func(n int) func() {
		a := arena.NewArena(arena.WithLimit(n<<10 + 1<<16))
		return func() {
			for range n {
				a.Child().AllocBytes(1 << 10)
			}
			for range n {
				c := a.Child()
				refused(c, 1<<29)
				arena.New[[4]int](c)
				c.Reset()
				c.Free()
			}
			a.Reset()
		}
	},
	"marks between children": func(n int) func() {
		a := arena.NewArena()
		return func() {
			for range n {
				a.Mark()
				a.Child()
			}
			a.Reset()
		}
	},
	"marks and older children": func(n int) func() {
		a := arena.NewArena()
		return func() {
			for range n {
				a.Child()
			}
			for range n {
				m := a.Mark()
				a.Child().AllocBytes(100)
				a.Rewind(m)
			}
			a.Reset()
		}
	},
}

// chain returns n arenas with values. Each is the child of the one before.
func chain(a *arena.Arena, n int) []*arena.Arena {
	arenas := make([]*arena.Arena, n)
	for i := range arenas {
		a = a.Child()
		arena.New[testkit.Node](a)
		a.AllocBytes(100 + i%1000)
		arenas[i] = a
	}
	return arenas
}

// refused allocates more than a limit allows.
func refused(a *arena.Arena, n int) {
	defer func() { _ = recover().(*arena.LimitError) }()
	a.AllocBytes(n)
}

// TestFamiliesEndInLinearTime: eight times as many arenas take about eight times as long,
// not sixty-four times.
func TestFamiliesEndInLinearTime(t *testing.T) {
	if testkit.Sanitized || testing.Short() {
		t.Skip("measures time")
	}
	testkit.NoGC(t)
	const few, times, most = 3000, 8, 30
	for name, family := range families {
		testkit.WithinTimes(t, most, name, func() (short, long time.Duration) {
			return lifeTime(family(few)), lifeTime(family(few * times))
		})
	}
}

// lifeTime returns the shortest time of some lives.
func lifeTime(live func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		runtime.GC() // or there may be too much garbage for 32 bits
		best = min(best, testkit.Took(live))
	}
	return best
}
