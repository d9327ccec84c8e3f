package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/suite"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const chartWidth = 460.0

// charts draws a suite: its rows in the form of its plot, and the curves of its runs.
func (r *Report) charts(s suite.Suite) (all []string) {
	add := func(svg string) {
		if svg != "" {
			all = append(all, svg)
		}
	}
	switch s.Plot {
	case suite.Bars:
		for _, g := range r.groups(s) {
			add(g.dots())
		}
	case suite.LogLog:
		add(r.lines(s, s.Title, ""))
	}
	add(r.curves(s))
	return all
}

// dots draws each row's ratios to the base, "" if there are none.
func (g group) dots() string {
	var rows []row
	points := map[string][2]plotter.XYs{} // sure, and pale
	low, high := 1.0, 1.0
	for _, w := range slices.Backward(g.Rows) {
		has := false
		for _, c := range w.Cells {
			if !(c.Ratio > 0) || math.IsInf(c.Ratio, 0) {
				continue
			}
			has = true
			xys, pale := points[c.Peer], 0
			if !c.Sure {
				pale = 1
			}
			xys[pale] = append(xys[pale], plotter.XY{X: c.Ratio, Y: float64(len(rows))})
			points[c.Peer] = xys
			low, high = min(low, c.Ratio), max(high, c.Ratio)
		}
		if has {
			rows = append(rows, w)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	p := newPlot(groupTitle(g.Name))
	var labels []string
	for _, w := range rows {
		labels = append(labels, w.Title)
	}
	p.NominalY(labels...)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(suite.Ratio)
	p.X.Label.Text = "times better than " + rows[0].Base
	top := float64(len(rows)) - 0.4
	base := line(plotter.XYs{{X: 1, Y: -0.6}, {X: 1, Y: top}}, "heap", 1.4)
	p.Add(base)
	for _, peer := range ordered(points) {
		for pale, xys := range points[peer] {
			if s, err := plotter.NewScatter(xys); err == nil && len(xys) > 0 {
				s.GlyphStyle = lookOf(peer).style(pale == 1)
				p.Add(s)
			}
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low/1.15, high*1.15, -0.6, top
	alt := fmt.Sprintf("%s: %d rows, in each a mark for every peer, at how many times better than %s it is",
		groupTitle(g.Name), len(rows), rows[0].Base)
	return svg(p, chartWidth, 64+20*float64(len(rows)), alt, "")
}

// ordered returns the peers, those of this project last, so that they are drawn above the others.
func ordered[T any](of map[string]T) []string {
	place := func(peer string) int {
		i := slices.IndexFunc(suite.All(), func(p suite.Peer) bool { return p.Name == peer })
		if suite.Ours(peer) {
			i += 1000
		}
		return i
	}
	return slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(place(a)-place(b), strings.Compare(a, b))
	})
}

// line never fails, since all points are numbers.
func line(xys plotter.XYs, colour string, width float64) *plotter.Line {
	l, err := plotter.NewLine(xys)
	if err != nil {
		panic(err)
	}
	l.LineStyle = draw.LineStyle{Color: ink(colour), Width: vg.Length(width)}
	return l
}

// addLine adds the line of a peer, with a mark at each point if there are few.
func addLine(p *plot.Plot, peer string, xys plotter.XYs) {
	look := lookOf(peer)
	l := line(xys, look.Colour, 1.4)
	s, err := plotter.NewScatter(xys)
	if err != nil {
		panic(err)
	}
	s.GlyphStyle = look.style(false)
	p.Add(l, s)
	p.Legend.Add(peer, l, s)
}

// lines draws the rows of a suite that have a place on the axis, a line for each peer; "" if there are none.
func (r *Report) lines(s suite.Suite, title, style string) string {
	points := map[string]plotter.XYs{}
	for _, m := range r.Results {
		if m.Suite == s.Name && m.X > 0 && m.Unit == suite.Seconds {
			y := r.row(s.Name, m.Row).find(m.Peer).Median
			points[m.Peer] = append(points[m.Peer], plotter.XY{X: m.X, Y: y})
		}
	}
	if len(points) == 0 {
		return ""
	}
	p := newPlot(title)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(suite.Count)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks(suite.Seconds)
	p.X.Label.Text = map[string]string{"gc": "live objects", "small": "objects in a request"}[s.Name]
	for _, peer := range ordered(points) {
		addLine(p, peer, points[peer])
	}
	p.Y.Max *= 3 // room for the legend
	return svg(p, chartWidth, 300, title+": a line for each peer", style)
}

// curves draws the distributions of the requests' times, "" if there are none.
func (r *Report) curves(s suite.Suite) string {
	points := map[string]plotter.XYs{}
	for _, c := range r.Curves {
		for i, x := range c.X {
			if c.Suite == s.Name && c.Y[i] > 0 {
				points[c.Peer] = append(points[c.Peer], plotter.XY{X: nines(x), Y: c.Y[i]})
			}
		}
	}
	if len(points) == 0 {
		return ""
	}
	p := newPlot("Time of a request")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks(suite.Seconds)
	p.X.Label.Text = "of all requests are answered within"
	var ticks plot.ConstantTicks
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		ticks = append(ticks, plot.Tick{Value: nines(q), Label: fmt.Sprintf("%.4g%%", 100*q)})
	}
	p.X.Tick.Marker = ticks
	for _, peer := range ordered(points) {
		addLine(p, peer, points[peer])
	}
	p.Y.Max *= 3
	return svg(p, chartWidth, 300, "Time of a request: a line for each peer, of one round", "")
}

// nines returns the place of a quantile on an axis with equal distances between 0.9, 0.99 and 0.999.
func nines(q float64) float64 { return -math.Log10(1 - q) }

// logTicks are at 1, 2 and 5 of each power of ten, or at the powers alone if there are many.
type logTicks suite.Unit

func (u logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	steps := []float64{1, 2, 5}
	if high > 300*low {
		steps = steps[:1]
	}
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, step := range steps {
			if v := step * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: tick(v, suite.Unit(u))})
			}
		}
	}
	return ticks
}

