package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is text in rows and columns, for the terminal and for the page.
type Table struct {
	Title  string
	Note   string
	Words  int      // leading columns of words; the others are numbers
	Header []string // nil if the rows explain themselves
	Rows   [][]string
	Bars   []Bar // ratios worth a picture
}

// A Bar is one ratio of a chart: how many times less than the heap.
type Bar struct {
	Label string
	Ratio float64
}

// A metric is a row of a workload's table. Less is better, unless more is.
type metric struct {
	name string
	pick func(measure.Sample) float64
	show func(float64) string
	more bool
}

var metrics = []metric{
	{"requests per second", throughput, count, true},
	{"time of a request, median", ofRequest(func(s measure.Sample) float64 { return s.Latency.P50 }), duration, false},
	{"  99th percentile", ofRequest(p99), duration, false},
	{"  99.9th percentile", ofRequest(func(s measure.Sample) float64 { return s.Latency.P999 }), duration, false},
	{"  longest", ofRequest(func(s measure.Sample) float64 { return s.Latency.Max }), duration, false},
	{"CPU time of a request", ofRequest(func(s measure.Sample) float64 { return s.CPU / float64(s.Requests) }), duration, false},
	{"  of the load process", ofRequest(func(s measure.Sample) float64 { return s.LoadCPU / float64(s.Requests) }), duration, false},
	{"wall time", func(s measure.Sample) float64 { return s.Wall }, duration, false},
	{"CPU time", func(s measure.Sample) float64 { return s.CPU }, duration, false},
	{"heap allocations", func(s measure.Sample) float64 { return float64(s.Mallocs) }, count, false},
	{"GC cycles", func(s measure.Sample) float64 { return float64(s.Cycles) }, count, false},
	{"GC CPU time", func(s measure.Sample) float64 { return s.GCCPU }, duration, false},
	{"full GC, result live", func(s measure.Sample) float64 { return s.FullGC }, duration, false},
	{"live heap", func(s measure.Sample) float64 { return float64(s.LiveHeap) }, size, false},
	{"peak heap", func(s measure.Sample) float64 { return float64(s.PeakHeap) }, size, false},
	{"peak RSS", func(s measure.Sample) float64 { return float64(s.RSS) }, size, false},
	{"reserved / asked for", overhead, times, false},
}

// throughput is how many requests were answered in a second; NaN if the workload
// doesn't answer any.
func throughput(s measure.Sample) float64 {
	if s.Requests == 0 {
		return math.NaN()
	}
	return float64(s.Requests) / s.Wall
}

func p99(s measure.Sample) float64 { return s.Latency.P99 }

// ofRequest is pick for workloads that answer requests, and NaN for others.
func ofRequest(pick func(measure.Sample) float64) func(measure.Sample) float64 {
	return func(s measure.Sample) float64 {
		if s.Requests == 0 {
			return math.NaN()
		}
		return pick(s)
	}
}

// overhead is how many times what it asked for a workload got; NaN if it doesn't
// know what it asked for.
func overhead(s measure.Sample) float64 {
	if s.Payload == 0 {
		return math.NaN()
	}
	return float64(s.Reserved) / float64(s.Payload)
}

// Tables are all tables of the report, in the order they are read.
func (r *Report) Tables() []Table {
	var ts []Table
	for _, w := range r.Workloads {
		ts = append(ts, w.table())
	}
	if len(r.Micro) > 0 {
		ts = append(ts, r.microTable())
	}
	if len(r.Goals) > 0 {
		ts = append(ts, r.goalTable())
	}
	return append(ts, r.machineTable())
}

