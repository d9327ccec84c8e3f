package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/harena-go/arena/bench/chart"
	"github.com/harena-go/arena/bench/suite"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Parse(pageSource))

// A view is the report as the page's template needs it.
type view struct {
	*Report
	Style      template.CSS
	Headlines  []Headline
	Sections   []section
	GoalGroups []goalGroup
	Missed     []Goal
	Peers      []described
	Facts      []fact
	Legend     string
	Method     []string
	Caveats    []string
}

// A section is a suite on the page.
type section struct {
	Suite
	Figures []drawn
	Legend  []key // of the figures, if their marks don't carry names
	Groups  []groupView
	Matrix  *matrix
}

type drawn struct {
	Caption string
	SVG     template.HTML
}

type groupView struct {
	Title   string
	Finding string
	Open    bool
	Blocks  []block
	Notes   []string
}

// A key is an entry of a legend.
type key struct {
	Mark template.HTML
	Name string
}

// A block is one row of a suite with a line for each peer, best first.
type block struct {
	Title string
	Log   bool   // the bars are logarithmic
	Sure  string // the confidence of the intervals, if it is low
	Lines []peerLine
}

type peerLine struct {
	Peer, Value, Spread, Ratio, Note string
	Doubt                            string // why the ratio may be noise
	Ours                             bool
	Mark, Bar                        template.HTML
}

// A matrix is a group without better and worse: peers by rows.
type matrix struct {
	Header []string
	Rows   [][]string
	Notes  []string
}

// WriteHTML writes the report as a page that needs nothing else: no network, no
// other file, no script.
func (r *Report) WriteHTML(w io.Writer) error {
	v := view{Report: r, Style: template.CSS(chart.Theme + pageStyle), Headlines: r.headlines(),
		GoalGroups: r.goalGroups(),
		Peers:      r.described(), Facts: r.Machine.facts(), Legend: legend, Method: r.method(), Caveats: caveats}
	for _, s := range r.Suites {
		if sec, ok := r.section(s); ok {
			v.Sections = append(v.Sections, sec)
		}
	}
	for _, g := range r.Goals {
		if !g.Reached {
			v.Missed = append(v.Missed, g)
		}
	}
	return page.Execute(w, v)
}

func (r *Report) section(s Suite) (sec section, ok bool) {
	sec.Suite = s
	for _, f := range r.figures(s) {
		sec.Figures = append(sec.Figures, drawn{f.Caption, template.HTML(f.SVG)})
	}
	groups := r.groups(s)
	if s.Plot == "table" && len(groups) > 0 {
		sec.Matrix = s.matrix(groups)
		return sec, true
	}
	if s.Plot == "bars" {
		sec.Legend = s.legend(groups)
	}
	rows := 0
	for _, g := range groups {
		rows += len(g.Rows)
		sec.Groups = append(sec.Groups, s.groupView(g))
	}
	for i := range sec.Groups { // a short suite has nothing to fold
		sec.Groups[i].Open = rows <= 6
	}
	return sec, len(sec.Groups)+len(sec.Figures) > 0
}

// legend names the marks of the suite's rows of dots.
func (s Suite) legend(groups []group) []key {
	var all group
	for _, g := range groups {
		all.Rows = append(all.Rows, g.Rows...)
	}
	var keys []key
	for i, p := range s.peersOf(all, known) {
		mark := chart.Key(style(p))
		if i == 0 {
			mark = chart.KeyLine()
		}
		keys = append(keys, key{template.HTML(mark), p})
	}
	return keys
}

func (s Suite) groupView(g group) groupView {
	v := groupView{Title: groupTitle(g.Name), Finding: finding(g)}
	var notes footnotes
	for _, w := range g.Rows {
		v.Blocks = append(v.Blocks, w.block(&notes))
	}
	v.Notes = notes.Texts
	return v
}

// block lays out a row. Bars whose lengths would differ too much are drawn on a
// logarithmic scale.
func (w row) block(notes *footnotes) block {
	cells := w.sorted()
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range cells {
		if c.Median > 0 {
			low = min(low, c.Median)
		}
		high = max(high, c.Median)
	}
	b := block{Title: w.Title, Log: high > 40*low}
	strip := chart.Strip{Min: low, Max: high}
	if b.Log {
		strip.Scale = chart.Log
	}
	for _, c := range cells {
		b.Sure = cmp.Or(b.Sure, sure(c.Summary))
		strip.Style, strip.Value, strip.Low, strip.High = style(c.Peer), c.Median, c.Low, c.High
		strip.Pale = c.doubt() != ""
		l := peerLine{Peer: c.Peer, Value: amount(c.Median, w.Unit), Spread: spread(c.Summary), Ratio: c.against(),
			Doubt: c.doubt(),
			Note:  notes.mark(c.Peer, c.Remark), Ours: suite.Ours(c.Peer),
			Mark: template.HTML(chart.Key(style(c.Peer))), Bar: template.HTML(strip.SVG())}
		b.Lines = append(b.Lines, l)
	}
	return b
}

// finding says in a few words how this project's arenas do in a group.
func finding(g group) string {
	var ratios []float64
	for _, w := range g.Rows {
		if _, _, x, ok := w.rival(); ok && x > 0 {
			ratios = append(ratios, x)
		}
	}
	rows := fmt.Sprintf("%d rows", len(g.Rows))
	if len(g.Rows) == 1 {
		rows = "1 row"
	}
	if len(ratios) == 0 {
		return rows
	}
	return fmt.Sprintf("%s; harena's best is %s to %s as good as the best other arena for Go", rows,
		times(slices.Min(ratios)), times(slices.Max(ratios)))
}

func (s Suite) matrix(groups []group) *matrix {
	m := &matrix{Header: []string{"peer"}}
	var all group
	for _, g := range groups {
		all.Rows = append(all.Rows, g.Rows...)
	}
	for _, w := range all.Rows {
		m.Header = append(m.Header, w.Title)
	}
	var notes footnotes
	for _, p := range s.peersOf(all, func(string) bool { return true }) {
		line := []string{p}
		for _, w := range all.Rows {
			text := none
			if c := w.find(p); c != nil {
				text = amount(c.Median, w.Unit)
				if n := notes.mark(p, c.Remark); n != "" {
					text += " [" + n + "]"
				}
			}
			line = append(line, text)
		}
		m.Rows = append(m.Rows, line)
	}
	m.Notes = notes.Texts
	return m
}
