package report

import (
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// service wants of each endpoint of a whole service that arenas save CPU, over plain Go and over what is tuned.
func (j *judge) service() {
	for _, c := range []struct {
		row, what    string
		plain, tuned float64
	}{
		{"post", "an order that comes in", 1.8, 1.3},
		{"get-one", "one order by its key", 1, 1},
		{"get-100", "the last 100 orders", 2, 1.6},
		{"get-200", "the last 200 orders", 4, 1.6},
		{"customers", "1,000 orders in groups of small objects", 1.5, 1.5},
		{"search", "a search in 20,000 products", 1.2, 1.1},
	} {
		for _, base := range []string{suite.Heap, suite.SonicJSON} {
			target := c.plain
			if base == suite.SonicJSON {
				target = c.tuned
			}
			j.add(Goal{Key: "service/" + c.row + "/" + base, Group: requests,
				What:   "CPU of a whole service for " + c.what + ", arenas against " + base,
				Target: target, AtLeast: true, Unit: "x less",
				Got: j.ratio("service", c.row, suite.Harena, c.row, base)})
		}
		more := measure.Median(j.report.values("service", c.row+"-rss", suite.Harena)) -
			measure.Median(j.report.values("service", c.row+"-rss", suite.Heap))
		j.atMost(requests, "service/rss/"+c.row, "memory of a whole service after "+c.what+", more than on the heap",
			"bytes", 10<<20, more)
	}
}
