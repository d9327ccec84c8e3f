package learn_test

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that arenas of many kinds of work have no more memory together than follows from
// what is lent at a time.

var keyedSizes = map[string]func(r *rand.Rand) int{
	"few are large": func(r *rand.Rand) int {
		switch n := r.IntN(100); {
		case n < 90:
			return 2 << 10
		case n < 99:
			return 40 << 10
		}
		return 1 << 20
	},
	"all are middling": func(*rand.Rand) int { return 30 << 10 },
	"any":              func(r *rand.Rand) int { return 1 << (8 + r.IntN(10)) },
}

// TestKeysShareABound: idle arenas of hundreds of keys don't keep what each of them has once needed.
func TestKeysShareABound(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	const lent, turns = 16, 6_000
	for name, size := range keyedSizes {
		for _, keys := range []int{20, 500} {
			r := rand.New(rand.NewPCG(uint64(keys), 5))
			p := arena.NewPool(arena.WithReuse())
			var live [lent]*arena.Arena
			sum, most := 0, 0
			for i := range turns {
				a := &live[i%lent]
				p.Put(*a)
				*a = p.GetKeyed(strconv.Itoa(r.IntN(keys)))
				n := size(r)
				for left := n; left > 0; left -= 256 {
					arena.New[[256]byte](*a)
				}
				if sum += n; i > turns/2 && i%50 == 0 {
					most = max(most, p.Stats().Retained)
				}
			}
			bound := 16<<20 + 8*lent*(sum/turns)
			if s := p.Stats(); most > bound {
				t.Errorf("%s, %d keys: idle arenas have %d KiB, and may have %d; %d KiB are in use at a time; %v",
					name, keys, most>>10, bound>>10, lent*(sum/turns)>>10, s)
			}
			runtime.GC()
		}
	}
}

// TestKeysOfLargeWorkStayWarm: where all of many kinds of work take much at the same time, nothing is
// thrown away that the next piece needs.
func TestKeysOfLargeWorkStayWarm(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	p := arena.NewPool(arena.WithReuse())
	const lent = 40
	round := func() {
		var live [lent]*arena.Arena
		for i := range live {
			live[i] = p.GetKeyed(strconv.Itoa(i))
			for range 2000 {
				arena.New[[256]byte](live[i])
			}
		}
		for _, a := range live {
			p.Put(a)
		}
	}
	for range 50 {
		round()
	}
	before := p.Stats()
	for range 50 {
		round()
	}
	if after := p.Stats(); after.Growths-before.Growths > 50*lent/10 {
		t.Errorf("%d chunks were taken in 50 rounds of %d arenas: %v", after.Growths-before.Growths, lent, after)
	}
}
