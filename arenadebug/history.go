package arenadebug

import (
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/harena-go/arena"
)

// This file remembers the numbers of the pools over the last minutes, for charts and rates. Nothing runs between two
// looks: each adds a sample, and the page looks every few seconds while it is open. This file must not depend on how
// a sample is shown.

const (
	// span is the length of the history.
	span = 10 * time.Minute
	// spacing is the least time between two kept samples, so that many viewers don't shorten the history.
	spacing = 2 * time.Second
	// maxSamples and maxTracked bound the memory of the history: 300 samples of 64 pools take 1.5 MB.
	maxSamples = int(span / spacing)
	maxTracked = 64
	// rateTime is the time over which rates are averaged.
	rateTime = 10 * time.Second
)

// The history is a list of samples, each with a reading of every pool:
//
//	12:00:00   12:00:02   12:00:04   ...   12:09:58   12:10:00
//	pool A     pool A     pool A           pool A     pool A
//	           pool B     pool B           pool B     pool B      made between the first two looks
//
// A chart is a column of readings over time, a rate the difference of two readings, and an event a counter that grew
// from one reading to the next. The page shows the newest sample, so it is kept even if it is too close to the one
// before; then the next look replaces it.

// counts are the numbers of a pool in the history. The first three are bytes now, the others are sums since the pool
// was made.
type counts struct {
	Lent, Idle, Waste             int // Idle doesn't include Waste
	Gets, Puts, Escapes, LimitHit int
	Used                          int64
}

func countsOf(s *arena.PoolStats) counts {
	return counts{
		Lent: s.Reserved - s.Retained, Idle: s.Retained - s.Waste, Waste: s.Waste,
		Gets: s.Gets, Puts: s.Puts, Escapes: s.Escapes, LimitHit: s.LimitHits, Used: int64(s.Used),
	}
}

// reserved returns the bytes of all chunks.
func (c counts) reserved() int { return c.Lent + c.Idle + c.Waste }

// A reading is one look at one pool. The history must not keep a pool alive.
type reading struct {
	pool weak.Pointer[arena.Pool]
	counts
}

// A sample is one look at all pools. It never changes.
type sample struct {
	at    time.Time
	pools []reading // of the first maxTracked pools
}

// of returns the counts of a pool, and false if the sample has none.
func (s *sample) of(p weak.Pointer[arena.Pool]) (counts, bool) {
	i := slices.IndexFunc(s.pools, func(r reading) bool { return r.pool == p })
	if i < 0 {
		return counts{}, false
	}
	return s.pools[i].counts, true
}

// A history is the samples of the last minutes, the oldest first.
type history struct {
	mu      sync.Mutex
	samples []sample
}

// looks is the history of the process: all handlers show the same pools.
var looks history

// note adds a sample and returns all of them. stats has the numbers of each of the pools.
func (h *history) note(now time.Time, pools []*arena.Pool, stats []arena.PoolStats) []sample {
	s := sample{at: now}
	for i, p := range pools[:min(len(pools), maxTracked)] {
		s.pools = append(s.pools, reading{weak.Make(p), countsOf(&stats[i])})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.samples)
	if n > 0 && now.Before(h.samples[n-1].at) { // another clock, as in a synctest bubble
		h.samples, n = nil, 0
	}
	if n > 1 && h.samples[n-1].at.Sub(h.samples[n-2].at) < spacing { // it was kept for its look only
		h.samples = h.samples[:n-1]
	}
	h.samples = append(h.samples, s)
	// Drop samples that are too old, or too many if a viewer looks every two seconds.
	gone := 0
	for len(h.samples)-gone > maxSamples || now.Sub(h.samples[gone].at) > span {
		gone++
	}
	h.samples = slices.Delete(h.samples, 0, gone)
	return slices.Clone(h.samples)
}

// A point is the counts of a pool at a time.
type point struct {
	at time.Time
	counts
}

// pointsOf returns the points of a pool.
func pointsOf(samples []sample, p *arena.Pool) (points []point) {
	// Equal for the same pool, and never for two, even if one was freed and the other has its address.
	key := weak.Make(p)
	for i := range samples {
		if c, ok := samples[i].of(key); ok {
			points = append(points, point{samples[i].at, c})
		}
	}
	return points
}

// rates are numbers per second.
type rates struct {
	Gets   float64 // arenas lent
	Bytes  float64 // bytes allocated, counted when arenas come back
	Resets float64 // arenas put back, which resets them
}

// rateOf returns the rates at the end of points: over the last rateTime, or since the look before if that is longer
// ago. It returns nil before the second look.
func rateOf(points []point) *rates {
	if len(points) < 2 {
		return nil
	}
	last := points[len(points)-1]
	// The earliest look within rateTime, or the look before if all are older.
	first := points[len(points)-2]
	for _, p := range slices.Backward(points[:len(points)-2]) {
		if last.at.Sub(p.at) > rateTime {
			break
		}
		first = p
	}
	return between(first, last)
}

// between returns the rates from one point to a later one, and nil if they are less than a millisecond apart.
func between(first, last point) *rates {
	// Two handlers may look at the same moment.
	d := last.at.Sub(first.at)
	if d < time.Millisecond {
		return nil
	}
	// Counters fall only if a pool was replaced; that is no negative rate.
	per := func(a, b int64) float64 { return float64(max(0, b-a)) / d.Seconds() }
	return &rates{per(int64(first.Gets), int64(last.Gets)), per(first.Used, last.Used),
		per(int64(first.Puts), int64(last.Puts))}
}

// add adds the rates of another pool.
func (r *rates) add(o *rates) {
	r.Gets += o.Gets
	r.Bytes += o.Bytes
	r.Resets += o.Resets
}

// An event is a problem that arose between two looks, or at a known time.
type event struct {
	from, at time.Time // from is zero if at is exact
	pool     string
	escapes  int
	limits   int // allocations refused by a limit
}

// eventsOf returns the events of a pool, the oldest first. hit is the time of the last refused allocation, which is
// known even if it is older than the first look.
func eventsOf(points []point, pool string, hit time.Time) (events []event) {
	if len(points) == 0 {
		return nil
	}
	last := points[len(points)-1]
	// Later ones show in the counters of two looks, and would be drawn twice.
	if !hit.IsZero() && !hit.After(points[0].at) && last.at.Sub(hit) < span {
		events = append(events, event{at: hit, pool: pool, limits: 1})
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		e := event{a.at, b.at, pool, max(0, b.Escapes-a.Escapes), max(0, b.LimitHit-a.LimitHit)}
		if e.escapes > 0 || e.limits > 0 {
			events = append(events, e)
		}
	}
	return events
}
