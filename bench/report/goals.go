package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// A Goal is a promise about speed or memory, and whether this run kept it.
type Goal struct {
	Key     string  `json:"key"` // of the reasons
	Group   string  `json:"group"`
	What    string  `json:"what"`
	Target  float64 `json:"target"`
	AtLeast bool    `json:"at_least"` // the target is a floor, otherwise a ceiling
	Unit    string  `json:"unit"`     // what Target and Got are in: "x as fast", "x", "bytes", "allocs"
	Got     float64 `json:"got"`
	Reached bool    `json:"reached"`
	Aside   string  `json:"aside,omitempty"` // a number that belongs beside it
	Why     string  `json:"why,omitempty"`   // it was not reached
}

// The groups of goals, in the order of the report.
const (
	overHeap    = "against the Go heap"
	overRivals  = "against the fastest other arena for Go"
	nearBumpalo = "against Rust's bumpalo"
	collector   = "what the collector pays"
	frugality   = "memory, and cost that doesn't grow"
	requests    = "answering requests"
	containers  = "containers in an arena against Go's own"
)

// The limits for what the goals call constant and flat. Noise makes two equal
// rows differ by some tens of percent; a time that depends on the length would
// be a thousand times as long.
const (
	constantLimit = 2
	flatLimit     = 1.5
)

// A judge collects goals. One whose measurements aren't part of the run is left
// out.
type judge struct {
	report *Report
	goals  []Goal
}

// Judge sets r.Goals from the measurements.
func (r *Report) Judge() {
	j := &judge{report: r}
	j.heap()
	j.rivals()
	j.bumpalo()
	j.collector()
	j.frugality()
	j.servers()
	j.service()
	j.collections()
	j.json()
	j.wire()
	j.rows()
	r.Goals = j.goals
}

// add judges a goal. Its key is made of names and not of its words, so that a
// reason stays with its goal when the words change.
func (j *judge) add(g Goal) {
	if math.IsNaN(g.Got) || math.IsInf(g.Got, 0) {
		return
	}
	g.Reached = g.Got <= g.Target
	if g.AtLeast {
		g.Reached = g.Got >= g.Target
	}
	if !g.Reached {
		g.Why = why(g.Key)
	}
	j.goals = append(j.goals, g)
}

// faster wants peer to be some times faster than base in a row of micro.
func (j *judge) faster(what, row, base, peer string, target float64) {
	j.add(Goal{Key: "heap/" + row + "/" + peer, Group: overHeap, What: what, Target: target, AtLeast: true,
		Unit: "x as fast",
		Got:  j.ratio("micro", row, base, row, peer)})
}

// atMost wants a number to stay below a limit.
func (j *judge) atMost(group, key, what, unit string, target, got float64) {
	j.add(Goal{Key: key, Group: group, What: what, Target: target, Unit: unit, Got: got})
}

// ratio is how many times one peer's value in one row is another's in another.
func (j *judge) ratio(suite, row, peer, otherRow, otherPeer string) float64 {
	return measure.Ratio(j.report.values(suite, row, peer), j.report.values(suite, otherRow, otherPeer))
}

func (j *judge) heap() {
	j.faster("New 8 B, reset and reused, against new", "new-8", suite.Heap, suite.Harena, 7)
	j.faster("New 64 B, reset and reused, against new", "new-64", suite.Heap, suite.Harena, 10)
	j.faster("New 24 B node, self-contained, against new", "new-node", suite.Heap, suite.SelfContained, 10)
	j.faster("New 24 B node, default arena, against new", "new-node", suite.Heap, suite.Harena, 4)
	j.faster("New 24 B node, through Typed, against new", "new-node", suite.Heap, suite.Typed, 8)
	j.faster("AllocString 32 B against strings.Clone", "string-32", suite.Heap, suite.Harena, 4)
	j.faster("Append 1,000 ints against append from nil", "append-1000", suite.Heap, suite.Harena, 4)
	j.atMost(overHeap, "heap/pool-get-put", "Get and Put of a warm Pool against sync.Pool's own", "x", 3,
		j.ratio("micro", "pool-get-put", suite.Harena, "pool-get-put", suite.SyncPool))
}

func (j *judge) collector() {
	const big, tiny = "full-gc-10000000", "full-gc-10000"
	j.atMost(collector, "gc/self-contained/empty", "full GC over 10 million nodes, self-contained against an empty "+
		"heap", "x", 3,
		j.ratio("gc", big, suite.SelfContained, big, "empty"))
	j.atMost(collector, "gc/default/heap", "full GC over 10 million nodes, default arena against the heap", "x", 1.0/3,
		j.ratio("gc", big, suite.Harena, big, suite.Heap))
	j.atMost(collector, "gc/self-contained/flat", "full GC over 10 million nodes against 10,000, self-contained",
		"x", 2, j.ratio("gc", big, suite.SelfContained, tiny, suite.SelfContained))
}

