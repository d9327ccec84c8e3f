package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Print writes the report as tables for a terminal. To save space, the other arenas for Go are represented by the best
// of them in each row; all their numbers are on the page and in the Markdown.
func (r *Report) Print(w io.Writer) {
	for _, s := range r.Suites {
		groups := r.groups(s)
		if len(groups) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s\n", s.Name, s.Title)
		if s.Note != "" {
			fmt.Fprintln(w, s.Note)
		}
		for _, g := range groups {
			if s.Plot == suite.TableOnly {
				printAll(w, s, g)
			} else {
				printGroup(w, s, g)
			}
		}
	}
	fmt.Fprintln(w, "\nmachine")
	t := newTable(w, 2)
	for _, f := range r.Machine.facts() {
		t.AppendRow(table.Row{f.Name, f.Value})
	}
	for _, n := range r.Notes {
		t.AppendRow(table.Row{"note", text.WrapSoft(n, 90)})
	}
	t.Render()
	fmt.Fprintln(w, `
Medians. ± is how far the interval of 95% confidence reaches. A ratio says how many
times better than the first column; "~": not significant, or too few rounds to tell.`)
}

// newTable returns a table with some columns of words, and numbers after them.
func newTable(w io.Writer, words int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Options.SeparateColumns = false
	var right []table.ColumnConfig
	for i := words + 1; i <= 20; i++ {
		right = append(right, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(right)
	return t
}

// printGroup has a column for each peer but the foreign arenas, which share one, and ends with the comparison of this
// project's best with theirs.
func printGroup(w io.Writer, s suite.Suite, g group) {
	foreign := len(peersOf(s, g.Rows, suite.Foreign)) > 0
	peers := peersOf(s, g.Rows, func(p string) bool { return !suite.Foreign(p) })
	t := newTable(w, 1)
	head := table.Row{groupTitle(g.Name)}
	for _, p := range peers {
		head = append(head, narrow(p))
	}
	if foreign {
		head = append(head, "best other\nGo arena", "ours to\nthat")
	}
	t.AppendHeader(head)
	for _, row := range g.Rows {
		line := table.Row{row.Title}
		for _, p := range peers {
			line = append(line, row.brief(row.find(p)))
		}
		if best, ours := row.best(suite.Foreign), row.best(suite.Ours); best != nil {
			line = append(line, best.Peer+" "+row.brief(best))
			if ours != nil {
				line = append(line, times(measure.Median(row.ratios(*ours, *best))))
			}
		}
		t.AppendRow(line)
	}
	t.Render()
}

// printAll has a line for each peer and a column for each row.
func printAll(w io.Writer, s suite.Suite, g group) {
	t := newTable(w, 1)
	head := table.Row{groupTitle(g.Name)}
	for _, row := range g.Rows {
		head = append(head, narrow(row.Title))
	}
	t.AppendHeader(head)
	for _, p := range peersOf(s, g.Rows, everyone) {
		line := table.Row{p}
		for _, row := range g.Rows {
			value := none
			if c := row.find(p); c != nil {
				value = amount(c.Median, row.Unit)
			}
			line = append(line, value)
		}
		t.AppendRow(line)
	}
	t.Render()
}

// brief formats a cell in a few characters: the value of the base, the ratios of the others, and both of a default
// arena.
func (w row) brief(c *cell) string {
	if c == nil {
		return ""
	}
	ratio := c.against()
	switch {
	case c.Peer == w.Base:
		return withSpread(c.Summary, w.Unit)
	case ratio == "":
		return amount(c.Median, w.Unit)
	case c.Peer == suite.Harena:
		return amount(c.Median, w.Unit) + " " + ratio
	}
	return ratio
}

// narrow breaks a long heading into lines.
func narrow(words string) string {
	if len(words) <= 14 {
		return words
	}
	return text.WrapSoft(strings.Replace(words, "-", "- ", 1), 14)
}
