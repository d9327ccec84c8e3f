package measure

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Median of v; NaN if v is empty. It is used instead of the mean because a busy neighbour only makes a run slower, and
// then by a lot.
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

// A Summary is the median of some values with its confidence interval: for any distribution, the median is between Low
// and High with a probability of Confidence.
type Summary struct {
	Median, Low, High float64
	Confidence        float64 // 0 if there is only one value
	N                 int
}

const confidence = 0.95

// Summarize v. An interval of 95% confidence takes six values. With fewer it goes from the lowest to the highest, and
// Confidence has its probability.
func Summarize(v []float64) Summary {
	if len(v) == 0 {
		return Summary{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	s := sample(v)
	b := benchmath.AssumeNothing.Summary(s, confidence)
	if math.IsInf(b.Lo, -1) {
		// All n values are on the same side of the median with this probability.
		outside := math.Pow(0.5, float64(len(v)-1))
		b = benchmath.AssumeNothing.Summary(s, 1-outside)
	}
	if len(v) == 1 {
		b.Lo, b.Hi, b.Confidence = v[0], v[0], 0
	}
	return Summary{b.Center, b.Lo, b.Hi, b.Confidence, len(v)}
}

// Spread returns the wider half of the interval, relative to the median; 0 if there is no interval.
func (s Summary) Spread() float64 {
	if s.N < 2 || s.Median == 0 {
		return 0
	}
	return max(s.High-s.Median, s.Median-s.Low) / math.Abs(s.Median)
}

// Differ is the Mann-Whitney test: it reports whether the values of one side tend to be larger, with a chance below 5%
// for such values without a difference. It assumes nothing about their distribution. With fewer than four values on
// each side it never does.
func Differ(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P < c.Alpha
}

// sample copies v: benchmath sorts in place, and Ratios pairs values by the order of the rounds.
func sample(v []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds)
}

// Ratios returns how many times a is b in each round that both have and in which b isn't zero. a[i] and b[i] were
// measured in the same round, right after each other, so a round that a busy machine slowed down slowed both: the
// median of the rounds' ratios is steadier than the ratio of the medians.
func Ratios(a, b []float64) (r []float64) {
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			r = append(r, a[i]/b[i])
		}
	}
	return r
}
