package measure

import (
	"math"
	"slices"
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

// Interval says how sure the median of v is: with 95% confidence it lies between
// low and high, whatever the distribution. That takes six values; with fewer it
// is their lowest and their highest.
func Interval(v []float64) (low, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	s := slices.Sorted(slices.Values(v))
	// The median lies below the value of rank k with the probability that
	// fewer than k of n fair coins show heads.
	n, k := len(s), 0
	below, p := 0.0, math.Pow(0.5, float64(len(s)))
	for below+p <= 0.025 {
		below += p
		k++
		p *= float64(n-k+1) / float64(k)
	}
	k = max(k-1, 0)
	return s[k], s[n-1-k]
}

// Ratio says how many times a is b. a[i] and b[i] were measured in the same
// round, right after each other, so a round that a busy machine slowed down
// slowed both: the median of the rounds' ratios is steadier than the ratio of
// the medians. Rounds that only one of them has are left out.
func Ratio(a, b []float64) float64 {
	var r []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			r = append(r, a[i]/b[i])
		}
	}
	return Median(r)
}
