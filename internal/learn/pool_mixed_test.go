package learn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that a Pool's memory follows the use of the work where some pieces of work take hundreds of times as
// much as the others.

// A crowd is arenas of a pool that are live at the same time.
type crowd struct {
	p              *arena.Pool
	live           []*arena.Arena
	has, uses      []int // bytes of each
	reserved, used int   // sums
	rand           *rand.Rand
}

// turn puts back an arena of the crowd and lets another do a piece of work.
func (c *crowd) turn(uses int, mix func(a *arena.Arena, bytes int) (in *arena.Arena)) {
	i := c.rand.IntN(len(c.live))
	c.p.Put(c.live[i])
	a := c.p.Get()
	c.live[i] = a
	has := 0
	if in := mix(a, uses); in != a {
		has = in.Stats().Reserved
	}
	has += a.Stats().Reserved
	c.reserved += has - c.has[i]
	c.used += uses - c.uses[i]
	c.has[i], c.uses[i] = has, uses
}

// mixes are ways to use some bytes of an arena, or of a child, which they return.
var mixes = map[string]func(a *arena.Arena, bytes int) *arena.Arena{
	"at once": func(a *arena.Arena, bytes int) *arena.Arena {
		a.AllocBytesUninit(bytes)
		return a
	},
	"in pieces": func(a *arena.Arena, bytes int) *arena.Arena {
		for ; bytes > 0; bytes -= 4 << 10 {
			a.AllocBytesUninit(4 << 10)
		}
		return a
	},
	"in a child": func(a *arena.Arena, bytes int) *arena.Arena {
		c := a.Child()
		c.AllocBytesUninit(bytes)
		return c
	},
	"reclaimed in between": func(a *arena.Arena, bytes int) *arena.Arena {
		m := a.Mark()
		a.AllocBytesUninit(bytes)
		a.Rewind(m)
		a.AllocBytesUninit(1000)
		return a
	},
}

// TestPoolOfMixedWorkKeepsLittle: with any share of pieces of work that take 400 times as much as the others, 150 live
// arenas never reserve more than three times their use.
func TestPoolOfMixedWorkKeepsLittle(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector's shadow of that much memory takes minutes")
	}
	const crowded, small, large = 150, 20 << 10, 8 << 20
	for how, mix := range mixes {
		for _, percent := range []int{4, 8, 12, 15} {
			c := crowd{p: arena.NewPool(arena.WithReuse()), live: make([]*arena.Arena, crowded), has: make([]int, crowded), uses: make([]int, crowded),
				rand: rand.New(rand.NewPCG(37, uint64(percent)))}
			worst := 0.0
			turns := pick(testing.Short(), 1200, 2000)
			for i := range turns {
				c.turn(pick(c.rand.IntN(100) < percent, large, small), mix)
				if i >= 3*crowded {
					worst = max(worst, float64(c.reserved)/float64(c.used))
				}
			}
			if worst > 3 {
				t.Errorf("%d%% large, %s: live arenas reserved up to %.1f times what they used", percent, how, worst)
			}
		}
	}
}

// TestPoolKeepsWhatAllNeed: work finds its memory again if each piece takes about as much
// as the others, or if more than half of the pieces take a large amount.
func TestPoolKeepsWhatAllNeed(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the race detector makes sync.Pool lose sight of arenas")
	}
	testkit.NoGC(t)
	r := rand.New(rand.NewPCG(41, 43))
	const large = 4 << 20
	for name, size := range map[string]func(int) int{
		"constant":    arenakit.Always(large),
		"uniform":     func(int) int { return large/2 + r.IntN(large/2) },
		"mostly":      func(int) int { return pick(r.IntN(100) < 70, large, 20<<10) },
		"every other": func(i int) int { return pick(i%2 == 0, large, large/2) },
	} {
		for how, mix := range mixes {
			p := arena.NewPool(arena.WithReuse())
			use := func(n int) {
				for i := range n {
					a := p.Get()
					mix(a, size(i))
					p.Put(a)
				}
			}
			// Of the turns one in 16 is looked at. Of 46 looks, after 500 turns, fewer than half
			// find the large size where 70% have it once in a thousand times; of 200 never.
			use(3000)
			before := p.Stats().Growths
			const turns = 500
			use(turns)
			if n := p.Stats().Growths - before; n > turns/20 {
				t.Errorf("%s, %s: %d chunks were taken in %d turns: %v", name, how, n, turns, p.Stats())
			}
		}
	}
}
