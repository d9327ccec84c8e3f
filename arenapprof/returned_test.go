package arenapprof_test

import (
	"math"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Returned memory isn't counted, but alignment and the old memory of a slice are.

//go:noinline
func formatted(a *arena.Arena, n int) int {
	before := a.UsedBytes()
	for i := range n {
		a.Sprintf("order %d", i)
	}
	return a.UsedBytes() - before
}

//go:noinline
func built(a *arena.Arena, n int) int {
	before, t := a.UsedBytes(), a.Text()
	for range 20 + n {
		t.Str("a few words, ")
	}
	_ = t.String()
	return a.UsedBytes() - before
}

// TestReturnedBytesAreNotCounted: what Sprintf and Text give back has no share of a profile, be it in a sample or not.
func TestReturnedBytesAreNotCounted(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("builds with a sanitizer leave gaps, and take minutes")
	}
	p := arena.NewPool(arena.WithReuse(), arena.WithObserveRate(1))
	truth, sum := map[string]int{}, 0
	for i := range 10_000 {
		a := p.Get()
		for range 10 {
			truth["small"] += small(a, 1)
			truth["formatted"] += formatted(a, 3)
			truth["built"] += built(a, i%30)
			truth["nodes"] += nodes(a, 1)
		}
		p.Put(a)
	}
	for _, n := range truth {
		sum += n
	}
	got, all, samples, _ := shares(t, p)
	for place, want := range percent(truth) {
		if chance := math.Sqrt(want * (100 - want) / float64(samples)); math.Abs(got[place]-want) > 6*chance {
			t.Errorf("%s has %.1f%%, in truth %.1f%%; %d samples", place, got[place], want, samples)
		}
	}
	t.Logf("%.3f of the bytes, %d samples", all/float64(sum), samples)
	if all < 0.93*float64(sum) || all > 1.07*float64(sum) {
		t.Errorf("%.0f bytes of %d, %d samples", all, sum, samples)
	}
}
