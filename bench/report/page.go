package report

import (
	_ "embed"
	"html/template"
	"io"
	"math"

	"github.com/harena-go/arena/bench/suite"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// A view is the report in the form of the page's template.
type view struct {
	*Report
	Theme    template.CSS
	Sections []section
	Peers    []described
	Facts    []fact
	Legend   string
}

// A section is a suite on the page.
type section struct {
	suite.Suite
	Charts []template.HTML
	Looks  []named
	Groups []matrix
	Blocks []block
}

// A named look is an entry of a legend.
type named struct {
	look
	Peer string
}

// A block is one row of a suite with a line for each peer, best first.
type block struct {
	Group, Title string
	Lines        []peerLine
	Notes        footnotes
}

type peerLine struct {
	named
	Value, Ratio, Doubt, Note string
	Ours                      bool
	Share                     int // of the bar, in percent
}

// WriteHTML writes the report as a self-contained page: no network, no other file, no script.
func (r *Report) WriteHTML(w io.Writer) error {
	v := view{Report: r, Theme: template.CSS(theme), Peers: r.described(), Facts: r.Machine.facts(), Legend: legend}
	for _, s := range r.Suites {
		groups := r.groups(s)
		if len(groups) == 0 {
			continue
		}
		sec := section{Suite: s}
		for _, svg := range r.charts(s) {
			sec.Charts = append(sec.Charts, template.HTML(svg))
		}
		for _, g := range groups {
			if s.Plot == suite.TableOnly {
				value := func(w *row, c *cell) string { return amount(c.Median, w.Unit) }
				sec.Groups = append(sec.Groups, g.matrix(s, value))
				continue
			}
			for i := range g.Rows {
				sec.Blocks = append(sec.Blocks, g.Rows[i].block(groupTitle(g.Name)))
			}
		}
		if s.Plot == suite.Bars {
			for _, p := range peersOf(s, r.rows(s)) {
				sec.Looks = append(sec.Looks, named{lookOf(p), p})
			}
		}
		v.Sections = append(v.Sections, sec)
	}
	return page.Execute(w, v)
}

// block lays out a row.
func (w *row) block(group string) block {
	b := block{Group: group, Title: w.Title}
	cells := w.sorted()
	most := math.SmallestNonzeroFloat64
	for _, c := range cells {
		most = max(most, c.Median)
	}
	for _, c := range cells {
		b.Lines = append(b.Lines, peerLine{named: named{lookOf(c.Peer), c.Peer}, Value: withSpread(c.Summary, w.Unit),
			Ratio: c.against(), Doubt: c.doubt(), Note: b.Notes.mark(c.Peer, c.Remark), Ours: suite.Ours(c.Peer),
			Share: int(math.Round(100 * c.Median / most))})
	}
	return b
}
