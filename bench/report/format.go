package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const none = "–"

// amount prints a value of a unit.
func amount(v float64, u suite.Unit) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	switch u {
	case suite.Seconds:
		return duration(v)
	case suite.Bytes:
		return size(v)
	case suite.PerSecond:
		if v >= 1e6 {
			return digits(v/1e6) + " M/s"
		}
		return count(v) + "/s"
	case suite.Ratio:
		return times(v)
	}
	return count(v)
}

// duration prints seconds with three digits in a fitting unit.
func duration(s float64) string {
	if s == 0 {
		return "0 s"
	}
	return scaled(s, []prefix{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}})
}

// size prints bytes.
func size(b float64) string {
	return scaled(b, []prefix{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}})
}

type prefix struct {
	unit string
	in   float64
}

// scaled formats v in the first unit that it reaches. A value that would round up to 1,000 of a unit is in the next
// one.
func scaled(v float64, units []prefix) string {
	last := units[len(units)-1]
	for _, u := range units {
		if math.Abs(v)*1.0005 >= u.in || u == last {
			last = u
			break
		}
	}
	if last.in == 1 && v == math.Trunc(v) { // whole bytes
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + last.unit
	}
	return digits(v/last.in) + " " + last.unit
}

// count prints a number: with commas, and with a fraction if it is small.
func count(v float64) string {
	if math.Abs(v) < 100 && v != math.Trunc(v) {
		return digits(v)
	}
	s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// digits prints three significant digits without an exponent.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// times prints a ratio.
func times(r float64) string {
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return none
	}
	switch {
	case r >= 999_500:
		return digits(r/1e6) + "Mx"
	case r >= 999.5:
		return digits(r/1e3) + "kx"
	}
	return digits(r) + "x"
}

// spread formats how far the interval reaches from the median; "" if there is no interval.
func spread(s measure.Summary) string {
	if s.N < 2 || s.Median == 0 || s.Low == s.High {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", 100*s.Spread())
}

// withSpread formats a median with its spread, and the confidence of that if it is less than 95%.
func withSpread(s measure.Summary, u suite.Unit) string {
	text := amount(s.Median, u)
	if p := spread(s); p != "" {
		text += " " + p
		if s.Confidence < 0.95 {
			text += fmt.Sprintf(" (%.0f%% sure)", 100*s.Confidence)
		}
	}
	return text
}

// against formats the cell's ratio to the base, after a tilde if it may be noise; "" for the base itself.
func (c cell) against() string {
	switch {
	case math.IsNaN(c.Ratio) || math.IsInf(c.Ratio, 0):
		return ""
	case !c.Sure:
		return "~" + times(c.Ratio)
	}
	return times(c.Ratio)
}

// enoughRounds is how many rounds the test of significance needs: with fewer it finds no difference, however large.
const enoughRounds = 4

// doubt says why the cell's ratio to the base may be noise; "" if it isn't, or if there is none. For a large ratio it
// gives the range, since "179x, not significant" contradicts itself.
func (c cell) doubt() string {
	switch {
	case c.against() == "" || c.Sure:
		return ""
	case len(c.Rounds) == 1:
		return "one round"
	case len(c.Rounds) < enoughRounds || c.Ratio >= 2 || c.Ratio <= 0.5:
		return fmt.Sprintf("%d rounds, from %s to %s", len(c.Rounds), times(slices.Min(c.Rounds)),
			times(slices.Max(c.Rounds)))
	}
	return "not significant"
}

// tick formats a value at an axis: as short as possible.
func tick(v float64, u suite.Unit) string {
	text := amount(v, u)
	if u == suite.Count || u == suite.Ratio {
		text = scaled(v, []prefix{{"M", 1e6}, {"k", 1e3}, {"", 1}})
	}
	number, unit, spaced := strings.Cut(text, " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	switch {
	case u == suite.Ratio:
		return number + unit + "x"
	case u == suite.Count || !spaced:
		return number + unit
	}
	return number + " " + unit
}
