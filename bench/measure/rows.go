package measure

import "github.com/harena-go/arena/bench/suite"

// Rows returns a sample's numbers as the rows that suites of whole programs share. Missing measurements have no row.
func (s Sample) Rows(name, peer string) []suite.Result {
	var rows []suite.Result
	add := func(row, title string, unit suite.Unit, value float64) {
		rows = append(rows, suite.Result{Suite: name, Row: row, Title: title, Peer: peer, Unit: unit,
			Values: []float64{value}})
	}
	if s.Requests > 0 {
		n := float64(s.Requests)
		add("rps", "requests per second", suite.PerSecond, n/s.Wall)
		rows[0].More = true
		l := s.Latency
		add("p50", "time of a request, median", suite.Seconds, l.P50)
		add("p90", "90th percentile", suite.Seconds, l.P90)
		add("p99", "99th percentile", suite.Seconds, l.P99)
		add("p999", "99.9th percentile", suite.Seconds, l.P999)
		add("max", "longest", suite.Seconds, l.Max)
		add("cpu", "CPU time of a request", suite.Seconds, s.CPU/n)
		if s.LoadCPU > 0 {
			add("load-cpu", "CPU time of a request, load process", suite.Seconds, s.LoadCPU/n)
		}
		add("mallocs", "heap allocations of a request", suite.Count, float64(s.Mallocs)/n)
	} else {
		add("wall", "wall time", suite.Seconds, s.Wall)
		add("cpu", "CPU time", suite.Seconds, s.CPU)
		add("mallocs", "heap allocations", suite.Count, float64(s.Mallocs))
	}
	add("gc-cycles", "GC cycles", suite.Count, float64(s.Cycles))
	add("gc-cpu", "GC CPU time", suite.Seconds, s.GCCPU)
	if s.FullGC > 0 {
		add("full-gc", "full GC, result live", suite.Seconds, s.FullGC)
		add("live-heap", "live heap", suite.Bytes, float64(s.LiveHeap))
	}
	add("peak-heap", "peak heap", suite.Bytes, float64(s.PeakHeap))
	if s.RSS > 0 {
		add("peak-rss", "peak RSS", suite.Bytes, float64(s.RSS))
	}
	return rows
}

// LatencyCurve returns the distribution of the requests' times. Its X are quantiles.
func (s Sample) LatencyCurve(name, peer string) suite.Curve {
	return suite.Curve{
		Suite: name, Name: "time of a request", Peer: peer,
		XUnit: suite.Quantile, YUnit: suite.Seconds, YLog: true,
		X: CurveQuantiles, Y: s.Latency.Curve,
	}
}
