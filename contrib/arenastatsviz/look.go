package arenastatsviz

import (
	"math"
	"sync"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// This file looks at pools, once for all plots. It must not depend on what a plot is.

// A look is the state of all pools together at one time.
type look struct {
	at     time.Time
	values map[string]float64 // by the metric's name and state; of what doesn't add up the largest
	sizes  arena.Histogram
}

func newLook(pools []*arena.Pool) *look {
	l := &look{at: time.Now(), values: map[string]float64{}}
	if pools == nil {
		pools = arena.Pools()
	}
	for _, p := range pools {
		for _, m := range arenametrics.Of(p) {
			if m.Key == "" {
				l.add(m)
			}
		}
	}
	return l
}

func (l *look) add(m arenametrics.Metric) {
	id := m.Name + m.State
	if !m.Additive {
		l.values[id] = max(l.values[id], m.Value)
		return
	}
	l.values[id] += m.Value
	if h := m.Histogram; h != nil {
		for i, n := range h.Buckets {
			for len(l.sizes.Buckets) <= i {
				l.sizes.Buckets = append(l.sizes.Buckets, 0)
			}
			l.sizes.Buckets[i] += n
		}
		l.sizes.Zero += h.Zero
	}
}

// rate returns by how much a number has grown per second since another look. If pools are gone it
// may have fallen, and then nothing is known.
func (l *look) rate(id string, last *look) float64 {
	seconds := l.at.Sub(last.at).Seconds()
	if seconds <= 0 {
		return 0
	}
	return max(0, l.values[id]-last.values[id]) / seconds
}

// quantile returns the size in bytes that the share q of requests since another look didn't exceed,
// and false if there were none.
func (l *look) quantile(q float64, last *look) (float64, bool) {
	since := func(i int) uint64 {
		n, was := l.sizes.Buckets[i], uint64(0)
		if i < len(last.sizes.Buckets) {
			was = last.sizes.Buckets[i]
		}
		return n - min(n, was)
	}
	zero := l.sizes.Zero - min(l.sizes.Zero, last.sizes.Zero)
	total := zero
	for i := range l.sizes.Buckets {
		total += since(i)
	}
	upTo := zero
	if total == 0 || float64(upTo) >= q*float64(total) {
		return 0, total > 0
	}
	for i := range l.sizes.Buckets {
		if upTo += since(i); float64(upTo) >= q*float64(total) {
			return math.Exp2(float64(i) / 4), true
		}
	}
	return 0, false
}

// A watcher looks at pools once for all series, which call it in turn.
type watcher struct {
	pools  []*arena.Pool // nil for all
	number int64         // tells it apart

	mu        sync.Mutex
	turn      int // counts looks
	now, last *look
}

// series returns a function that statsviz calls again and again. The first series that is called
// for the second time causes a new look.
func (w *watcher) series(f func(now, last *look) float64) func() float64 {
	seen := 0
	return func() float64 {
		w.mu.Lock()
		defer w.mu.Unlock()
		if seen == w.turn {
			w.turn++
			w.last, w.now = w.now, newLook(w.pools)
			if w.last == nil {
				w.last = w.now
			}
		}
		seen = w.turn
		return f(w.now, w.last)
	}
}
