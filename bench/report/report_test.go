package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/micro"
)

// sample is a report of three rounds with every measurement that a goal needs.
// All goals are reached.
func sample() *Report {
	r := &Report{Machine: Machine{CPU: "Test <CPU>", Cores: 2, Go: "go1.99", Rounds: 3}}
	runs := func(gc float64, reserved uint64) (v []measure.Sample) {
		for range 3 {
			v = append(v, measure.Sample{Wall: 1.5, FullGC: gc, Mallocs: 1_234_567, Reserved: reserved, Payload: 1000})
		}
		return v
	}
	r.Workloads = []Workload{{Name: "gc10m", Title: "the big tree", Allocators: []Allocator{
		{"heap", runs(0.090, 1000)},
		{"default", runs(0.020, 1050)},
		{"self-contained", runs(0.0002, 1010)},
		{"empty", runs(0.0001, 0)},
	}}}
	for _, name := range []string{"server", "server-in-process"} {
		answers := func(wall, p99 float64, rss uint64) (v []measure.Sample) {
			for range 3 {
				v = append(v, measure.Sample{Requests: 1000, Wall: wall, Latency: measure.Latency{P50: p99 / 4, P99: p99, P999: 0.5, Max: 0.75}, RSS: rss})
			}
			return v
		}
		r.Workloads = append(r.Workloads, Workload{Name: name, Title: name, Allocators: []Allocator{
			{"heap", answers(0.0625, 0.0044, 700)},
			{"default", answers(0.0125, 0.00044, 700)},
			{"null", answers(0.005, 0.0002, 100)},
		}})
	}
	row := func(name string, series ...micro.Series) {
		unit := "ns"
		if name == "live-1000" {
			unit = "bytes"
		}
		r.Micro = append(r.Micro, MicroRow{name, "title of " + name, unit, series})
	}
	is := func(variant string, v float64) micro.Series {
		return micro.Series{Variant: variant, Values: []float64{v, v, v}}
	}
	for _, name := range []string{"new-8", "new-64", "new-node", "string-32", "append-1000"} {
		row(name, is("heap", 22), is("default", 2), is("typed", 2), is("self-contained", 2))
	}
	row("uninit", is("default, 1K", 50), is("default, 1M", 60))
	row("live-1000", is("heap", 64000), is("default", 4<<20), is("self-contained", 5<<20))
	row("growth", is("default, chunks 1-100", 10), is("default, chunks 901-1000", 11),
		is("self-contained, chunks 1-100", 10), is("self-contained, chunks 901-1000", 9))
	return r
}

func TestGoalsOfAGoodRun(t *testing.T) {
	r := sample()
	r.Judge()
	if len(r.Goals) != 23 {
		t.Errorf("%d goals, want 23", len(r.Goals))
	}
	for _, g := range r.Goals {
		if !g.Reached {
			t.Errorf("%s: %s, target %s: not reached", g.What, g.show(g.Got), g.bound())
		}
	}
}