// WriteCharts writes the README's charts of the measured suites into a directory.
func (r *Report) WriteCharts(dir string) error {
	files := map[string]string{"new.svg": r.bars("micro", "new-64", "One new object of 64 bytes")}
	for _, s := range r.Suites {
		if s.Name == "gc" {
			files["gc.svg"] = r.lines(s, "One full garbage collection, by live objects", theme)
		}
	}
	for name, text := range files {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("can't write a chart: %w", err)
		}
	}
	return nil
}

// bars draws a row with all peers, best first; "" if it wasn't measured.
func (r *Report) bars(in, name, title string) string {
	w := r.row(in, name)
	if w == nil {
		return ""
	}
	p := newPlot(title)
	var names []string
	texts := plotter.XYLabels{}
	for i, c := range slices.Backward(w.sorted()) {
		at := float64(len(w.Cells) - 1 - i)
		b, err := plotter.NewBarChart(plotter.Values{c.Median}, 11)
		if err != nil {
			panic(err) // it is a number
		}
		b.Horizontal, b.XMin, b.Color, b.LineStyle.Width = true, at, ink(lookOf(c.Peer).Colour), 0
		p.Add(b)
		names = append(names, c.Peer)
		texts.XYs = append(texts.XYs, plotter.XY{X: c.Median, Y: at})
		texts.Labels = append(texts.Labels, strings.TrimSpace(amount(c.Median, w.Unit)+"  "+c.against()))
	}
	labels, err := plotter.NewLabels(texts)
	if err != nil {
		panic(err)
	}
	labels.Offset = vg.Point{X: 4, Y: -3}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color, labels.TextStyle[i].Font.Size = ink("ink"), 10
	}
	p.Add(labels)
	p.NominalY(names...)
	p.HideX()
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.X.Min, p.X.Max = 0, 1.4*w.sorted()[len(w.Cells)-1].Median
	return svg(p, chartWidth, 48+18*float64(len(names)), title+": time by allocator, less is better", theme)
}
