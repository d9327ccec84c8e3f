package measure

import (
	"math"
	"runtime"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if m := Median(c.in); m != c.want {
			t.Errorf("%v: median %v, want %v", c.in, m, c.want)
		}
	}
	if !math.IsNaN(Median(nil)) || !math.IsNaN(Summarize(nil).Median) {
		t.Error("the median of nothing is a number")
	}
}

// TestSummary checks the ranks against the tables for the sign test: 1 and 6 of 6, 4 and 12 of 15; below six values
// they are the lowest and the highest, and the confidence is 1 minus the probability that all are on one side of the
// median.
func TestSummary(t *testing.T) {
	for _, c := range []struct {
		n, low, high int
		confidence   float64
	}{
		{1, 1, 1, 0},
		{2, 1, 2, 0.5},
		{3, 1, 3, 0.75},
		{5, 1, 5, 0.9375},
		{6, 1, 6, 0.96875},
		{15, 4, 12, 0.96484375},
	} {
		var v []float64
		for i := range c.n {
			v = append(v, float64(c.n-i))
		}
		s := Summarize(v)
		if s.Low != float64(c.low) || s.High != float64(c.high) || s.Median != Median(v) || s.N != c.n {
			t.Errorf("of %d values: %+v, want ranks %d and %d", c.n, s, c.low, c.high)
		}
		if math.Abs(s.Confidence-c.confidence) > 1e-9 {
			t.Errorf("of %d values: confidence %v; want %v", c.n, s.Confidence, c.confidence)
		}
	}
}

func TestSpread(t *testing.T) {
	if got := Summarize([]float64{90, 100, 100, 100, 100, 130}).Spread(); math.Abs(got-0.3) > 1e-9 {
		t.Errorf("spread %v, want 0.3: the wider side counts", got)
	}
	for _, v := range [][]float64{nil, {5}, {0, 0}} {
		if got := Summarize(v).Spread(); got != 0 {
			t.Errorf("spread of %v is %v, want 0", v, got)
		}
	}
}

func TestDiffer(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5, 6}, []float64{7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{low, high, true},
		{low, []float64{2, 3, 4, 5, 6, 7}, false},
		{low[:3], high[:3], false}, // three rounds are never enough, however far apart
		{nil, high, false},
	} {
		if got := Differ(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

func TestStatisticsLeaveTheirInputAlone(t *testing.T) {
	v := []float64{3, 1, 2}
	Median(v)
	Summarize(v)
	Differ(v, v)
	if v[0] != 3 || v[1] != 1 || v[2] != 2 {
		t.Errorf("input is now %v: the rounds no longer pair up", v)
	}
}

func TestRatioPairsRounds(t *testing.T) {
	// The second round ran on a machine three times slower; the ratio stays 2.
	if r := Median(Ratios([]float64{2, 6, 2}, []float64{1, 3, 1})); r != 2 {
		t.Errorf("ratio %v, want 2", r)
	}
	if r := Median(Ratios([]float64{2, 2}, []float64{0, 1})); r != 2 {
		t.Errorf("ratio with a zero denominator: %v, want 2 from the other round", r)
	}
}

var sink []byte

func TestSampleSeesTheWork(t *testing.T) {
	r := Start()
	for range 100 {
		sink = make([]byte, 1<<20)
		clear(sink)
	}
	time.Sleep(20 * time.Millisecond)
	runtime.GC()
	s := r.Stop()
	if s.Mallocs < 100 || s.Bytes < 100<<20 {
		t.Errorf("%d allocations of %d bytes, want at least 100 of 100 MiB", s.Mallocs, s.Bytes)
	}
	if s.Cycles == 0 || s.PeakHeap < 1<<20 || s.Wall <= 0 {
		t.Errorf("cycles %d, peak %d, wall %v: all must be positive", s.Cycles, s.PeakHeap, s.Wall)
	}
	if runtime.GOOS == "linux" && (s.CPU <= 0 || s.RSS < 1<<20) {
		t.Errorf("CPU %v, RSS %d: both must be positive on Linux", s.CPU, s.RSS)
	}
}
