package arenadebug

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// This file collects the contents of the page, once for all its forms. It must not depend on their look.

// A report is one look at the pools.
type report struct {
	Time     time.Time
	Pool     string   `json:",omitempty"` // the only pool shown; "" for all
	Findings []string // the problems, in words
	Rates    *rates   // of all pools shown; nil before the second look
	Saved    saved    // by all pools shown
	Pools    []poolReport

	samples []sample // of all pools, the oldest first
}

// A poolReport is the report on one pool.
type poolReport struct {
	Name     string
	Stats    arena.PoolStats
	Rates    *rates // nil before the second look
	Saved    saved
	LimitHit *limitHit `json:",omitempty"`
	Ages     []int     // leases by age: those under the first of ageEnds, under the second, ..., and the others
	Groups   []group   // of leases, by place, the oldest first

	leases []arenametrics.Lease
	points []point // of the last minutes
	events []event
}

// A limitHit is the last refused allocation.
type limitHit struct {
	Ago   time.Duration
	Asked int
	Total bool
	Stack []string
}

// Leases are shown by place, since a leak has one: of 10,000 arenas lent, 9,980 were taken in the handler some
// milliseconds ago, and 20 in an export that forgets to put them back.

// A group is the leases taken at one place.
type group struct {
	Place  string // "" if it is unknown
	Key    string // of the oldest
	Count  int
	Oldest time.Duration
	Median time.Duration
	Old    int      // the number of old leases
	Stack  []string // of the oldest, a line for each call
}

// maxGroups is the most groups of a pool shown.
const maxGroups = 20

// old is the age from which several leases are suspicious, and veryOld that from which one is.
const old, veryOld = 10 * time.Second, 10 * time.Minute

// newReport looks at all pools, for the history, and reports on those with a name, or on all if it is "".
func newReport(pools []*arena.Pool, name string, now time.Time) *report {
	stats := make([]arena.PoolStats, len(pools))
	for i, p := range pools {
		stats[i] = p.Stats()
	}
	r := &report{Time: now, Pool: name, samples: looks.note(now, pools, stats)}
	// Once for all pools, so that the sums agree with each other.
	h := readHeap()
	sum := int64(0)
	for i, p := range pools {
		if name != "" && p.Name() != name {
			continue
		}
		pr := newPoolReport(p, stats[i], r.samples, now)
		pr.Saved = h.estimate(reused(&stats[i]))
		sum += pr.Saved.Bytes
		// A pool made since the look before has no rate yet, and isn't counted.
		if pr.Rates != nil {
			if r.Rates == nil {
				r.Rates = &rates{}
			}
			r.Rates.add(pr.Rates)
		}
		r.Findings = append(r.Findings, pr.findings()...)
		r.Pools = append(r.Pools, pr)
	}
	r.Saved = h.estimate(sum)
	return r
}

func newPoolReport(p *arena.Pool, stats arena.PoolStats, samples []sample, now time.Time) poolReport {
	pr := poolReport{Name: p.Name(), Stats: stats, leases: arenametrics.Leases(p, 0), points: pointsOf(samples, p)}
	pr.Rates = rateOf(pr.points)
	// The history has only the number of refusals between looks; the pool has the time of the last one.
	var hit time.Time
	if last, ok := arenametrics.LastLimitHit(p); ok {
		hit = last.Time
		pr.LimitHit = &limitHit{now.Sub(last.Time), last.Asked, last.Total, users(stackLines(last.Stack))}
	}
	pr.events = eventsOf(pr.points, pr.Name, hit)
	// findings needs the groups, so it is called later.
	pr.group()
	pr.countAges()
	return pr
}

// ageEnds divide the ages of leases for the histogram. The finding about old leases begins at one of them.
var ageEnds = [...]time.Duration{time.Second, 3 * time.Second, old, 30 * time.Second, time.Minute, veryOld, time.Hour}

// countAges fills the histogram of the ages of leases.
func (p *poolReport) countAges() {
	p.Ages = make([]int, len(ageEnds)+1)
	for _, l := range p.leases {
		i := slices.IndexFunc(ageEnds[:], func(end time.Duration) bool { return l.Age < end })
		if i < 0 {
			i = len(ageEnds)
		}
		p.Ages[i]++
	}
}

