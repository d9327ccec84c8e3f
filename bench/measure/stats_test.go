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

// TestSummary checks the ranks against the tables for the sign test: 1 and 6 of
// 6, 4 and 12 of 15; below six values they are the lowest and the highest, and
// the confidence is what is left of 1 if all lie on one side of the median.
func TestSummary(t *testing.T) {
	for _, c := range []struct {
		n, low, high int
		confidence   float64
		warns        bool
	}{
		{1, 1, 1, 0, true},
		{2, 1, 2, 0.5, true},
		{3, 1, 3, 0.75, true},
		{5, 1, 5, 0.9375, true},
		{6, 1, 6, 0.96875, false},
		{15, 4, 12, 0.96484375, false},
	} {
		var v []float64
		for i := range c.n {
			v = append(v, float64(c.n-i))
		}
		s := Summarize(v)
		if s.Low != float64(c.low) || s.High != float64(c.high) || s.Median != Median(v) || s.N != c.n {
			t.Errorf("of %d values: %+v, want ranks %d and %d", c.n, s, c.low, c.high)
		}
		if math.Abs(s.Confidence-c.confidence) > 1e-9 || (s.Warning != "") != c.warns {
			t.Errorf("of %d values: confidence %v, warning %q; want %v, a warning: %v", c.n, s.Confidence, s.Warning, c.confidence, c.warns)
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

func TestCompare(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5, 6}, []float64{7, 8, 9, 10, 11, 12}
	if d := Compare(low, high); !d.Significant || d.P > 0.01 || d.Warning != "" {
		t.Errorf("two sets apart: %+v", d)
	}
	if d := Compare(low, []float64{2, 3, 4, 5, 6, 7}); d.Significant {
		t.Errorf("two sets that overlap: %+v", d)
	}
	// Three rounds are never enough, however far apart.
	if d := Compare(low[:3], high[:3]); d.Significant || d.Warning == "" {
		t.Errorf("three rounds: %+v, want a warning", d)
	}
	if d := Compare(nil, high); d.Significant || d.Warning == "" {
		t.Errorf("nothing against something: %+v, want a warning", d)
	}
}

func TestStatisticsLeaveTheirInputAlone(t *testing.T) {
	v := []float64{3, 1, 2}
	Median(v)
	Summarize(v)
	Compare(v, v)
	if v[0] != 3 || v[1] != 1 || v[2] != 2 {
		t.Errorf("input is now %v: the rounds no longer pair up", v)
	}
}

func TestRatioPairsRounds(t *testing.T) {
	// The second round ran on a machine three times slower; the ratio stays 2.
	if r := Ratio([]float64{2, 6, 2}, []float64{1, 3, 1}); r != 2 {
		t.Errorf("ratio %v, want 2", r)
	}
	if r := Ratio([]float64{2, 2}, []float64{0, 1}); r != 2 {
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
