package chart

import (
	"html"
	"math"
)

// Bars compares some values of one thing. The values are written at the bars,
// so there is no axis; on a logarithmic scale, where lengths mean nothing by
// themselves, there are lines at the powers of ten.
type Bars struct {
	Title, Desc string
	Scale       Scale
	Bars        []Bar
}

// A Bar is one value. Low and High are its interval, if they differ.
type Bar struct {
	Label            string
	Style            Style
	Value, Low, High float64
	Pale             bool   // the value may be noise
	Text             string // the value in words
	Tip              string
}

const barPitch, barHeight = 21.0, 13.0

// SVG draws the chart.
func (c Bars) SVG() string {
	d := &drawing{height: barPitch*float64(len(c.Bars)) + 2}
	left, right := 0.0, 0.0
	values := []float64{}
	for _, b := range c.Bars {
		left, right = max(left, textWidth(b.Label, fontSize)), max(right, textWidth(b.Text, fontSize))
		values = append(values, b.Value)
	}
	left += 2 * gap
	r := newRuler(Axis{Scale: c.Scale}, values, left, Width-right-4*gap)
	if c.Scale == Log { // from the decade below: the smallest one is a bar too
		r.low = math.Floor(r.low - 0.3)
		for _, v := range r.ticks(12) {
			d.line(r.at(v), 0, r.at(v), d.height, "grid")
		}
	}
	for i, b := range c.Bars {
		c.bar(d, r, b, barPitch*float64(i))
	}
	return d.svg(c.Title, c.Desc)
}

func (c Bars) bar(d *drawing, r ruler, b Bar, y float64) {
	middle, baseline := y+barPitch/2, y+barPitch/2+0.36*fontSize
	class := "label"
	if b.Style.Strong {
		class += " strong"
	}
	d.text(r.from-2*gap, baseline, "end", class, b.Label)
	if !r.shown(b.Value) {
		d.text(r.from+gap, baseline, "start", "soft", b.Text)
		return
	}
	end := max(r.at(b.Value), r.from+1)
	d.put(`<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="bar%s %s"><title>%s</title></rect>`, num(r.from),
		num(middle-barHeight/2),
		num(end-r.from), num(barHeight), paleClass(b.Pale), b.Style.Class, html.EscapeString(b.Tip))
	end = max(end, whisker(d, r, b, middle))
	d.text(end+gap, baseline, "start", class, b.Text)
}

// whisker draws the interval if it can be seen, and returns where it ends. One that would leave
// the ruler is cut there, without the cap that says where it ends.
func whisker(d *drawing, r ruler, b Bar, y float64) float64 {
	if !(b.Low < b.High) || !r.shown(b.Low) {
		return r.from
	}
	limit := r.to + 2*gap
	low, high := max(r.at(b.Low), r.from), min(r.at(b.High), limit)
	if high-low < 3 { // narrower than its own caps
		return high
	}
	d.line(low, y, high, y, "whisker")
	d.line(low, y-3, low, y+3, "whisker")
	if high < limit {
		d.line(high, y-3, high, y+3, "whisker")
	}
	return high
}
