package measure

import (
	"math"
	"math/bits"
	"time"
)

// Latencies counts durations in a histogram of fixed size: 128 buckets for each power of two, so that a quantile is off
// by less than 0.4%, from a nanosecond to 18 minutes. Unlike appending to a list of a million values, recording takes a
// few nanoseconds and no memory. The zero value is ready to use; it belongs to one goroutine at a time.
type Latencies struct {
	counts [buckets]uint32
	n      uint64
	max    time.Duration
}

const (
	subBits = 7
	maxBits = 40 // of a nanosecond count; longer durations count as the longest
	buckets = (maxBits - subBits + 1) << subBits
)

// bucket returns the index for v: v itself while it is small, beyond that its leading 8 bits, whose first is always
// set, and their position.
func bucket(v uint64) int {
	v = min(v, 1<<maxBits-1)
	shift := max(bits.Len64(v)-subBits-1, 0)
	return shift<<subBits + int(v>>shift)
}

// middle returns the middle value of bucket i.
func middle(i int) float64 {
	shift := max(i>>subBits-1, 0)
	low := uint64(i-shift<<subBits) << shift
	return float64(low) + float64(uint64(1)<<shift-1)/2
}

// Record counts d.
func (l *Latencies) Record(d time.Duration) {
	l.counts[bucket(uint64(max(d, 0)))]++
	l.n++
	l.max = max(l.max, d)
}

// Merge adds the counts of other.
func (l *Latencies) Merge(other *Latencies) {
	for i, n := range other.counts {
		l.counts[i] += n
	}
	l.n += other.n
	l.max = max(l.max, other.max)
}

// Count returns the number of recorded durations.
func (l *Latencies) Count() uint64 { return l.n }

// Quantile returns the duration, in seconds, that the fraction q of all durations don't exceed; NaN if there are none.
func (l *Latencies) Quantile(q float64) float64 {
	if l.n == 0 {
		return math.NaN()
	}
	rank := max(uint64(math.Ceil(q*float64(l.n))), 1)
	if rank >= l.n {
		return l.max.Seconds() // exact
	}
	var seen uint64
	for i, n := range l.counts {
		if seen += uint64(n); seen >= rank {
			return min(middle(i)/1e9, l.max.Seconds())
		}
	}
	return l.max.Seconds()
}

// Latency has the times of single requests in a Sample, in seconds.
type Latency struct {
	P50   float64   `json:"p50_s"`
	P90   float64   `json:"p90_s"`
	P99   float64   `json:"p99_s"`
	P999  float64   `json:"p99.9_s"`
	Max   float64   `json:"max_s"`
	Curve []float64 `json:"curve_s"` // at CurveQuantiles
}

// CurveQuantiles are the points of a distribution's curve.
var CurveQuantiles = []float64{
	0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975,
	0.99, 0.995, 0.9975, 0.999, 0.9995, 0.99975, 0.9999,
}

// Summary returns the reported quantiles.
func (l *Latencies) Summary() Latency {
	s := Latency{P50: l.Quantile(0.5), P90: l.Quantile(0.9), P99: l.Quantile(0.99), P999: l.Quantile(0.999),
		Max: l.Quantile(1)}
	for _, q := range CurveQuantiles {
		s.Curve = append(s.Curve, l.Quantile(q))
	}
	return s
}
