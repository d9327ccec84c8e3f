package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/harena-go/arena/bench/measure"
)

const none = "-"

// duration prints seconds with three digits in a fitting unit.
func duration(s float64) string {
	for _, u := range []struct {
		unit string
		in   float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if s >= u.in {
			return digits(s/u.in) + " " + u.unit
		}
	}
	return digits(s*1e9) + " ns"
}

// nanos prints ns with three digits in a fitting unit.
func nanos(ns float64) string { return duration(ns / 1e9) }

// size prints bytes.
func size(b float64) string {
	for _, u := range []struct {
		unit string
		in   float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if math.Abs(b) >= u.in {
			return digits(b/u.in) + " " + u.unit
		}
	}
	return digits(b) + " B"
}

// count prints a whole number with commas.
func count(v float64) string {
	s := strconv.FormatInt(int64(math.Round(v)), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// digits prints three significant digits without an exponent.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// spread prints the median of v, and half the width of its interval.
func spread(v []float64, show func(float64) string) string {
	m := measure.Median(v)
	if math.IsNaN(m) {
		return none
	}
	low, high := measure.Interval(v)
	if len(v) < 2 || m == 0 || low == high {
		return show(m)
	}
	return fmt.Sprintf("%s ±%.0f%%", show(m), 50*(high-low)/m)
}

// times prints a ratio; a cost of nothing makes it infinite.
func times(r float64) string {
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return none
	}
	if r >= 1000 {
		return count(r) + "x"
	}
	return digits(r) + "x"
}