// group sorts the leases by place.
func (p *poolReport) group() {
	// By the place in words: leases of one line have different stacks above it.
	at := map[string]*group{}
	ages := map[string][]time.Duration{}
	places := map[*runtime.Frame]string{} // by stack, which many leases share
	for _, l := range p.leases {          // the oldest first
		// Leases with the same stack share its frames, so their address is enough to find the place again.
		var stack *runtime.Frame
		if len(l.Stack) > 0 {
			stack = &l.Stack[0]
		}
		where, ok := places[stack]
		if !ok {
			where = place(l.Stack)
			places[stack] = where
		}
		g := at[where]
		if g == nil {
			g = &group{Place: where, Key: l.Key, Oldest: l.Age, Stack: users(stackLines(l.Stack))}
			at[where] = g
		}
		g.Count++
		if l.Age >= old {
			g.Old++
		}
		ages[where] = append(ages[where], l.Age)
	}
	for where, g := range at {
		// Leases come sorted by age, so the middle one is the median.
		g.Median = ages[where][len(ages[where])/2]
		p.Groups = append(p.Groups, *g)
	}
	slices.SortFunc(p.Groups, func(a, b group) int {
		return cmp.Or(-cmp.Compare(a.Oldest, b.Oldest), -cmp.Compare(a.Count, b.Count), cmp.Compare(a.Place, b.Place))
	})
	p.Groups = p.Groups[:min(len(p.Groups), maxGroups)]
}

// maxKeys and maxTypes are the most keys and types of a pool shown.
const maxKeys, maxTypes = 100, 50

// keys returns the numbers of the pool's keys, those with most gets first.
func (p *poolReport) keys() []arena.PoolStats {
	keys := slices.SortedFunc(maps.Values(p.Stats.Keys), func(a, b arena.PoolStats) int {
		return cmp.Or(-cmp.Compare(a.Gets, b.Gets), cmp.Compare(a.Name, b.Name))
	})
	return keys[:min(len(keys), maxKeys)]
}

// A typeBytes is the bytes that a piece of work takes for values of a type.
type typeBytes struct {
	name  string // "" for all types without pointers
	bytes int
}

// types returns the bytes by type, the most first.
func (p *poolReport) types() (all []typeBytes) {
	for name, bytes := range p.Stats.Usage.Types {
		all = append(all, typeBytes{name, bytes})
	}
	slices.SortFunc(all, func(a, b typeBytes) int {
		return cmp.Or(-cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.name, b.name))
	})
	return all[:min(len(all), maxTypes)]
}

// sizeBars returns the histogram of the bytes taken by pieces of work, by powers of two, without empty ones at the
// ends.
func (p *poolReport) sizeBars() (all []bar) {
	h := &p.Stats.Sizes
	if h.Count == 0 {
		return nil
	}
	// add appends a bar with its count and its share.
	add := func(label string, n uint64) {
		all = append(all, bar{label, float64(n), fmt.Sprintf("%d · %s", n, share(float64(n), float64(h.Count)))})
	}
	if h.Zero > 0 {
		add("nothing", h.Zero)
	}
	const octave = 4 // buckets of a Histogram in a power of two
	// Empty bars before the first value and behind the last are left out; those between are part of the shape.
	started := false
	for i := 0; i < len(h.Buckets); {
		n, power := uint64(0), (i+octave-1)/octave // bucket i has the sizes up to 2^(i/4)
		for ; i < len(h.Buckets) && i <= power*octave; i++ {
			n += h.Buckets[i]
		}
		if started = started || n > 0; started {
			add("≤ "+short(math.Exp2(float64(power))), n)
		}
	}
	for len(all) > 0 && all[len(all)-1].value == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// ageBars returns the histogram of the ages of leases, up to the oldest.
func (p *poolReport) ageBars() (all []bar) {
	for i, n := range p.Ages {
		label := "≥ " + ago(ageEnds[len(ageEnds)-1])
		if i < len(ageEnds) {
			label = "< " + ago(ageEnds[i])
		}
		all = append(all, bar{label, float64(n), fmt.Sprint(n)})
	}
	for len(all) > 0 && all[len(all)-1].value == 0 {
		all = all[:len(all)-1]
	}
	return all
}
