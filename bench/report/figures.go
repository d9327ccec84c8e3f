package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/chart"
	"github.com/harena-go/arena/bench/suite"
)

// A figure is a chart with its caption.
type figure struct {
	Caption string
	SVG     string
}

// figures are the charts of a suite: of its rows as its plot says, and of what
// its runs drew on their own.
func (r *Report) figures(s Suite) []figure {
	var fs []figure
	switch s.Plot {
	case "bars":
		for _, g := range r.groups(s) {
			if f, ok := s.dots(g); ok {
				fs = append(fs, f)
			}
		}
	case "lines", "loglog":
		fs = r.linesOf(s)
	}
	return append(fs, r.curvesOf(s)...)
}

// dots shows each row's ratios to the base. Peers that only explain the others
// are left to the table.
func (s Suite) dots(g group) (figure, bool) {
	title := groupTitle(g.Name)
	if g.Name == "" {
		title = s.Title
	}
	base := g.Rows[0].Base
	c := chart.Dots{Title: title, Axis: chart.Axis{Scale: chart.Log, Format: tick(suite.Ratio),
		Title: "times better than " + base + ", logarithmic →"}}
	for _, w := range g.Rows {
		row := chart.DotRow{Label: w.Title}
		if w.Base != base {
			row.Label += " (1x: " + w.Base + ")"
		}
		for _, cell := range w.Cells {
			if !known(cell.Peer) || !(cell.Ratio > 0) {
				continue
			}
			row.Dots = append(row.Dots, chart.Dot{Name: cell.Peer, Style: style(cell.Peer), Value: cell.Ratio,
				Pale: cell.doubt() != "", Tip: tip(cell, w)})
		}
		best := w.best(suite.Ours)
		switch {
		case best == nil || len(row.Dots) == 0:
			continue // we don't take part, or there is nothing to show
		case best.Median == 0: // such as no allocations: there is no ratio, and nothing better
			row.Best = "none"
		default:
			row.Best, row.Doubt = best.against(), best.doubt()
		}
		row.Class = style(best.Peer).Class
		c.Rows = append(c.Rows, row)
	}
	c.Desc = fmt.Sprintf("%d rows; in each a dot for every peer, at how many times better than %s it is",
		len(c.Rows), base)
	return figure{title, c.SVG()}, len(c.Rows) > 0
}

// tip is what a dot says to a mouse that rests on it.
func tip(c cell, w row) string {
	text := fmt.Sprintf("%s: %s, %s", c.Peer, withSpread(c.Summary, w.Unit), c.against())
	if d := c.doubt(); d != "" {
		text += ", " + d
	}
	return text
}

// linesOf draws the rows that have a place on the axis, a chart for each group
// and unit.
func (r *Report) linesOf(s Suite) []figure {
	type key struct {
		group string
		unit  suite.Unit
	}
	var keys []key
	charts := map[key]*chart.Lines{}
	scale := chart.Linear
	if s.Plot == "loglog" {
		scale = chart.Log
	}
	rows := r.rows(s)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.X, b.X) })
	for _, w := range rows {
		if w.X == 0 {
			continue
		}
		k := key{w.Group, w.Unit}
		c := charts[k]
		if c == nil {
			title := cmp.Or(titles[w.Group], w.Group, s.Title)
			c = &chart.Lines{Title: title, Desc: "a line for each peer, with the interval of the median",
				X: chart.Axis{Scale: scale, Format: tick(suite.Count), Title: axisTitle(s)},
				Y: chart.Axis{Scale: scale, Format: tick(w.Unit), Title: unitName(w.Unit, scale),
					Binary: w.Unit == suite.Bytes}}
			charts[k] = c
			keys = append(keys, k)
		}
		for _, cell := range w.Cells {
			addPoint(c, cell, w)
		}
	}
	var fs []figure
	for _, k := range keys {
		if c := charts[k]; slices.ContainsFunc(c.Lines, func(l chart.Line) bool { return len(l.X) > 1 }) {
			slices.SortStableFunc(c.Lines, func(a, b chart.Line) int {
				return cmp.Compare(place(s.Peers, a.Name),
					place(s.Peers, b.Name))
			})
			fs = append(fs, figure{c.Title, c.SVG()})
		}
	}
	return fs
}

