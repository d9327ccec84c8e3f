package attack

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file makes things large, with many of everything that they may have many of, and does all exported calls on
// them. Neither the cost of one more nor that of a call may grow with their number, unless the call is about all of
// them.
//
// Costs are compared within a test: of 8 or 32 times as many, the best of several tries in turn. Quadratic code takes 8
// times as long each, and code that scans all of something 32 times.

// sizes of things: how many of something they have.
func sizes() (small, more, large int) {
	if long {
		return 250, 2000, 8000
	}
	return 100, 800, 2000
}

// A cost is of a number of units.
type cost struct {
	units int
	time  time.Duration
	bytes uint64
}

// measure returns the cost of calling f n times.
func measure(n int, f func(i int)) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := testkit.Took(func() { times(n, f) })
	runtime.ReadMemStats(&after)
	return cost{n, took, after.TotalAlloc - before.TotalAlloc}
}

// exceeds reports whether a unit costs more than most times as much as one of c. A cost below the slack isn't much:
// memory that is new to the process has to be mapped and erased.
func (d cost) exceeds(c cost, most float64) bool {
	const slackTime, slackBytes = 200, 256 // ns and bytes, of a unit
	n, m := float64(d.units), float64(c.units)
	return float64(d.time)/n > most*float64(c.time)/m+slackTime+float64(d.bytes)/n/4 ||
		float64(d.bytes)/n > most*float64(c.bytes)/m+slackBytes
}

func (c *cost) least(d cost) {
	if c.units == 0 {
		*c = d
	}
	c.time, c.bytes = min(c.time, d.time), min(c.bytes, d.bytes)
}

func (c cost) String() string {
	return fmt.Sprintf("%d: %v, %d bytes each", c.units, c.time/time.Duration(c.units), c.bytes/uint64(c.units))
}

// compare compares the cost of a unit with few and with many, until it is no more than most times as much, or was not
// in several tries.
func compare(t *testing.T, what string, most float64, f func() (few, many cost)) bool {
	t.Helper()
	var few, many cost
	for try := range 12 {
		if try > 5 { // some 0.1 s are over; another process may have had most of it
			time.Sleep(time.Duration(try) * 20 * time.Millisecond)
		}
		c, d := f()
		few.least(c)
		many.least(d)
		if !many.exceeds(few, most) {
			return true
		}
	}
	t.Errorf("%s costs more than %.0f times as much: %v; %v", what, most, few, many)
	return false
}

// linear are calls that may take time in proportion to the number of an arena's things.
var linear = map[string][]string{
	"types": {"arena.Arena.Mark", "arena.Arena.Rewind", "arena.Arena.Stats", "arena.Arena.UsedBytes", "arena.RecoverLimit"},
	// Types at rest stay known until a trim.
	"attempts with types": {"arena.Arena.Stats"},
}

func TestDepth(t *testing.T) {
	needsOrder(t)
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // with GOGC=1 the collector costs more the larger the heap is
	small, more, large := sizes()
	for _, k := range few() {
		for name := range receivers {
			if !k.concerns(name) {
				continue
			}
			v, a := k.newThing(name)
			for j, f := range fillingsOf(v, a) {
				t.Run(k.name+"/"+name+"/"+f.name, func(t *testing.T) {
					filled := func(n int) (v any, a *arena.Arena, c cost) {
						v, a = k.newThing(name)
						return v, a, measure(n, fillingsOf(v, a)[j].in(a))
					}
					same := compare(t, "one more", 3, func() (c, d cost) { _, _, c = filled(small); _, _, d = filled(more); return })
					if same {
						calls(t, name, f.name, func(n int) (any, *arena.Arena) { v, a, _ := filled(n); return v, a }, small, large)
					}
				})
			}
		}
	}
}

// nearLimit are arenas that have little more left of their limit than the test needs.
var nearLimit = makes{name: "near its limit", in: func(o []arena.Option) *arena.Arena {
	a := arena.NewArena(append(o, arena.WithLimit(32<<20))...)
	a.AllocBytesUninit(20 << 20)
	runtime.GC() // now, and not because of this one while something is measured
	return a
}}

// products are pairs where one more of one thing costs more, the more there are of the other: a mark has the
// position of each type in use.
var products = map[string]bool{"types, marks": true, "types, attempts": true, "types, attempts with types": true}

// TestDepthOfTwo: nor does it grow with how many there are of two things.
func TestDepthOfTwo(t *testing.T) {
	needsOrder(t)
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	small, more, _ := sizes()
	kinds := made[:2:2]
	if long {
		kinds = slices.Clip(made)
	}
	for _, k := range append(kinds, nearLimit) {
		for i, f := range fillings {
			for _, g := range fillings[i+1:] {
				name := f.name + ", " + g.name
				if products[name] {
					continue
				}
				t.Run(k.name+"/"+name, func(t *testing.T) {
					both := func(n int) cost {
						a := k.arena()
						f, g := f.in(a), g.in(a)
						return measure(n, func(i int) { f(i); g(i) })
					}
					compare(t, "one more of each", 3, func() (c, d cost) { return both(small), both(more) })
				})
			}
		}
	}
}

// calls does all calls on two things. One has more of something than the other.
func calls(t *testing.T, name, filling string, filled func(n int) (any, *arena.Arena), small, large int) {
	v, a := filled(small)
	w, b := filled(large)
	for i, d := range actionsOf(name, v, a) {
		if elsewhere[d.name] {
			continue
		}
		if name != "arena.Arena" && i > 0 { // the last call may have emptied it
			v, a = filled(small)
			w, b = filled(large)
		}
		d, e := actionsOf(name, v, a)[i], actionsOf(name, w, b)[i]
		compare(t, d.name, 6, func() (c, o cost) {
			c.time, o.time = inTurn(func() { times(16, d.do) }, func() { times(16, e.do) })
			if c.units, o.units = 16, 16; d.whole || slices.Contains(linear[filling], d.name) {
				c.units, o.units = small, large
			}
			return c, o
		})
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

func inTurn(f, g func()) (x, y time.Duration) { return testkit.Took(f), testkit.Took(g) }

// attemptsOfTypes makes attempts with a type each.
func attemptsOfTypes(a *arena.Arena) func(int) {
	return func(i int) { m := a.Mark(); arena.KeyOf(types()[i]).New(a); a.Rewind(m) }
}

func times(n int, f func(i int)) {
	for i := range n {
		f(i)
	}
}
