package chart

import (
	"math"
	"slices"
	"strings"
)

// Lines shows how one thing depends on another. The lines carry their names at
// their ends.
type Lines struct {
	Title, Desc string
	X, Y        Axis
	Lines       []Line
}

// A Line is one subject's points, in the order of X. Low and High are the
// intervals of Y; nil if there are none.
type Line struct {
	Name      string
	Style     Style
	X, Y      []float64
	Low, High []float64
	Tip       func(i int) string // of a point; nil for none
}

const (
	plotTop    = 20.0
	plotHeight = 190.0
	labelPitch = 13.0
	mostMarked = 12 // points on a line that are marked
)

// SVG draws the chart.
func (c Lines) SVG() string {
	d := &drawing{}
	var xs, ys []float64
	right, labels := 0.0, 0
	for _, l := range c.Lines {
		for i := range l.X {
			if c.X.shown(l.X[i]) && c.Y.shown(l.Y[i]) {
				xs, ys = append(xs, l.X[i]), append(ys, l.Y[i])
			}
		}
		for _, part := range split(l.Name) {
			labels++
			right = max(right, textWidth(part, small))
		}
	}
	bottom := plotTop + max(plotHeight, labelPitch*float64(labels))
	y := newRuler(c.Y, ys, bottom, plotTop).pad(0.04)
	yTicks := y.ticks(6)
	left := 0.0
	for _, v := range yTicks {
		left = max(left, textWidth(c.Y.Format(v), small))
	}
	left += 2 * gap
	x := newRuler(c.X, xs, left, Width-right-14)
	for _, v := range yTicks {
		d.line(x.from, y.at(v), x.to, y.at(v), "grid")
		d.text(left-gap-2, y.at(v)+3.6, "end", "tick", c.Y.Format(v))
	}
	for _, v := range thin(x, x.ticks(6)) {
		d.line(x.at(v), bottom, x.at(v), bottom+3, "axis")
		d.text(within(x.at(v), c.X.Format(v)), bottom+14, "middle", "tick", c.X.Format(v))
	}
	d.line(x.from, bottom, x.to, bottom, "axis")
	d.text(1, 10, "start", "soft", c.Y.Title)
	d.text(x.to, bottom+29, "end", "soft", c.X.Title)
	for _, l := range c.Lines {
		l.band(d, x, y)
	}
	for _, strong := range []bool{false, true} {
		for _, l := range c.Lines {
			if l.Style.Strong == strong {
				l.draw(d, x, y)
			}
		}
	}
	c.names(d, x, y)
	d.height = bottom + 35
	return d.svg(c.Title, c.Desc)
}

// band fills the interval around a line.
func (l Line) band(d *drawing, x, y ruler) {
	if len(l.X) < 2 || len(l.Low) != len(l.X) || len(l.High) != len(l.X) {
		return
	}
	var there, back []string
	for i := range l.X {
		if !x.shown(l.X[i]) || !y.shown(l.Low[i]) || !y.shown(l.High[i]) {
			continue
		}
		clip := func(v float64) float64 { return max(y.to, min(y.at(v), y.from)) }
		there = append(there, num(x.at(l.X[i]))+","+num(clip(l.High[i])))
		back = append(back, num(x.at(l.X[i]))+","+num(clip(l.Low[i])))
	}
	slices.Reverse(back)
	d.put(`<polygon points="%s" class="band %s"/>`, strings.Join(append(there, back...), " "), l.Style.Class)
}

// draw puts the line and, if they are few, its points.
func (l Line) draw(d *drawing, x, y ruler) {
	class := "line " + l.Style.Class
	if l.Style.Strong {
		class += " strong"
	}
	var path []string
	for i := range l.X {
		if x.shown(l.X[i]) && y.shown(l.Y[i]) {
			path = append(path, num(x.at(l.X[i]))+","+num(y.at(l.Y[i])))
		}
	}
	d.put(`<polyline points="%s" class="%s"/>`, strings.Join(path, " "), class)
	for i := range l.X {
		if x.shown(l.X[i]) && y.shown(l.Y[i]) && (len(l.X) <= mostMarked || i == len(l.X)-1) {
			tip := ""
			if l.Tip != nil {
				tip = l.Tip(i)
			}
			d.marker(x.at(l.X[i]), y.at(l.Y[i]), l.Style, tip)
		}
	}
}

// A name is a line's label, on its way to a place where it touches no other.
type name struct {
	line Line
	x, y float64 // where the line ends
	at   float64 // where the label is
}

// names puts each label beside the end of its line, or as near as the others
// allow, with a thin line to it.
func (c Lines) names(d *drawing, x, y ruler) {
	var ns []name
	for _, l := range c.Lines {
		for i := len(l.X) - 1; i >= 0; i-- {
			if x.shown(l.X[i]) && y.shown(l.Y[i]) {
				ns = append(ns, name{l, x.at(l.X[i]), y.at(l.Y[i]), y.at(l.Y[i])})
				break
			}
		}
	}
	slices.SortStableFunc(ns, func(a, b name) int { return int(math.Copysign(1, a.at-b.at)) })
	spread(ns, y.to, y.from)
	for _, n := range ns {
		if n.x < x.to-1 || math.Abs(n.at-n.y) > 2 {
			d.put(`<path d="M%s %sL%s %sL%s %s" class="leader"/>`, num(n.x), num(n.y), num(x.to+3), num(n.y),
				num(x.to+9), num(n.at))
		}
		class := "tick text-" + n.line.Style.Class
		if n.line.Style.Strong {
			class += " strong"
		}
		parts := split(n.line.Name)
		for i, part := range parts {
			d.text(x.to+11, n.at+3.6+labelPitch*(float64(i)-float64(len(parts)-1)/2), "start", class, part)
		}
	}
}

// split breaks a long name at its first hyphen: names beside the lines take away
// from the lines' room.
func split(name string) []string {
	const long = 14
	if i := strings.IndexByte(name, '-'); len(name) > long && i > 0 {
		return []string{name[:i+1], name[i+1:]}
	}
	return []string{name}
}

// half is how far the label reaches above and below its middle.
func (n name) half() float64 { return labelPitch / 2 * float64(len(split(n.line.Name))) }

// spread moves labels apart, downwards and then back up from the bottom. They
// are in order from top to bottom and there is room for all.
func spread(ns []name, top, bottom float64) {
	edge := top - labelPitch/2
	for i := range ns {
		ns[i].at = max(ns[i].at, edge+ns[i].half())
		edge = ns[i].at + ns[i].half()
	}
	edge = bottom + labelPitch/2
	for i := len(ns) - 1; i >= 0; i-- {
		ns[i].at = min(ns[i].at, edge-ns[i].half())
		edge = ns[i].at - ns[i].half()
	}
}
