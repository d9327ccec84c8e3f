package micro

import (
	"runtime"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// A batch is some operations and the reset that follows them.
type batch struct {
	ops int
	do  func()
}

// A meter times batches.
type meter struct {
	turn time.Duration // approximate time of one row
}

// Turns that make a suite with all rows take about 1 s, or 0.2 s.
const (
	fullTurn  = 30 * time.Millisecond
	quickTurn = 5 * time.Millisecond
)

func newMeter(c suite.Config) meter {
	m := meter{turn: fullTurn}
	if c.Quick {
		m.turn = quickTurn
	}
	return m
}

// seconds returns the time of one operation. The collection makes a row pay for its own garbage and not for that of the
// previous row.
func (m meter) seconds(b batch) float64 {
	n := m.calibrate(b)
	runtime.GC()
	return run(b, n).Seconds() / float64(n*b.ops)
}

// calibrate finds how many batches fill a turn, which also warms the peer up.
func (m meter) calibrate(b batch) int {
	run(b, 2)
	for n := 1; ; n *= 2 {
		if took := run(b, n); took >= m.turn/4 {
			return max(1, int(int64(n)*int64(m.turn)/int64(took)))
		}
	}
}

func run(b batch, n int) time.Duration {
	began := time.Now()
	for range n {
		b.do()
	}
	return time.Since(began)
}

// mallocs returns the heap allocations of one operation once the peer is warm. The runtime sometimes allocates on its
// own, so the lowest of a few attempts counts.
func mallocs(b batch) float64 {
	run(b, 2)
	least := ^uint64(0)
	for range 5 {
		before := measure.Mallocs()
		b.do()
		least = min(least, measure.Mallocs()-before)
	}
	return float64(least) / float64(b.ops)
}
