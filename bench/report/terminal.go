package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/suite"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Print writes the report as tables for a terminal. To fit one, the other
// arenas for Go are represented by the best of them in each row; all their
// numbers are on the page and in the Markdown.
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
			if s.Plot == "table" {
				s.printAll(w, g)
			} else {
				s.printGroup(w, g)
			}
		}
	}
	r.printGoals(w)
	r.printMachine(w)
	fmt.Fprintln(w, "\n"+terminalLegend)
}

const terminalLegend = `Medians. ± is how far the interval of 95% confidence reaches. A ratio says how many
times better than the first column; "~": not significant, or too few rounds to tell.`

// newTable has some columns of words, and numbers after them.
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

// peersOf are the peers that have any of the rows, in the suite's order.
func (s Suite) peersOf(g group, wanted func(string) bool) []string {
	var ps []string
	for _, w := range g.Rows {
		for _, c := range w.Cells {
			if wanted(c.Peer) && !slices.Contains(ps, c.Peer) {
				ps = append(ps, c.Peer)
			}
		}
	}
	slices.SortStableFunc(ps, func(a, b string) int { return cmp.Compare(place(s.Peers, a), place(s.Peers, b)) })
	return ps
}

// printGroup has a column for each peer but the foreign arenas, which share
// one, and says at the end how this project's best compares with theirs.
func (s Suite) printGroup(w io.Writer, g group) {
	foreign := len(s.peersOf(g, suite.Foreign)) > 0
	peers := s.peersOf(g, func(p string) bool { return !suite.Foreign(p) })
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
		if foreign {
			best, ratio := "", ""
			if c := row.best(suite.Foreign); c != nil {
				best = c.Peer + " " + row.brief(c)
			}
			if _, _, x, ok := row.rival(); ok {
				ratio = times(x)
			}
			line = append(line, best, ratio)
		}
		t.AppendRow(line)
	}
	t.Render()
}

// printAll has a line for each peer and a column for each row.
func (s Suite) printAll(w io.Writer, g group) {
	t := newTable(w, 1)
	head := table.Row{groupTitle(g.Name)}
	for _, row := range g.Rows {
		head = append(head, narrow(row.Title))
	}
	t.AppendHeader(head)
	for _, p := range s.peersOf(g, func(string) bool { return true }) {
		line := table.Row{p}
		for _, row := range g.Rows {
			if c := row.find(p); c != nil {
				line = append(line, amount(c.Median, row.Unit))
			} else {
				line = append(line, none)
			}
		}
		t.AppendRow(line)
	}
	t.Render()
}

// brief is a cell in a few characters: the value of the base, the ratios of the
// others, and both of a default arena.
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
	words = strings.Replace(words, "-", "-\n", 1)
	var b strings.Builder
	col := 0
	for i, f := range strings.Split(words, " ") {
		if i > 0 && col+len(f) > 14 {
			b.WriteByte('\n')
			col = 0
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f)
		col += len(f) + 1
	}
	return b.String()
}

func (r *Report) printGoals(w io.Writer) {
	for _, g := range r.goalGroups() {
		fmt.Fprintf(w, "\ngoals %s: %d of %d reached\n", g.Name, g.Reached, g.Count)
		t := newTable(w, 4)
		t.AppendHeader(table.Row{"what", "target", "measured", "verdict"})
		for _, goal := range g.Goals {
			verdict := goal.Verdict()
			if !goal.Reached {
				verdict += ": " + text.WrapSoft(goal.Why, 60)
			}
			t.AppendRow(table.Row{goal.What, goal.Bound(), goal.Measured(), verdict})
		}
		t.Render()
	}
}

func (r *Report) printMachine(w io.Writer) {
	fmt.Fprintln(w, "\nmachine")
	t := newTable(w, 2)
	for _, f := range r.Machine.facts() {
		t.AppendRow(table.Row{f.Name, f.Value})
	}
	for _, n := range r.Notes {
		t.AppendRow(table.Row{"note", text.WrapSoft(n, 90)})
	}
	t.Render()
}

// A fact is a line about the machine.
type fact struct{ Name, Value string }

// facts are what is known of the machine.
func (m Machine) facts() []fact {
	var fs []fact
	add := func(name, value string) {
		if value != "" && value != "0" {
			fs = append(fs, fact{name, value})
		}
	}
	add("CPU", m.CPU)
	add("cores", fmt.Sprint(m.Cores))
	add("GOMAXPROCS", fmt.Sprint(m.MaxProcs))
	add("system", m.OS)
	add("kernel", m.Kernel)
	add("Go", m.Go)
	add("Rust", m.Rustc)
	add("date", m.Date)
	add("command", m.Command)
	add("rounds", fmt.Sprint(m.Rounds))
	if !math.IsNaN(m.Seconds) && m.Seconds > 0 {
		add("took", time.Duration(m.Seconds*1e9).Round(time.Second).String())
	}
	return fs
}