// TestGoalsThatAreMissed makes one measurement bad at a time: exactly the goals
// that depend on it fall.
func TestGoalsThatAreMissed(t *testing.T) {
	set := func(row, variant string, v float64) func(*Report) {
		return func(r *Report) { r.series(row, variant).Values = []float64{v, v, v} }
	}
	run := func(i int, change func(*measure.Sample)) func(*Report) {
		return func(r *Report) {
			for k := range r.Workloads[0].Allocators[i].Runs {
				change(&r.Workloads[0].Allocators[i].Runs[k])
			}
		}
	}
	server := func(w int, change func(*measure.Sample)) func(*Report) {
		return func(r *Report) {
			for k := range r.Workloads[w].Allocators[1].Runs {
				change(&r.Workloads[w].Allocators[1].Runs[k])
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(*Report)
		lost  string // what the lost goal starts with
	}{
		"slow New":          {set("new-64", "default", 2.3), "New 64 B"},
		"slow nodes":        {set("new-node", "typed", 2.8), "New 24 B node, through Typed"},
		"slow strings":      {set("string-32", "default", 5.6), "AllocString"},
		"an allocation":     {func(r *Report) { r.series("append-1000", "default").Mallocs = 0.1 }, "Append 1,000 ints in a warm"},
		"length matters":    {set("uninit", "default, 1M", 101), "MakeSliceUninit"},
		"self-contained GC": {run(2, func(s *measure.Sample) { s.FullGC = 0.00031 }), "full GC over the big tree, self-contained"},
		"default GC":        {run(1, func(s *measure.Sample) { s.FullGC = 0.031 }), "full GC over the big tree, default"},
		"wasteful":          {run(2, func(s *measure.Sample) { s.Reserved = 1101 }), "bytes reserved for the big tree against its size, self-contained"},
		"slow requests":     {server(2, func(s *measure.Sample) { s.Wall = 0.0126 }), "requests per second without HTTP"},
		"slow over HTTP":    {server(1, func(s *measure.Sample) { s.Wall = 0.042 }), "requests per second over HTTP"},
		"a tail":            {server(2, func(s *measure.Sample) { s.Latency.P99 = 0.00045 }), "99th percentile of a request's time without HTTP"},
		"a tail over HTTP":  {server(1, func(s *measure.Sample) { s.Latency.P99 = 0.0015 }), "99th percentile of a request's time over HTTP"},
		"a large server":    {server(1, func(s *measure.Sample) { s.RSS = 701 }), "peak RSS of the server over HTTP"},
		"a large process":   {server(2, func(s *measure.Sample) { s.RSS = 701 }), "peak RSS of the server without HTTP"},
		"big first chunk":   {set("live-1000", "default", 8<<20+1), "1,000 live arenas with 64 B each, default"},
		"slower with each":  {set("growth", "default, chunks 901-1000", 16), "cost of New at 1,000 chunks against 1, default"},
	} {
		r := sample()
		c.spoil(r)
		r.Judge()
		var lost []string
		for _, g := range r.Goals {
			if !g.Reached {
				lost = append(lost, g.What)
			}
		}
		if len(lost) != 1 || !strings.HasPrefix(lost[0], c.lost) {
			t.Errorf("%s: lost %q, want only %q...", name, lost, c.lost)
		}
	}
}

func TestGoalsNeedMeasurements(t *testing.T) {
	r := &Report{}
	r.Judge()
	if len(r.Goals) != 0 {
		t.Errorf("goals without measurements: %+v", r.Goals)
	}
	r = sample()
	r.Micro = r.Micro[:1]
	r.Workloads = nil
	r.Judge()
	if len(r.Goals) != 1 {
		t.Errorf("%d goals for one micro row, want 1: %+v", len(r.Goals), r.Goals)
	}
}

func TestPrint(t *testing.T) {
	r := sample()
	r.series("new-8", "default").Values = []float64{11, 11, 11}
	r.Notes = []string{"a note"}
	r.Judge()
	var b strings.Builder
	r.Print(&b)
	out := b.String()
	for _, want := range []string{
		"the big tree", "full GC, result live", "90.0 ms", "20.0 ms", "4.50x", "1,234,567", "1.05x",
		"title of new-64", "11.0x", "NOT reached", "reached", "2x faster", "at least 7x faster",
		"Test <CPU>", "a note", "requests per second", "16,000", "80,000", "5.00x", "99th percentile", "440 µs", "10.0x",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the tables lack %q:\n%s", want, out)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(out, bad) {
			t.Errorf("the tables contain %q:\n%s", bad, out)
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	r := sample()
	r.Judge()
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<svg", "prefers-color-scheme: dark", "Test &lt;CPU&gt;", `class="good"`, "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"http:", "https:", "<script", "<link", "NaN", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

func TestChartStaysInItsFrame(t *testing.T) {
	c := chart([]Bar{{"same", 1}, {"better", 1000}, {"worse", 0.01}, {"nothing", 0}})
	for _, b := range c.Bars {
		if b.X < labelW-1 || b.X+b.W > labelW+plotW+1 || math.IsNaN(b.X) {
			t.Errorf("%s: the bar runs from %v to %v, the frame is %v to %v", b.Label, b.X, b.X+b.W, labelW, labelW+plotW)
		}
	}
	if c.Bars[1].X != c.Axis || math.Abs(c.Bars[2].X+c.Bars[2].W-c.Axis) > 1e-9 {
		t.Error("bars don't start at the line of the heap")
	}
	if chart(nil) != nil {
		t.Error("a chart of nothing")
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration(1.2345), "1.23 s"},
		{duration(0.0123), "12.3 ms"},
		{duration(0.000123), "123 µs"},
		{nanos(1.05), "1.05 ns"},
		{size(100), "100 B"},
		{size(8 << 20), "8.00 MiB"},
		{size(1.5 * (1 << 30)), "1.50 GiB"},
		{count(0), "0"},
		{count(999), "999"},
		{count(1000), "1,000"},
		{count(1234567), "1,234,567"},
		{times(12.34), "12.3x"},
		{times(12345), "12,345x"},
		{times(math.NaN()), "-"},
		{spread([]float64{1, 2, 3}, times), "2.00x ±50%"},
		{spread([]float64{2, 2}, times), "2.00x"},
		{spread(nil, times), "-"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	r := sample()
	r.Judge()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	back.Judge()
	if len(back.Goals) != len(r.Goals) || back.Goals[0] != r.Goals[0] {
		t.Errorf("judged again from JSON: %+v, want %+v", back.Goals, r.Goals)
	}
}
