package chart

import (
	"math"
)

// A Strip is a bar for a cell of a table: it fills the cell's width, has no
// words, and says nothing that the cell beside it doesn't say too.
type Strip struct {
	Style            Style
	Value, Low, High float64
	Pale             bool    // the value may be noise
	Min, Max         float64 // of all strips that are compared
	Scale            Scale
}

// SVG draws the strip, 100 units wide for the longest one.
func (s Strip) SVG() string {
	r := newRuler(Axis{Scale: s.Scale}, []float64{s.Min, s.Max}, 0, 100)
	if s.Scale == Log { // the smallest one is a bar too
		r.low -= max(0.1, 0.08*(r.high-r.low))
	}
	d := &drawing{}
	w := 0.0
	if r.shown(s.Value) {
		w = r.at(s.Value)
	}
	d.put(`<rect x="0" y="3" width="%s" height="8" class="bar%s %s"/>`,
		num(max(w, 0.8)), paleClass(s.Pale), s.Style.Class)
	if s.Low < s.High && r.shown(s.Low) {
		d.line(max(r.at(s.Low), 0), 7, math.Min(r.at(s.High), 104), 7, "whisker thick")
	}
	const head = `<svg class="chart strip" viewBox="0 0 104 14" preserveAspectRatio="none" aria-hidden="true">`
	return head + d.body.String() + "</svg>"
}

// paleClass is what is added to the class of what may be noise.
func paleClass(pale bool) string {
	if pale {
		return " pale"
	}
	return ""
}

// Key is a mark for a legend or a table, beside the name of its subject.
func Key(s Style) string {
	d := &drawing{}
	d.marker(7, 7, s, "")
	return `<svg class="chart key" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">` +
		d.body.String() + `</svg>`
}

// KeyLine is the mark of a line that something is compared with.
func KeyLine() string {
	d := &drawing{}
	d.line(7, 1, 7, 13, "base")
	return `<svg class="chart key" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">` +
		d.body.String() + `</svg>`
}
