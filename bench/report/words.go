package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/suite"
)

// titles are headings for groups with short names.
var titles = map[string]string{
	"fixed":    "One object of a fixed size",
	"string":   "Strings",
	"slice":    "Slices",
	"append":   "Slices that grow",
	"lifetime": "Lifetimes",
	"allocs":   "Allocations of the Go heap",

	"first":   "The first time",
	"typed":   "To structs",
	"any":     "To any",
	"object":  "To any, as each library likes its objects",
	"members": "Few members wanted",
	"handler": "A handler: body to value",
	"write":   "From structs",
	"server":  "What servers get, to structs",

	"server-any": "What servers get, to any",

	"decode": "Decode",
	"read":   "Decode, and read all fields",

	"row": "One row of a query",
}

func groupTitle(name string) string {
	return cmp.Or(titles[name], name, "All numbers")
}

// legend explains the tables.
const legend = "Medians of the rounds. ± is how far the interval in which the median lies with 95% confidence " +
	"reaches to its wider side; where there were too few rounds for that, the interval goes from the lowest value to " +
	"the highest and the confidence that was reached is given. A ratio says how many times better than the base, the " +
	"peer without a ratio, a peer is: the median of the rounds' ratios. “~”: it may be noise. With four rounds or " +
	"more that means that the difference is not significant; with fewer no test can tell."

// A described peer is a peer that took part, with its caveats.
type described struct {
	suite.Peer
	Version string
	Remarks []string
}

// described returns the peers that took part in any suite; those without a name of their own only with a remark.
func (r *Report) described() (all []described) {
	took := func(peer string) bool {
		return slices.ContainsFunc(r.Results, func(m suite.Result) bool { return m.Peer == peer })
	}
	for _, p := range suite.All() {
		if took(p.Name) {
			all = append(all, described{Peer: p, Version: r.Machine.Versions[p.Module]})
		}
	}
	for _, m := range r.Remarks {
		i := slices.IndexFunc(all, func(d described) bool { return d.Name == m.Peer })
		if i < 0 {
			all, i = append(all, described{Peer: suite.Peer{Name: m.Peer}}), len(all)
		}
		if !slices.Contains(all[i].Remarks, m.Text) {
			all[i].Remarks = append(all[i].Remarks, m.Text)
		}
	}
	return all
}

// footnotes are the remarks in some rows, with their numbers.
type footnotes []string

// mark is the number of a remark, "" for none.
func (f *footnotes) mark(peer, text string) string {
	if text == "" {
		return ""
	}
	i := slices.IndexFunc(*f, func(note string) bool { return strings.HasSuffix(note, "] "+peer+": "+text) })
	if i < 0 {
		i = len(*f)
		*f = append(*f, fmt.Sprintf("[%d] %s: %s", i+1, peer, text))
	}
	return fmt.Sprintf(" [%d]", i+1)
}

// A matrix is a group as a table: a line for each peer if there are more peers than rows, otherwise one for each row,
// since long tables are read more easily than wide ones.
type matrix struct {
	Title string
	Head  []string
	Lines [][]string
	Notes footnotes
}

// matrix lays out a group. cell returns a peer's text in a row, before its footnote.
func (g group) matrix(s suite.Suite, cell func(w *row, c *cell) string) (m matrix) {
	peers := peersOf(s, g.Rows)
	m.Title = groupTitle(g.Name)
	at := func(w *row, peer string) string {
		if c := w.find(peer); c != nil {
			return cell(w, c) + m.Notes.mark(peer, c.Remark)
		}
		return none
	}
	if len(peers) > len(g.Rows) {
		m.Head = []string{"peer"}
		for _, w := range g.Rows {
			m.Head = append(m.Head, w.Title)
		}
		for _, p := range peers {
			line := []string{p}
			for i := range g.Rows {
				line = append(line, at(&g.Rows[i], p))
			}
			m.Lines = append(m.Lines, line)
		}
		return m
	}
	m.Head = append([]string{"row"}, peers...)
	for i := range g.Rows {
		line := []string{g.Rows[i].Title}
		for _, p := range peers {
			line = append(line, at(&g.Rows[i], p))
		}
		m.Lines = append(m.Lines, line)
	}
	return m
}
