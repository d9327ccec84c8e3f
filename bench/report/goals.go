package report

import (
	"fmt"
	"math"

	"github.com/harena-go/arena/bench/measure"
)

// A Goal is a promise about speed or memory, and whether this run kept it.
type Goal struct {
	What    string  `json:"what"`
	Target  float64 `json:"target"`
	AtLeast bool    `json:"at_least"` // the target is a floor, otherwise a ceiling
	Unit    string  `json:"unit"`     // what Target and Got are in: "x faster", "x", "bytes", "allocs"
	Got     float64 `json:"got"`
	Reached bool    `json:"reached"`
}

// Verdict is the goal's result in words.
func (g Goal) Verdict() string {
	if g.Reached {
		return "reached"
	}
	return "NOT reached"
}

// The limits for what the goals call constant and flat. Noise makes two equal
// series differ by some tens of percent; a time that depends on the length would
// be a thousand times as long.
const (
	constantLimit = 2
	flatLimit     = 1.5
)

// Judge sets r.Goals from the measurements. A goal whose measurements are not
// part of the run is left out.
func (r *Report) Judge() {
	r.Goals = nil
	faster := func(what, row, variant string, target float64) {
		r.judge(Goal{What: what, Target: target, AtLeast: true, Unit: "x faster",
			Got: r.microRatio(row, "heap", variant)})
	}
	atMost := func(what, unit string, target, got float64) {
		r.judge(Goal{What: what, Target: target, Unit: unit, Got: got})
	}
	faster("New 8 B, reset and reused, against new", "new-8", "default", 7)
	faster("New 64 B, reset and reused, against new", "new-64", "default", 10)
	faster("New 24 B node, self-contained, against new", "new-node", "self-contained", 10)
	faster("New 24 B node, default arena, against new", "new-node", "default", 4)
	faster("New 24 B node, through Typed, against new", "new-node", "typed", 8)
	faster("AllocString 32 B against strings.Clone", "string-32", "default", 4)
	faster("Append 1,000 ints against append from nil", "append-1000", "default", 4)
	atMost("Get and Put of a warm Pool against sync.Pool's own", "x", 3, r.microRatio("pool", "default", "sync.Pool"))
	if s := r.series("append-1000", "default"); s != nil {
		atMost("Append 1,000 ints in a warm arena", "allocs", 0, s.Mallocs)
	}
	atMost("MakeSliceUninit, 1M ints against 1K ints", "x", constantLimit,
		r.microRatio("uninit", "default, 1M", "default, 1K"))

	r.judgeServers(atMost)

	fullGC := func(s measure.Sample) float64 { return s.FullGC }
	gc := func(a string) []float64 { return r.values("gc10m", a, fullGC) }
	atMost("full GC over the big tree, self-contained against an empty heap", "x", 3,
		measure.Ratio(gc("self-contained"), gc("empty")))
	atMost("full GC over the big tree, default arena against the heap", "x", 1.0/3,
		measure.Ratio(gc("default"), gc("heap")))
	for _, a := range []string{"default", "self-contained"} {
		atMost("bytes reserved for the big tree against its size, "+a, "x", 1.1,
			measure.Median(r.values("gc10m", a, overhead)))
	}
	for _, a := range []string{"default", "self-contained"} {
		if s := r.series("live-1000", a); s != nil {
			atMost("1,000 live arenas with 64 B each, "+a, "bytes", 8<<20, measure.Median(s.Values))
		}
	}
	for _, a := range []string{"default", "self-contained"} {
		atMost("cost of New at 1,000 chunks against 1, "+a, "x", flatLimit,
			r.microRatio("growth", a+", chunks 901-1000", a+", chunks 1-100"))
	}
}

// judgeServers is the part of Judge about requests.
func (r *Report) judgeServers(atMost func(what, unit string, target, got float64)) {
	for _, c := range []struct {
		workload, where string
		faster, sooner  float64
	}{
		{"server-in-process", "without HTTP", 5, 10},
		{"server", "over HTTP", 1.5, 3},
	} {
		on := func(allocator string, pick func(measure.Sample) float64) []float64 {
			return r.values(c.workload, allocator, pick)
		}
		r.judge(Goal{What: "requests per second " + c.where + ", default arenas against the heap", Target: c.faster, AtLeast: true, Unit: "x as many",
			Got: measure.Ratio(on("default", throughput), on("heap", throughput))})
		r.judge(Goal{What: "99th percentile of a request's time " + c.where, Target: c.sooner, AtLeast: true, Unit: "x shorter",
			Got: measure.Ratio(on("heap", ofRequest(p99)), on("default", ofRequest(p99)))})
		rss := func(s measure.Sample) float64 { return float64(s.RSS) }
		atMost("peak RSS of the server "+c.where+", default arenas against the heap", "x", 1,
			measure.Ratio(on("default", rss), on("heap", rss)))
	}
}

func (r *Report) judge(g Goal) {
	if math.IsNaN(g.Got) {
		return
	}
	g.Reached = g.Got <= g.Target
	if g.AtLeast {
		g.Reached = g.Got >= g.Target
	}
	r.Goals = append(r.Goals, g)
}

// microRatio is how many times variant a of a row is variant b; NaN if one of
// them is missing.
func (r *Report) microRatio(row, a, b string) float64 {
	sa, sb := r.series(row, a), r.series(row, b)
	if sa == nil || sb == nil {
		return math.NaN()
	}
	return measure.Ratio(sa.Values, sb.Values)
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

// bound is the target in words.
func (g Goal) bound() string {
	if g.AtLeast {
		return "at least " + g.show(g.Target)
	}
	return "at most " + g.show(g.Target)
}
