package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/harena-go/arena/bench/chart"
)

// WriteCharts writes the charts of the README into a directory: new.svg,
// gc.svg and latency.svg, of those whose suites were run. They are light or dark
// as the reader's browser is.
func (r *Report) WriteCharts(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("there is no place for the charts: %w", err)
	}
	for _, c := range []struct {
		file, heading, caption string
		draw                   func() (string, bool)
	}{
		{"new.svg", "One new object of 64 bytes", "time, and how many times better than the heap",
			func() (string, bool) { return r.barsOf("micro", "new-64") }},
		{"gc.svg", "What one full garbage collection costs", "with this many objects live; less is better", r.gcCurve},
		{"latency.svg", "99th percentile of a request", "time, and how many times better than the heap",
			func() (string, bool) { return r.barsOf("server-in-process", "p99") }},
	} {
		svg, ok := c.draw()
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(chart.Standalone(svg, c.heading, c.caption)),
			0o666); err != nil {
			return fmt.Errorf("can't write a chart: %w", err)
		}
	}
	return nil
}

// barsOf draws a row with all peers that have a name, best first.
func (r *Report) barsOf(suite, name string) (svg string, ok bool) {
	s := r.suite(suite)
	if s == nil {
		return "", false
	}
	rows := r.rows(*s)
	i := slices.IndexFunc(rows, func(w row) bool { return w.Name == name })
	if i < 0 {
		return "", false
	}
	w := rows[i]
	c := chart.Bars{Title: w.Title, Desc: "a bar for each peer, with the interval of the median"}
	for _, cell := range w.sorted() {
		if known(cell.Peer) {
			c.Bars = append(c.Bars, bar(w, cell))
		}
	}
	return c.SVG(), len(c.Bars) > 1
}

func bar(w row, c cell) chart.Bar {
	text := amount(c.Median, w.Unit)
	if a := c.against(); a != "" {
		text += "  " + a
	}
	if d := c.doubt(); d != "" {
		text += ", " + d
	}
	return chart.Bar{Label: c.Peer, Style: style(c.Peer), Value: c.Median, Pale: c.doubt() != "", Low: c.Low,
		High: c.High, Text: text,
		Tip: c.Peer + ": " + withSpread(c.Summary, w.Unit)}
}

// gcCurve is the first figure of the suite about the collector.
func (r *Report) gcCurve() (svg string, ok bool) {
	s := r.suite("gc")
	if s == nil {
		return "", false
	}
	fs := r.linesOf(*s)
	if len(fs) == 0 {
		return "", false
	}
	return fs[0].SVG, true
}
