package arenadebug

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// This file draws charts as SVG. A chart is as wide as its place: areas are drawn in a box of 1000 by 100 that is
// stretched, and everything that must keep its shape (marks, labels) is placed by percent outside of that box. Styles
// come from page.css, since the page's policy forbids styles in attributes. This file must not depend on pools.

// A timeAxis ends now, at 100 percent.
type timeAxis struct {
	end    time.Time
	window time.Duration
}

// axisFor returns the shortest axis that reaches back to a time.
func axisFor(first, now time.Time) timeAxis {
	// A short history would be a sliver at the right of a long axis.
	for _, w := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if now.Sub(first) <= w {
			return timeAxis{now, w}
		}
	}
	return timeAxis{now, span}
}

// percent returns the position of a time on the axis, from 0 to 100.
func (x timeAxis) percent(t time.Time) float64 {
	return 100 - min(100, max(0, 100*float64(x.end.Sub(t))/float64(x.window)))
}

// labels writes the axis: four steps, each at its line by page.css, and now at the end.
func (x timeAxis) labels(w *writer) {
	w.put(`<div class="times">`)
	for i := range 4 {
		back := x.window * time.Duration(4-i) / 4
		w.put(`<span>−%s</span>`, fmt.Sprintf("%d:%02d", int(back.Minutes()), int(back.Seconds())%60))
	}
	w.put(`<span>now</span></div>`)
}

// The box of a plot. Its coordinates don't depend on the width of the window, and strokes keep theirs by
// vector-effect:
//
//	(0,0) ─────────── top ─────────── (1000,0)
//	  │                                  │
//	(0,100) ──────────  0 ──────────(1000,100)

// A band is one area of a stack.
type band struct {
	name   string
	class  string // its colour in page.css
	values []float64
}

// A plot is a stack of areas over time.
type plot struct {
	label string // for readers who can't see it
	class string
	axis  timeAxis
	times []time.Time
	bands []band // the lowest first
	unit  func(v float64) string
	// binary: the scale ends at a power of two, for bytes.
	binary bool
}

// maxColumns is the most columns of a plot that show their numbers under the pointer.
const maxColumns = 60

// write writes the plot with its scale at the left.
func (p *plot) write(w *writer) {
	// low is the upper edge of the bands so far, as values. Each band begins there.
	low := make([]float64, len(p.times))
	highest := 0.0
	for i := range p.times {
		sum := 0.0
		for _, b := range p.bands {
			sum += b.values[i]
		}
		highest = max(highest, sum)
	}
	top := niceTop(highest, p.binary)
	// The scale is HTML beside the drawing: text in a stretched box would be stretched.
	w.put(`<div class="scale %s"><span>%s</span><span>%s</span><span>0</span></div>`,
		p.class, p.unit(top), p.unit(top/2))
	w.put(`<svg class="plot %s" role="img" aria-label="%s">`, p.class, p.label)
	w.put(`<svg viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%%" height="100%%">`)
	for _, y := range []int{0, 50, 100} {
		w.put(`<line class="grid" x1="0" x2="1000" y1="%d" y2="%d"/>`, y, y)
	}
	// At the labels of the axis, see timeAxis.labels.
	for _, x := range []int{250, 500, 750} {
		w.put(`<line class="grid" y1="0" y2="100" x1="%d" x2="%d"/>`, x, x)
	}
	for _, b := range p.bands {
		w.put(`<polygon class="%s" points="%s"/>`, b.class, p.area(b.values, low, top))
	}
	w.put(`</svg>`)
	p.columns(w)
	w.put("</svg>\n")
}

// area returns the outline of a band that lies on low, which becomes its upper edge.
func (p *plot) area(values, low []float64, top float64) markup {
	n := len(values)
	outline := make([]string, 2*n) // the upper edge from the left, then the lower one from the right
	for i, t := range p.times {
		x := 10 * p.axis.percent(t)
		outline[2*n-1-i] = fmt.Sprintf("%.0f,%.1f", x, 100-100*low[i]/top)
		low[i] += values[i]
		outline[i] = fmt.Sprintf("%.0f,%.1f", x, 100-100*low[i]/top)
	}
	return markup(strings.Join(outline, " "))
}

