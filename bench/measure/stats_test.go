package measure

import (
	"math"
	"runtime"
	"testing"
	"time"
)

func TestMedianAndInterval(t *testing.T) {
	for _, c := range []struct {
		in             []float64
		med, low, high float64
	}{
		{[]float64{3}, 3, 3, 3},
		{[]float64{3, 1}, 2, 1, 3},
		{[]float64{9, 1, 2}, 2, 1, 9},
		{[]float64{4, 1, 3, 2}, 2.5, 1, 4},
	} {
		low, high := Interval(c.in)
		if m := Median(c.in); m != c.med || low != c.low || high != c.high {
			t.Errorf("%v: median %v in %v..%v, want %v in %v..%v", c.in, m, low, high, c.med, c.low, c.high)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
}

// TestInterval checks the ranks against the tables for the sign test: they are
// 1 and 6 of 6, 4 and 12 of 15, 18 and 33 of 50.
func TestInterval(t *testing.T) {
	for _, c := range []struct{ n, low, high int }{{5, 1, 5}, {6, 1, 6}, {15, 4, 12}, {50, 18, 33}} {
		var v []float64
		for i := range c.n {
			v = append(v, float64(c.n-i))
		}
		if low, high := Interval(v); low != float64(c.low) || high != float64(c.high) {
			t.Errorf("of %d values: ranks %v and %v, want %d and %d", c.n, low, high, c.low, c.high)
		}
	}
}

func TestMedianLeavesItsInputAlone(t *testing.T) {
	v := []float64{3, 1, 2}
	Median(v)
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
