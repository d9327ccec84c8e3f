package measure

import (
	"errors"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Median of v; NaN if v is empty. It is used instead of the mean because a
// busy neighbour only ever makes a run slower, and then by a lot.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(v))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}

// A Summary is the median of some values and how sure it is: with a probability
// of Confidence it lies between Low and High, whatever the distribution.
type Summary struct {
	Median, Low, High float64
	Confidence        float64 // 0 if there is only one value
	N                 int
	Warning           string // what is wrong with the interval, "" if nothing
}

const confidence = 0.95

// Summarize v. An interval of 95% confidence takes six values. With fewer it
// goes from the lowest to the highest, and Confidence and Warning say what that
// is worth.
func Summarize(v []float64) Summary {
	if len(v) == 0 {
		return Summary{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	s := sample(v)
	b := benchmath.AssumeNothing.Summary(s, confidence)
	warning := join(b.Warnings)
	if math.IsInf(b.Lo, -1) {
		// All n values lie on the same side of the median with this probability.
		outside := math.Pow(0.5, float64(len(v)-1))
		b = benchmath.AssumeNothing.Summary(s, 1-outside)
	}
	if len(v) == 1 {
		b.Lo, b.Hi, b.Confidence = v[0], v[0], 0
	}
	return Summary{b.Center, b.Lo, b.Hi, b.Confidence, len(v), warning}
}

// Spread is the wider half of the interval, relative to the median; 0 if there
// is no interval.
func (s Summary) Spread() float64 {
	if s.N < 2 || s.Median == 0 {
		return 0
	}
	return max(s.High-s.Median, s.Median-s.Low) / math.Abs(s.Median)
}

// A Difference reports whether two sets of values differ by more than their noise.
type Difference struct {
	P           float64 // how likely such values are if there is no difference
	Significant bool    // P is below 5%
	Warning     string  // why there is no way to tell, "" if there is
}

// Compare is the Mann-Whitney test: it asks whether the values of one side tend
// to be the larger ones, and assumes nothing about their distribution.
func Compare(a, b []float64) Difference {
	if len(a) == 0 || len(b) == 0 {
		return Difference{P: 1, Warning: "one side has no values"}
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return Difference{c.P, c.P < c.Alpha, join(c.Warnings)}
}

// sample copies v: benchmath sorts in place, and the order of the rounds is
// what Ratio pairs them by.
func sample(v []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
}

func join(warnings []error) string {
	if err := errors.Join(warnings...); err != nil {
		return err.Error()
	}
	return ""
}

// Ratio returns how many times a is b. a[i] and b[i] were measured in the same
// round, right after each other, so a round that a busy machine slowed down
// slowed both: the median of the rounds' ratios is steadier than the ratio of
// the medians. Rounds that only one of them has are left out.
func Ratio(a, b []float64) float64 { return Median(Ratios(a, b)) }

// Ratios returns the ratio of each round that both have and in which b isn't zero.
func Ratios(a, b []float64) (r []float64) {
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			r = append(r, a[i]/b[i])
		}
	}
	return r
}