// columns writes invisible bars, each with the numbers of its last sample as its title.
func (p *plot) columns(w *writer) {
	left := 0.0
	for i, t := range p.times {
		// A column reaches from the sample before to this one. Columns too narrow to hit are left out.
		right := p.axis.percent(t)
		if i+1 < len(p.times) && right-left < 100.0/maxColumns || right <= left {
			continue
		}
		var title strings.Builder
		title.WriteString(t.Format("15:04:05"))
		// In the order of the picture, from the top.
		for b := len(p.bands) - 1; b >= 0; b-- {
			fmt.Fprintf(&title, "\n%s: %s", p.bands[b].name, p.unit(p.bands[b].values[i]))
		}
		w.put(`<rect class="at" x="%.2f%%" width="%.2f%%" height="100%%"><title>%s</title></rect>`, left, right-left,
			title.String())
		left = right
	}
}

// niceTop returns the end of a scale for values up to v.
func niceTop(v float64, binary bool) float64 {
	if v <= 0 {
		return 1
	}
	if binary {
		// 3/4 of a power of two halves into a round number as well.
		top := math.Exp2(math.Ceil(math.Log2(v)))
		if v <= top*3/4 && top >= 4 {
			top = top * 3 / 4
		}
		return top
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	// Each of these has a half that is short to write.
	for _, step := range []float64{1, 1.2, 1.6, 2, 3, 4, 6, 8} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}

// A mark is an event on a lane.
type mark struct {
	at    time.Time
	title string
}

// lane writes a row of marks under a plot, on the same axis.
func lane(w *writer, axis timeAxis, name, class string, marks []mark) {
	// A reader who can't see the marks gets their number; the findings describe them in words.
	label := fmt.Sprintf("%s: %d marks", name, len(marks))
	w.put(`<div class="lanename">%s</div><svg class="lane" role="img" aria-label="%s">`, name, label)
	w.put(`<line class="grid" x1="0" x2="100%%" y1="50%%" y2="50%%"/>`)
	for _, m := range marks {
		w.put(`<circle class="%s" cx="%.2f%%" cy="50%%" r="5"><title>%s</title></circle>`,
			class, axis.percent(m.at), m.title)
	}
	w.put("</svg>\n")
}

// A bar is a row of a histogram.
type bar struct {
	label string
	value float64
	text  string // the value in words
}

// bars writes a histogram as a table, so that it can be read without seeing the bars.
func bars(w *writer, id, caption string, all []bar) {
	// The longest bar fills its cell.
	most := 0.0
	for _, b := range all {
		most = max(most, b.value)
	}
	w.put(`<table class="bars" data-part="%s"><caption>%s</caption>`, id, caption)
	for _, b := range all {
		w.put(`<tr><th scope="row">%s</th><td class="barcell">`, b.label)
		horizontal(w, []band{{class: "s0", values: []float64{b.value}}}, most)
		w.put("</td><td class=\"n\">%s</td></tr>\n", b.text)
	}
	w.put("</table>\n")
}

// horizontal writes a bar of the first values of bands. A value of whole fills the width.
func horizontal(w *writer, parts []band, whole float64) {
	w.put(`<svg class="hbar" aria-hidden="true">`)
	x := 0.0
	for _, b := range parts {
		width := 100 * b.values[0] / max(1, whole)
		if b.values[0] > 0 {
			// Values above zero are visible, if only as a hairline.
			w.put(`<rect class="%s" x="%.2f%%" width="%.2f%%" height="100%%"/>`, b.class, x, max(0.4, width))
		}
		x += width
	}
	w.put(`</svg>`)
}