// table has a column for each allocator, and beside each that competes with the
// heap how many times less it took.
func (w *Workload) table() Table {
	t := Table{Title: w.Title, Note: w.Note, Words: 1, Header: []string{"median"}}
	for _, a := range w.Allocators {
		t.Header = append(t.Header, a.Name)
		if w.compares(a.Name) {
			t.Header = append(t.Header, "heap ÷")
		}
	}
	for _, m := range metrics {
		row := []string{m.name}
		empty := true
		for _, a := range w.Allocators {
			v := w.values(a.Name, m.pick)
			empty = empty && !(measure.Median(v) > 0) // NaN is nothing either
			row = append(row, spread(v, m.show))
			if w.compares(a.Name) {
				ratio := w.gain(a.Name, m)
				row = append(row, times(ratio))
				if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
					t.Bars = append(t.Bars, Bar{m.name + ", " + a.Name, ratio})
				}
			}
		}
		if !empty {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// gain is how many times better than the heap an allocator is.
func (w *Workload) gain(allocator string, m metric) float64 {
	heap, v := w.values("heap", m.pick), w.values(allocator, m.pick)
	if m.more {
		return measure.Ratio(v, heap)
	}
	return measure.Ratio(heap, v)
}

// compares says whether the allocator does the heap's work: the scan that
// builds nothing, the empty heap and the server without work don't.
func (w *Workload) compares(allocator string) bool {
	return !slices.Contains([]string{"heap", "scan-only", "empty", "null", "parse-only"}, allocator)
}

func (r *Report) microTable() Table {
	t := Table{
		Title:  "micro: one operation",
		Note:   "Synthetic: a loop that does nothing else, everything in cache. Ratios are medians of rounds in which the variants took turns.",
		Words:  2,
		Header: []string{"operation", "variant", "median", "heap ÷", "heap allocations"},
	}
	for _, m := range r.Micro {
		show := nanos
		if m.Unit == "bytes" {
			show = size
		}
		for i, s := range m.Series {
			title := m.Title
			if i > 0 {
				title = ""
			}
			ratio := math.NaN()
			if base := m.series("heap"); base != nil && s.Variant != "heap" {
				ratio = measure.Ratio(base.Values, s.Values)
				if s.Variant == "experimental" { // another process: its rounds pair with nobody's
					ratio = measure.Median(base.Values) / measure.Median(s.Values)
				}
				if m.Unit == "ns" {
					t.Bars = append(t.Bars, Bar{m.Title + ", " + s.Variant, ratio})
				}
			}
			allocs := none
			if m.Unit == "ns" && m.Name != "growth" {
				allocs = fmt.Sprintf("%.3g", s.Mallocs)
			}
			t.Rows = append(t.Rows, []string{title, s.Variant, spread(s.Values, show), times(ratio), allocs})
		}
	}
	return t
}

func (r *Report) goalTable() Table {
	t := Table{Title: "goals", Words: 4, Header: []string{"what", "target", "measured", "verdict"}}
	for _, g := range r.Goals {
		t.Rows = append(t.Rows, []string{g.What, g.bound(), g.show(g.Got), g.Verdict()})
	}
	return t
}

func (r *Report) machineTable() Table {
	m := r.Machine
	t := Table{Title: "machine", Words: 2, Rows: [][]string{
		{"CPU", m.CPU},
		{"cores", fmt.Sprint(m.Cores)},
		{"system", m.OS},
		{"Go", m.Go},
		{"date", m.Date},
		{"command", m.Command},
		{"rounds", fmt.Sprint(m.Rounds)},
		{"took", duration(m.Seconds)},
	}}
	for _, n := range r.Notes {
		t.Rows = append(t.Rows, []string{"note", n})
	}
	return t
}

// Print writes all tables as text.
func (r *Report) Print(w io.Writer) {
	for _, t := range r.Tables() {
		t.print(w)
	}
}

func (t Table) print(w io.Writer) {
	out := table.NewWriter()
	out.SetOutputMirror(w)
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = text.FormatDefault
	out.Style().Options.SeparateColumns = false
	if t.Header != nil {
		out.AppendHeader(row(t.Header))
	}
	for _, r := range t.Rows {
		out.AppendRow(row(r))
	}
	var right []table.ColumnConfig
	for i := t.Words + 1; i <= len(t.Header); i++ {
		right = append(right, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	out.SetColumnConfigs(right)
	fmt.Fprintf(w, "\n%s\n", t.Title)
	if t.Note != "" {
		fmt.Fprintln(w, t.Note)
	}
	out.Render()
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}
