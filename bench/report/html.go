package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"chart": chart,
	"cell":  cellClass,
}).Parse(pageSource))

// WriteHTML writes the report as a page that needs nothing else: no network, no
// other file.
func (r *Report) WriteHTML(w io.Writer) error {
	return page.Execute(w, struct {
		*Report
		Tables []Table
	}{r, r.Tables()})
}

// cellClass marks the words that a reader looks for.
func cellClass(s string) string {
	switch s {
	case "reached":
		return "good"
	case "NOT reached":
		return "bad"
	}
	return ""
}

// A chart is drawn on a logarithmic scale: half as much and twice as much are
// the same distance from the line of the heap. Bars end at mostDoublings: an
// arena makes thousands of times fewer allocations, beside which nothing else
// could be seen.
const (
	mostDoublings = 7

	barHeight = 22
	labelW    = 330
	plotW     = 420
	chartW    = labelW + plotW + 80
)

type drawnBar struct {
	Label, Value   string
	Y, TextY       int
	X, W           float64
	Better         bool
	LabelX, ValueX float64
}

type drawnChart struct {
	Width, Height int
	Axis          float64 // where the ratio is 1
	Bars          []drawnBar
}

// chart lays out bars; nil if there are none.
func chart(bars []Bar) *drawnChart {
	if len(bars) == 0 {
		return nil
	}
	low, high := 0.0, 0.1
	for _, b := range bars {
		low, high = min(low, doublings(b)), max(high, doublings(b))
	}
	scale := plotW / (high - low)
	c := &drawnChart{Width: chartW, Height: len(bars) * barHeight, Axis: labelW - low*scale}
	for i, b := range bars {
		l := doublings(b) * scale
		c.Bars = append(c.Bars, drawnBar{
			Label: b.Label, Value: times(b.Ratio), Better: b.Ratio >= 1,
			Y: i*barHeight + 3, TextY: i*barHeight + 16,
			X: c.Axis + min(l, 0), W: math.Abs(l),
			LabelX: labelW - 8, ValueX: c.Axis + max(l, 0) + 6,
		})
	}
	return c
}

func doublings(b Bar) float64 {
	return max(-mostDoublings, min(math.Log2(b.Ratio), mostDoublings))
}

// String describes a chart to those who can't see it.
func (c *drawnChart) String() string {
	return fmt.Sprintf("%d ratios against the Go heap; more is better", len(c.Bars))
}
