package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/harena-go/arena/bench/suite"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Print writes the report as tables for a terminal.
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
			m := g.matrix(s, func(w *row, c *cell) string { return w.brief(s, c) })
			t := newTable(w, 1)
			head := table.Row{m.Title}
			for _, h := range m.Head[1:] {
				head = append(head, narrow(h))
			}
			t.AppendHeader(head)
			for _, line := range m.Lines {
				var cells table.Row
				for _, text := range line {
					cells = append(cells, text)
				}
				t.AppendRow(cells)
			}
			t.Render()
			for _, note := range m.Notes {
				fmt.Fprintln(w, note)
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
times better than the base, which has none, a peer is; "~": not significant, or too few rounds to tell.`)
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

// brief formats a cell in a few characters: the value, and its ratio to the base.
func (w row) brief(s suite.Suite, c *cell) string {
	switch {
	case s.Plot == suite.TableOnly:
		return amount(c.Median, w.Unit)
	case c.Peer == w.Base:
		return withSpread(c.Summary, w.Unit)
	}
	return strings.TrimSpace(amount(c.Median, w.Unit) + " " + c.against())
}

// narrow breaks a long heading into lines.
func narrow(words string) string {
	if len(words) <= 14 {
		return words
	}
	return text.WrapSoft(strings.Replace(words, "-", "- ", 1), 14)
}
