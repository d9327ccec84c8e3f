// Package chart draws the report's charts as SVG: bars, lines, and rows of dots.
//
// A chart is 360 units wide and its smallest letters are 10.5 units high, so
// that it can be read on a telephone, where a unit is a little less than a CSS
// pixel; a wide window shows several beside each other. Colours come from CSS
// (Theme) and follow the reader's choice of light or dark. No two kinds of marks
// are told apart by colour alone: they differ in shape or carry their name.
//
// gonum.org/v1/plot (v0.17.0) was tried in its place and would make more code, not
// less. Its SVG has the colours and a font, Liberation Serif, in the style of each
// mark, no classes, no <title> and no description: no choice of light or dark, and
// nothing for a mouse or a screen reader. To have these needs another back end (its
// own is 661 lines) and plotters for what it doesn't know: rows of dots, names at the
// ends of lines that keep clear of each other, the strip. Of the 776 lines here it
// would replace some of the 348 of axes and lines. It also brings 9 modules with
// 60 packages, and 8.7 MB for a program that has 18 MB. A chart of 8 lines with 32
// points is 10 KB by it, and 13 KB by this package, with a tip at each point.
package chart

import (
	_ "embed"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Theme is the style sheet of the charts. A page that shows some has it once; it
// also defines the page's own colours as variables: --paper, --ink, --soft,
// --line, --good, --bad.
//
//go:embed theme.css
var Theme string

// Width is that of all charts, in their own units.
const Width = 360

const (
	fontSize = 11.0
	small    = 10.5 // ticks
	gap      = 4.0  // between a mark and its label
)

// A Style is how the marks of one subject look in all charts.
type Style struct {
	Class  string // of the style sheet: the colour and the dashes
	Marker Marker
	Strong bool // this is what the chart is about
}

// A Marker is the shape of a point.
type Marker int

const (
	Circle Marker = iota
	Square
	Diamond
	Up
	Down
	Cross
	Plus
)

// A drawing is an SVG that grows downwards as things are put into it.
type drawing struct {
	body   strings.Builder
	height float64
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.body, format+"\n", args...) }

// text puts a line of words with its baseline at y. anchor is start, middle or
// end.
func (d *drawing) text(x, y float64, anchor, class, words string) {
	d.put(`<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(x), num(y), anchor, class,
		html.EscapeString(words))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	d.put(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

// marker puts a point; tip is shown to a mouse that rests on it.
func (d *drawing) marker(x, y float64, s Style, tip string) {
	r := 3.4
	if s.Strong {
		r = 4.6
	}
	class := "mark " + s.Class
	if s.Strong {
		class += " strong"
	}
	title := "<title>" + html.EscapeString(tip) + "</title>"
	if tip == "" {
		title = ""
	}
	if s.Marker == Circle {
		d.put(`<circle cx="%s" cy="%s" r="%s" class="%s">%s</circle>`, num(x), num(y), num(r), class, title)
		return
	}
	d.put(`<path d="%s" class="%s">%s</path>`, outline(s.Marker, x, y, r), class, title)
}

// outline is the path of a marker around a point.
func outline(m Marker, x, y, r float64) string {
	var corners []float64
	switch m {
	case Square:
		q := r * 0.88
		corners = []float64{-q, -q, q, -q, q, q, -q, q}
	case Diamond:
		q := r * 1.25
		corners = []float64{0, -q, q, 0, 0, q, -q, 0}
	case Up:
		corners = []float64{0, -r * 1.15, r * 1.1, r * 0.85, -r * 1.1, r * 0.85}
	case Down:
		corners = []float64{0, r * 1.15, r * 1.1, -r * 0.85, -r * 1.1, -r * 0.85}
	case Cross, Plus:
		return strokes(m, x, y, r)
	}
	var b strings.Builder
	for i := 0; i < len(corners); i += 2 {
		fmt.Fprintf(&b, "%c%s %s", "LM"[boolBit(i == 0)], num(x+corners[i]), num(y+corners[i+1]))
	}
	return b.String() + "Z"
}

// strokes is the path of a marker that is two bars across each other.
func strokes(m Marker, x, y, r float64) string {
	if m == Plus {
		return fmt.Sprintf("M%s %sH%sM%s %sV%s", num(x-r), num(y), num(x+r), num(x), num(y-r), num(y+r))
	}
	q := r * 0.85
	return fmt.Sprintf("M%s %sL%s %sM%s %sL%s %s", num(x-q), num(y-q), num(x+q), num(y+q), num(x-q), num(y+q),
		num(x+q), num(y-q))
}

func boolBit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// svg wraps the drawing up. Title and desc are for those who can't see it.
func (d *drawing) svg(title, desc string) string {
	title, desc = html.EscapeString(title), html.EscapeString(desc)
	head := fmt.Sprintf(`<svg class="chart" viewBox="0 0 %d %s" role="img" aria-label="%s" `,
		Width, num(d.height), title)
	return head + `xmlns="http://www.w3.org/2000/svg"><title>` + title + "</title><desc>" + desc + "</desc>\n" +
		d.body.String() + "</svg>"
}

// num prints a coordinate: tenths of a unit are finer than anyone sees.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// textWidth estimates how wide words are. The page's font is the reader's own;
// this is the width in a wide one.
func textWidth(words string, size float64) float64 {
	return 0.615 * size * float64(utf8.RuneCountInString(words))
}