func (j *judge) frugality() {
	atMost := func(key, what, unit string, target, got float64) { j.atMost(frugality, key, what, unit, target, got) }
	atMost("allocs/append-1000", "Append 1,000 ints in a warm arena", "allocs", 0,
		measure.Median(j.report.values("micro", "append-1000-allocs", suite.Harena)))
	atMost("constant/uninit", "MakeSliceUninit, 1M ints against 1K ints", "x", constantLimit,
		j.ratio("micro", "uninit-1m", suite.Harena, "uninit-1k", suite.Harena))
	atMost("observed/cpu", "CPU time of requests when one in 256 is observed, against that of others", "x", 1.005,
		measure.Median(j.report.values("server-observed", "cpu-ratio", "harena-observed")))
	for _, p := range []string{suite.Harena, suite.SelfContained} {
		atMost("reserved/"+p, "bytes reserved for 10 million nodes against their size, "+p, "x", 1.1,
			measure.Median(j.report.values("gc", "reserved", p)))
		atMost("live-1000/"+p, "1,000 live arenas with 64 B each, "+p, "bytes", 8<<20,
			measure.Median(j.report.values("micro", "live-1000", p)))
		atMost("growth/"+p, "cost of New at 1,000 chunks against 1, "+p, "x", flatLimit,
			j.ratio("micro", "growth-last", p, "growth-first", p))
	}
}

func (j *judge) servers() {
	for _, c := range []struct {
		suite, where   string
		faster, sooner float64
	}{
		{"server-in-process", "without HTTP", 5, 10},
		{"server", "over HTTP", 1.5, 3},
	} {
		j.add(Goal{Key: c.suite + "/rps", Group: requests,
			What:   "requests per second " + c.where + ", default arenas against the heap",
			Target: c.faster, AtLeast: true, Unit: "x as many",
			Got: j.ratio(c.suite, "rps", suite.Harena, "rps", suite.Heap)})
		j.add(Goal{Key: c.suite + "/p99", Group: requests, What: "99th percentile of a request's time " + c.where,
			Target: c.sooner, AtLeast: true, Unit: "x shorter",
			Got: j.ratio(c.suite, "p99", suite.Heap, "p99", suite.Harena)})
		j.atMost(requests, c.suite+"/peak-rss", "peak RSS of the server "+c.where+", default arenas against the heap",
			"x", 1, j.ratio(c.suite, "peak-rss", suite.Harena, "peak-rss", suite.Heap))
	}
}

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
				Got: j.ratio("service", c.row, base, c.row, suite.Harena)})
		}
		more := measure.Median(j.report.values("service", c.row+"-rss", suite.Harena)) -
			measure.Median(j.report.values("service", c.row+"-rss", suite.Heap))
		j.atMost(requests, "service/rss/"+c.row, "memory of a whole service after "+c.what+", more than on the heap",
			"bytes", 10<<20, more)
	}
}

// collections wants of each container and size that the slowest of its rows is some
// times faster than on the heap. What is built and dropped counts with the time of all
// processors, since the collector works on others.
func (j *judge) collections() {
	maps := func(verb string) (rows []string) {
		for _, key := range []string{"int", "string", "two-ints", "string-and-int"} {
			rows = append(rows, "map-of-"+key+"-"+verb)
		}
		return rows
	}
	for _, n := range []int{10, 1000, 1_000_000} {
		for _, c := range []struct {
			name, what, suffix string
			rows               []string
			target             float64
		}{
			{"map-build", "Map, built and dropped, collector included", "-cpu", maps("build"), 1.5},
			{"map-look-up", "Map, look-ups", "", append(maps("hit"), maps("miss")...), 1 / 1.2},
			{"slice-build", "Slice, built and dropped, collector included", "-cpu",
				[]string{"slice-build", "slice-of-pointers-build"}, 2},
			{"buffer-build", "Buffer, built and dropped, collector included", "-cpu", []string{"buffer-build"}, 2},
		} {
			slowest := math.Inf(1)
			for _, row := range c.rows {
				row = fmt.Sprintf("%s-%d%s", row, n, c.suffix)
				if x := j.ratio("collections", row, suite.Heap, row, suite.Harena); x < slowest {
					slowest = x
				}
			}
			j.add(Goal{Key: fmt.Sprintf("collections/%s-%d", c.name, n), Group: containers,
				What:   fmt.Sprintf("%s, %s entries", c.what, count(float64(n))),
				Target: c.target, AtLeast: true, Unit: "x as fast", Got: slowest})
		}
	}
}

// A goalGroup is the goals of one group, those that were missed first.
type goalGroup struct {
	Name           string
	Goals          []Goal
	Reached, Count int
}

func (r *Report) goalGroups() []goalGroup {
	var gs []goalGroup
	for _, g := range r.Goals {
		i := slices.IndexFunc(gs, func(h goalGroup) bool { return h.Name == g.Group })
		if i < 0 {
			gs = append(gs, goalGroup{Name: g.Group})
			i = len(gs) - 1
		}
		gs[i].Goals = append(gs[i].Goals, g)
		gs[i].Count++
		gs[i].Reached += bit(g.Reached)
	}
	for _, g := range gs {
		slices.SortStableFunc(g.Goals, func(a, b Goal) int { return cmp.Compare(bit(a.Reached), bit(b.Reached)) })
	}
	return gs
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Verdict is the goal's result in words.
func (g Goal) Verdict() string {
	if g.Reached {
		return "reached"
	}
	return "NOT reached"
}

// show prints a number of a goal in the goal's unit.
func (g Goal) show(v float64) string {
	switch g.Unit {
	case "bytes":
		return size(v)
	case "allocs":
		return fmt.Sprintf("%.3g allocations", v)
	}
	return fmt.Sprintf("%.3g%s", v, g.Unit)
}

// Measured is what was measured, in words.
func (g Goal) Measured() string { return g.show(g.Got) }

// Bound is the target in words.
func (g Goal) Bound() string {
	if g.AtLeast {
		return "at least " + g.show(g.Target)
	}
	return "at most " + g.show(g.Target)
}
