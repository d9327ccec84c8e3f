package learn_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that arenas of many kinds of work together have no more memory than the lent ones justify.

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

// keysTimesTypes returns a pool in which work of each key has had a value of each type a number of times, and the bytes
// of the heap that are left of it.
func keysTimesTypes(keys, types, times int) (p *arena.Pool, heap int) {
	var all []arena.TypeKey
	typ := reflect.TypeFor[*int]()
	for range types {
		typ = reflect.PointerTo(typ)
		all = append(all, arena.KeyOf(typ))
	}
	before := testkit.HeapInUse()
	p = arena.NewPool(arena.WithReuse())
	for range times {
		for i := range keys {
			a := p.GetKeyed(strconv.Itoa(i))
			for _, k := range all {
				k.New(a)
			}
			p.Put(a)
		}
	}
	return p, testkit.HeapInUse() - before
}

// TestKeysAndTypesAreBounded: a Pool's hints for the types of each key are counted, and don't grow with both.
func TestKeysAndTypesAreBounded(t *testing.T) {
	for _, c := range []struct{ keys, types, times, most int }{
		{500, 100, 1, 100 * 1000},       // nothing of them apart
		{4, 100, 12, 5 * 100 * 1000},    // all of them
		{500, 100, 12, 9 * 1000 * 1000}, // as many as there may be
		{20, 300, 1, 300 * 1000},        // nothing of them apart
		{1, 100, 12, 2 * 100 * 1000},    // one key
		{1000, 10, 200, 10 * 1000 * 1000},
	} {
		p, heap := keysTimesTypes(c.keys, c.types, c.times)
		learned := p.Stats().Learned
		if learned > c.most || heap > learned+learned/2+c.keys*8<<10+64<<10 {
			t.Errorf("%+v: %d bytes are learned, %d more are on the heap", c, learned, heap)
		}
		runtime.KeepAlive(p)
	}
}

// TestKeysHaveTypesOfTheirOwn: a key that is used learns the size of its values of a type, for any sizes of other keys,
// also after its hints had no room for a while because many other keys were used.
func TestKeysHaveTypesOfTheirOwn(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	p, _ := keysTimesTypes(200, 100, 12)
	work := func(key string, n int) {
		a := p.GetKeyed(key)
		arena.MakeSlice[*string](a, n, n)
		p.Put(a)
	}
	first := func(key string) int {
		a := p.GetKeyed(key)
		for a.Stats().Reserved > 0 {
			a = p.GetKeyed(key)
		}
		arena.New[*string](a)
		return a.Stats().Reserved
	}
	for range 12_000 {
		work("small", 1)
		work("large", 3000)
	}
	if s, l := first("small"), first("large"); s > 1000 || l < 3000*testkit.SizeOfType((*string)(nil)) {
		t.Errorf("the first chunks are of %d and %d bytes", s, l)
	}
}
