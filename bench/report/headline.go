package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// A Headline is one big number at the top of the page.
type Headline struct {
	Number string
	What   string
	Detail string // the numbers behind it
	Worse  bool   // the number is nothing to be proud of
}

// headlines are the ratios that matter most, of those that were measured.
func (r *Report) headlines() []Headline {
	var hs []Headline
	// less is how many times less of a row better takes than worse.
	less := func(what, in, row, worse, better string, words string) {
		a, b := r.result(in, row, worse), r.result(in, row, better)
		if a == nil || b == nil {
			return
		}
		over, under := a, b
		if a.More {
			over, under = b, a
		}
		rounds := measure.Ratios(over.Values, under.Values)
		ratio := measure.Median(rounds)
		if math.IsNaN(ratio) {
			return
		}
		note := ""
		if !measure.Compare(a.Values, b.Values).Significant {
			note = "; " + rangeOf(rounds)
		}
		hs = append(hs, Headline{times(ratio), what, fmt.Sprintf(words, amount(measure.Median(b.Values), b.Unit),
			amount(measure.Median(a.Values), a.Unit)) + note, ratio < 1})
	}
	less("as fast as new, for an object of 64 bytes", "micro", "new-64", suite.Heap, suite.Harena, "%s against %s")
	if h, ok := r.rivalHeadline(); ok {
		hs = append(hs, h)
	}
	less("shorter garbage collection, 10 million live objects", "gc", "full-gc-10000000", suite.Heap,
		suite.SelfContained, "%s in a self-contained arena, %s on the heap")
	less("shorter 99th percentile of a request", "server-in-process", "p99", suite.Heap, suite.Harena,
		"%s against %s on the heap, without HTTP")
	less("as many requests per second over HTTP", "server", "rps", suite.Heap, suite.Harena,
		"%s against %s on the heap")
	less("as fast in binary-trees", "trees", "wall", suite.Heap, suite.SelfContained,
		"%s self-contained, %s on the heap")
	return hs
}

// rangeOf says how far the ratios of the rounds are apart: what there is to say where no test can find them
// significant.
func rangeOf(rounds []float64) string {
	if len(rounds) == 1 {
		return "one round"
	}
	return fmt.Sprintf("%d rounds, from %s to %s", len(rounds), times(slices.Min(rounds)), times(slices.Max(rounds)))
}

// rivalHeadline compares objects of a fixed size with the fastest other arena
// in each row.
func (r *Report) rivalHeadline() (h Headline, ok bool) {
	s := r.suite("micro")
	if s == nil {
		return h, false
	}
	var ratios []float64
	for _, w := range r.rows(*s) {
		foreign := w.best(suite.Foreign)
		ours, _, _ := champion(w, foreign)
		if w.Group != "fixed" || ours == nil || foreign == nil {
			continue
		}
		if x := w.ratio(*ours, *foreign); x > 0 {
			ratios = append(ratios, x)
		}
	}
	if len(ratios) == 0 {
		return h, false
	}
	mean := geomean(ratios)
	return Headline{times(mean), "as fast as the fastest other arena for Go",
		fmt.Sprintf("geometric mean of %d rows with objects of a fixed size, from %s to %s", len(ratios),
			times(slices.Min(ratios)), times(slices.Max(ratios))), mean < 1}, true
}

func geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
