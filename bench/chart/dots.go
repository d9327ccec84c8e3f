package chart

import (
	"math"
	"strings"
)

// Dots shows many rows of one table at a glance: in each row a dot for every
// subject, on one logarithmic axis. Which mark is whose is not said in the chart
// (Key): several charts beside each other share a legend.
type Dots struct {
	Title, Desc string
	Axis        Axis
	Rows        []DotRow
}

// A DotRow is one row. Best is written at its right end.
type DotRow struct {
	Label string
	Best  string
	Class string // the colour of Best
	Doubt string // why Best may be noise, or ""
	Dots  []Dot
}

// A Dot is one subject's value in a row.
type Dot struct {
	Name  string
	Style Style
	Value float64
	Pale  bool // the value may be noise
	Tip   string
}

const dotPitch = 31.0

// SVG draws the chart. Strong dots come last, on top of the others.
func (c Dots) SVG() string {
	d := &drawing{}
	values := []float64{1}
	for _, row := range c.Rows {
		for _, dot := range row.Dots {
			values = append(values, dot.Value)
		}
	}
	r := newRuler(c.Axis, values, 8, Width-8).pad(0.02)
	top, bottom := 2.0, 2+dotPitch*float64(len(c.Rows))
	ticks := thin(r, r.ticks(6))
	for _, v := range ticks {
		d.text(within(r.at(v), c.Axis.Format(v)), bottom+13, "middle", "tick", c.Axis.Format(v))
	}
	for i, row := range c.Rows {
		row.draw(d, r, ticks, top+dotPitch*float64(i))
	}
	d.text(Width-2, bottom+28, "end", "soft", c.Axis.Title)
	d.height = bottom + 34
	return d.svg(c.Title, c.Desc)
}

// draw puts a row below y. The lines of the ticks leave out its label.
func (row DotRow) draw(d *drawing, r ruler, ticks []float64, y float64) {
	best, class := row.Best, "label strong text-"+row.Class
	if row.Doubt != "" {
		class = "soft"
		long := best + ", " + row.Doubt // left to the mark's tip where there is no room
		if textWidth(row.Label, fontSize)+textWidth(long, fontSize) <= Width-4*gap {
			best = long
		}
	}
	d.text(2, y+11, "start", "label", shorten(row.Label, Width-4*gap-textWidth(best, fontSize+1)))
	if best != "" {
		d.text(Width-2, y+11, "end", class, best)
	}
	for _, v := range ticks {
		d.line(r.at(v), y+15, r.at(v), y+27, "grid")
	}
	d.line(r.at(1), y+14, r.at(1), y+28, "base")
	low, high := math.Inf(1), math.Inf(-1)
	for _, dot := range row.Dots {
		if r.shown(dot.Value) {
			low, high = min(low, r.at(dot.Value)), max(high, r.at(dot.Value))
		}
	}
	if low < high {
		d.line(low, y+21, high, y+21, "rail")
	}
	for _, strong := range []bool{false, true} {
		for _, dot := range row.Dots {
			if dot.Style.Strong == strong && r.shown(dot.Value) {
				style := dot.Style
				style.Class += paleClass(dot.Pale)
				d.marker(r.at(dot.Value), y+21, style, dot.Tip)
			}
		}
	}
}

// shorten cuts words that are too wide for their place.
func shorten(words string, width float64) string {
	if textWidth(words, fontSize) <= width {
		return words
	}
	runes := []rune(words)
	fits := int(width/textWidth("x", fontSize)) - 1
	return strings.TrimRight(string(runes[:max(fits, 0)]), " ,") + "…"
}

// within moves the middle of a text so that all of it is on the chart.
func within(x float64, words string) float64 {
	half := textWidth(words, small) / 2
	return max(half, min(x, Width-half))
}

// thin drops the ticks of a horizontal ruler whose labels would touch the one
// before.
func thin(r ruler, ticks []float64) []float64 {
	var kept []float64
	end := math.Inf(-1)
	for _, v := range ticks {
		words := r.Format(v)
		half := textWidth(words, small) / 2
		x := within(r.at(v), words)
		if x-half < end+2*gap {
			continue
		}
		kept, end = append(kept, v), x+half
	}
	return kept
}