func addPoint(c *chart.Lines, at cell, w row) {
	i := slices.IndexFunc(c.Lines, func(l chart.Line) bool { return l.Name == at.Peer })
	if i < 0 {
		c.Lines = append(c.Lines, chart.Line{Name: at.Peer, Style: style(at.Peer)})
		i = len(c.Lines) - 1
	}
	l := &c.Lines[i]
	l.X, l.Y = append(l.X, w.X), append(l.Y, at.Median)
	l.Low, l.High = append(l.Low, at.Low), append(l.High, at.High)
	tip := fmt.Sprintf("%s, %s: %s", at.Peer, w.Title, withSpread(at.Summary, w.Unit))
	before := l.Tip
	n := len(l.X) - 1
	l.Tip = func(i int) string {
		if i == n || before == nil {
			return tip
		}
		return before(i)
	}
}

// axisTitle says what X is in the suites that are drawn as lines.
func axisTitle(s Suite) string {
	switch s.Name {
	case "gc":
		return "live objects"
	case "scale":
		return "goroutines"
	case "small":
		return "objects in a request"
	}
	return ""
}

func unitName(u suite.Unit, scale chart.Scale) string {
	name := map[suite.Unit]string{suite.Seconds: "time", suite.Bytes: "bytes", suite.BytesPerSecond: "bytes per second",
		suite.PerSecond: "per second", suite.Ratio: "ratio", suite.Count: "number"}[u]
	if scale == chart.Log {
		name += ", logarithmic"
	}
	return name
}

// curvesOf draws what the runs of the suite drew on their own: all peers'
// curves of one name together.
func (r *Report) curvesOf(s Suite) []figure {
	var fs []figure
	done := map[string]bool{}
	for _, first := range r.Curves {
		if first.Suite != s.Name || done[first.Name] {
			continue
		}
		done[first.Name] = true
		c := chart.Lines{Title: title(first.Name), Desc: "a line for each peer, of one round",
			X: axis(first.XUnit, first.XLog), Y: axis(first.YUnit, first.YLog)}
		if first.XUnit == suite.Quantile {
			c.X = chart.Axis{Scale: chart.Quantile, Format: percentile, Title: "of all requests are answered within"}
		}
		for _, v := range r.Curves {
			if v.Suite == s.Name && v.Name == first.Name && len(v.X) > 1 {
				x, y := thin(v.X, v.Y)
				c.Lines = append(c.Lines, chart.Line{Name: v.Peer, Style: style(v.Peer), X: x, Y: y})
			}
		}
		if len(c.Lines) == 0 {
			continue
		}
		slices.SortStableFunc(c.Lines, func(a, b chart.Line) int {
			return cmp.Compare(place(s.Peers, a.Name),
				place(s.Peers, b.Name))
		})
		fs = append(fs, figure{c.Title, c.SVG()})
	}
	return fs
}

func percentile(q float64) string { return plainPercent(q) + "%" }

// plainPercent keeps all the nines, which three digits would round up to 100.
func plainPercent(q float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", 100*q), "0"), ".")
}

func axis(u suite.Unit, log bool) chart.Axis {
	a := chart.Axis{Format: tick(u), Title: unitName(u, chart.Linear), Binary: u == suite.Bytes}
	if log {
		a.Scale, a.Title = chart.Log, unitName(u, chart.Log)
	}
	return a
}

// title makes a heading of a name.
func title(name string) string {
	return strings.ToUpper(name[:1]) + name[1:]
}

// mostPoints are drawn of a curve: more can't be told apart.
const mostPoints = 200

// thin keeps the highest of each few neighbouring points, so that peaks stay,
// and the last one.
func thin(x, y []float64) (tx, ty []float64) {
	n := min(len(x), len(y))
	step := (n + mostPoints - 1) / mostPoints
	for i := 0; i < n; i += max(step, 1) {
		high := i
		for k := i; k < min(i+step, n); k++ {
			if y[k] > y[high] {
				high = k
			}
		}
		tx, ty = append(tx, x[high]), append(ty, y[high])
	}
	if n > 0 && tx[len(tx)-1] != x[n-1] {
		tx, ty = append(tx, x[n-1]), append(ty, y[n-1])
	}
	return tx, ty
}
