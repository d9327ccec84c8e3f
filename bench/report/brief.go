package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/jedib0t/go-pretty/v6/table"
)

// An answer is a row of the brief summary. Among harena's peers the named one counts, or without a name the best.
type answer struct{ suite, row, what, means, peer string }

// answers are the possible answers of a run without flags, in the order of the summary.
var answers = []answer{
	{"safe", "request", "a request of 199 objects", "the first gear: Put reuses nothing", suite.FirstGear},
	{"safe", "request-live", "the same beside a million", "", suite.FirstGear},
	{"json", "typed-twitter_status", "JSON, twitter, without an arena", "Batch: ordinary values", suite.HarenaBatch},
	{"server-in-process", "rps", "log server, requests per second", "5 million objects are live beside", ""},
	{"server-in-process", "p99", "its 99th percentile", "what the collector does to the slowest", ""},
	{"server-in-process", "gc-cycles", "its GC cycles", "nothing to collect: memory is used again", ""},
	{"server-in-process", "peak-rss", "its peak memory", "", ""},
	{"gc", "full-gc-10000000", "one full GC, 10 million live nodes", "a self-contained arena isn't looked into", ""},
	{"gc", "build", "building these nodes", "", ""},
	{"slots", "small-oldest", "replacing one of a million nodes", "collections.Slots: nodes that come and go", ""},
	{"micro", "new-64", "New, 64 bytes", "a loop that does nothing else", ""},
	{"micro", "new-node", "New, a node with two pointers", "others hide such pointers from the GC", ""},
	{"micro", "string-32", "a string of 32 bytes", "", ""},
	{"micro", "append-1000", "append, 1,000 ints one by one", "grows where it is", ""},
	{"json", "typed-log line", "JSON, a line of a log, to a struct", "others: the faster of goccy and sonic", ""},
	{"json", "typed-order", "JSON, an order", "", ""},
	{"json", "typed-twitter_status", "JSON, twitter", "", ""},
}

// PrintBrief writes one screen: the most important rows, and their meaning. A ratio is that of medians, with the least
// and the largest of all pairs of rounds.
func (r *Report) PrintBrief(w io.Writer) {
	t := newTable(w, 1)
	t.AppendHeader(table.Row{"what", "Go heap", "best other", "harena", "against the heap", "which means"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 6, WidthMax: 40}})
	for _, a := range answers {
		if row := r.row(a.suite, a.row); row != nil {
			row.answer(t, a)
		}
	}
	fmt.Fprintln(w)
	t.Render()
	fmt.Fprintln(w, `
"JSON": encoding/json is the heap. harena: the better of a default and a self-contained arena. A few rounds of a few
suites: ratios are right to within the range that stands with them, on this machine and today. go run ./bench -full
measures all, in half an hour. What it takes to gain this in a program of your own: docs/is-it-for-me.md.`)
}

// answer adds a row to the summary.
func (w *row) answer(t table.Writer, a answer) {
	base, ours := w.find(w.Base), w.best(suite.Ours)
	if a.peer != "" {
		ours = w.find(a.peer)
	}
	other := w.best(func(peer string) bool { return peer != w.Base && !suite.Ours(peer) })
	if ours == nil || suite.Ours(w.Base) {
		return
	}
	best := none
	if other != nil {
		best = amount(other.Median, w.Unit)
	}
	t.AppendRow(table.Row{a.what, amount(base.Median, w.Unit), best, amount(ours.Median, w.Unit), w.gain(ours, base),
		a.means})
}

// gain says how many times better ours is than base, with the range over the rounds.
func (w *row) gain(ours, base *cell) string {
	over, under := base.values, ours.values
	if w.More {
		over, under = under, over
	}
	var ratios []float64
	for _, x := range over {
		for _, y := range under {
			if y > 0 {
				ratios = append(ratios, x/y)
			}
		}
	}
	switch {
	case len(ratios) > 0:
		return fmt.Sprintf("%s (%s to %s)", times(measure.Median(w.ratios(*ours, *base))), times(slices.Min(ratios)),
			times(slices.Max(ratios)))
	case measure.Median(over) == 0:
		return "the same"
	}
	return "all of it"
}
