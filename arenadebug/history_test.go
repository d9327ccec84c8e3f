package arenadebug

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
	"weak"

	"github.com/harena-go/arena"
)

// start is when the tests of this file begin to look.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestHistoryIsBounded: for any number of looks, the history has the last ten minutes, in steps of two seconds.
func TestHistoryIsBounded(t *testing.T) {
	pools := make([]*arena.Pool, maxTracked+10)
	for i := range pools {
		pools[i] = arena.NewPool(arena.WithReuse())
	}
	for _, step := range []time.Duration{time.Millisecond, time.Second, spacing, 5 * time.Second, time.Minute} {
		h := history{}
		var samples []sample
		now := start
		for range 2000 {
			samples = h.note(now, pools, make([]arena.PoolStats, len(pools)))
			now = now.Add(step)
		}
		now = now.Add(-step)
		n := len(samples)
		if n > maxSamples || len(samples[0].pools) != maxTracked {
			t.Errorf("a look each %v: %d samples of %d pools", step, n, len(samples[0].pools))
		}
		if reach := now.Sub(samples[0].at); reach > span || reach < min(span-2*max(step, spacing), 1999*step) {
			t.Errorf("a look each %v: the history reaches back %v", step, reach)
		}
		for i := 1; i < n-1; i++ { // the last one may be near
			if d := samples[i].at.Sub(samples[i-1].at); d < min(spacing, step) || d > max(step, spacing+step) {
				t.Fatalf("a look each %v: two samples are %v apart", step, d)
			}
		}
		if !samples[n-1].at.Equal(now) {
			t.Errorf("a look each %v: the last look isn't there", step)
		}
	}
}

// TestHistoryOfOtherClocks: a clock that is set back, as in a synctest bubble, begins a new history.
func TestHistoryOfOtherClocks(t *testing.T) {
	h := history{}
	h.note(start, nil, nil)
	if s := h.note(start.Add(-time.Hour), nil, nil); len(s) != 1 {
		t.Errorf("%d samples", len(s))
	}
}

// TestHistoryKeepsNoPool: a pool that was looked at is garbage like any other.
func TestHistoryKeepsNoPool(t *testing.T) {
	h := history{}
	p := arena.NewPool(arena.WithReuse())
	w := weak.Make(p)
	if points := pointsOf(h.note(start, []*arena.Pool{p}, []arena.PoolStats{{Gets: 3}}), p); len(points) != 1 || points[0].Gets != 3 {
		t.Fatalf("%v", points)
	}
	p = nil
	for range 10 {
		runtime.GC()
	}
	if w.Value() != nil {
		t.Error("the pool is still there")
	}
	runtime.KeepAlive(&h)
}

// pointsAt returns points a second apart with the given gets, of 100 bytes each.
func pointsAt(gets ...int) (points []point) {
	for i, n := range gets {
		c := counts{Gets: n, Puts: n, Used: int64(100 * n)}
		points = append(points, point{start.Add(time.Duration(i) * time.Second), c})
	}
	return points
}

func TestRates(t *testing.T) {
	for name, c := range map[string]struct {
		points []point
		want   *rates
	}{
		"no look":            {nil, nil},
		"one look":           {pointsAt(7), nil},
		"two looks":          {pointsAt(7, 10), &rates{3, 300, 3}},
		"over ten seconds":   {pointsAt(0, 999, 1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080, 1090, 1100), &rates{10, 1000, 10}},
		"a look at one time": {[]point{pointsAt(1)[0], pointsAt(2)[0]}, nil},
		"a pool made anew":   {pointsAt(10, 2), &rates{}},
		"a look long ago": {[]point{{start, counts{}}, {start.Add(100 * time.Second), counts{Gets: 200, Puts: 100, Used: 300}}},
			&rates{2, 3, 1}},
	} {
		got := rateOf(c.points)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestEvents(t *testing.T) {
	points := pointsAt(0, 0, 0, 0)
	points[1].Escapes, points[2].Escapes, points[3].Escapes = 2, 2, 3
	points[3].LimitHit = 5
	events := eventsOf(points, "p", time.Time{})
	if len(events) != 2 || events[0].escapes != 2 || events[0].limits != 0 || events[1].escapes != 1 || events[1].limits != 5 ||
		!events[1].at.Equal(points[3].at) || !events[1].from.Equal(points[2].at) {
		t.Errorf("%+v", events)
	}
	before := start.Add(-time.Minute) // the first look
	if events := eventsOf(pointsAt(0), "p", before); len(events) != 1 || !events[0].at.Equal(before) {
		t.Errorf("a refusal before the first look: %+v", events)
	}
	if events := eventsOf(pointsAt(0), "p", start.Add(-time.Hour)); len(events) != 0 {
		t.Errorf("a refusal an hour ago: %+v", events)
	}
}

// TestSaved: memory that was used again is saved, and memory of arenas that were made for one use isn't.
func TestSaved(t *testing.T) {
	for name, c := range map[string]struct {
		s    arena.PoolStats
		want int64
	}{
		"unused":    {arena.PoolStats{}, 0},
		"warm":      {arena.PoolStats{Gets: 1000, Misses: 1, Used: 10e6, Growths: 2, FirstChunk: 8 << 10, Reserved: 24_000}, 9_976_000},
		"large now": {arena.PoolStats{Gets: 1000, Misses: 1, Used: 10e6, Growths: 2, FirstChunk: 8 << 10, Reserved: 4e6}, 6e6},
		"freed":     {arena.PoolStats{Gets: 1000, Misses: 1000, Used: 10e6, Growths: 1000, FirstChunk: 4 << 10}, 0},
		"half made": {arena.PoolStats{Gets: 1000, Misses: 500, Used: 10e6, Growths: 500, FirstChunk: 4 << 10}, 5e6},
		"grows":     {arena.PoolStats{Gets: 1000, Misses: 1, Used: 10e6, Growths: 1000, Taken: 8e6}, 2e6},
	} {
		if got := reused(&c.s); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	freed := arena.NewPool(arena.WithReuse())
	for range 1000 {
		a := freed.Get()
		a.AllocBytes(10_000)
		a.Free()
	}
	s := freed.Stats()
	if n := reused(&s); n > 100_000 {
		t.Errorf("a pool of arenas that are freed saves %d of %d bytes", n, s.Used)
	}
}

// TestEstimate: the additional collections follow from the heap and GOGC.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		h    heap
		want saved
	}{
		{heap{live: 10 << 20, gogc: 100, meanObject: 64}, saved{1 << 30, 1 << 24, 102, 10 << 20, 100}},
		{heap{live: 10 << 20, gogc: 200, meanObject: 128}, saved{1 << 30, 1 << 23, 51, 10 << 20, 200}},
		{heap{live: 0, gogc: 100, meanObject: 64}, saved{1 << 30, 1 << 24, 256, 0, 100}},
		{heap{live: 10 << 20, gogc: math.Inf(1), meanObject: 64}, saved{1 << 30, 1 << 24, 0, 10 << 20, -1}},
	} {
		if got := c.h.estimate(1 << 30); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.h, got, c.want)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if h := readHeap(); !math.IsInf(h.gogc, 1) || h.meanObject < 8 {
		t.Errorf("GOGC is off: %+v", h)
	}
	debug.SetGCPercent(150)
	if h := readHeap(); h.gogc != 150 {
		t.Errorf("GOGC is 150: %+v", h)
	}
}
