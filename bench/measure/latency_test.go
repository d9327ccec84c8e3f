package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestQuantilesWithinOnePercent compares with a sorted list, over all orders of
// magnitude.
func TestQuantilesWithinOnePercent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var parts [3]Latencies
	var all []float64
	for i := range 100_000 {
		d := time.Duration(math.Exp(rnd.Float64() * 25)) // 1 ns to 72 s
		parts[i%3].Record(d)
		all = append(all, d.Seconds())
	}
	var l Latencies
	for i := range parts {
		l.Merge(&parts[i])
	}
	slices.Sort(all)
	for _, q := range []float64{0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[int(math.Ceil(q*float64(len(all))))-1]
		if got := l.Quantile(q); math.Abs(got-want) > want/100 {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if l.Count() != 100_000 || l.Summary().Max != all[len(all)-1] {
		t.Errorf("%d durations up to %v, want 100000 up to %v, exactly", l.Count(), l.Summary().Max, all[len(all)-1])
	}
}

func TestQuantileIsARank(t *testing.T) {
	var l Latencies
	if !math.IsNaN(l.Quantile(0.5)) {
		t.Error("the median of nothing is a number")
	}
	for i := range 99 { // 1 to 99 ns: each has a bucket
		l.Record(time.Duration(i + 1))
	}
	for q, want := range map[float64]float64{0: 1, 0.5: 50, 0.9: 90, 0.99: 99, 1: 99} {
		if got := l.Quantile(q) * 1e9; math.Abs(got-want) > 1e-6 {
			t.Errorf("quantile %v of 1 to 99: %v", q, got)
		}
	}
}

func TestBucketsAdjoin(t *testing.T) {
	last := 0
	for v := uint64(0); v < 1<<41; v += max(1, v>>9) {
		i := bucket(v)
		if i < last || i > last+1 || i >= buckets {
			t.Fatalf("%d ns is in bucket %d of %d, after %d", v, i, buckets, last)
		}
		last = i
		if m := middle(i); v < 1<<maxBits && math.Abs(m-float64(v)) > float64(v)/200 {
			t.Fatalf("bucket %d of %d ns stands for %v", i, v, m)
		}
	}
	var l Latencies
	l.Record(-5)
	l.Record(1 << 50)
	if l.Count() != 2 {
		t.Error("odd durations are lost")
	}
}
