package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/harena-go/arena/bench/suite"
)

// WriteMarkdown writes the report as tables, for a reader of the repository.
func (r *Report) WriteMarkdown(w io.Writer) error {
	m := &markdown{}
	m.line("# Results")
	m.line("Written by `%s`; not to be edited. What the suites do is in [README.md](README.md).", r.Machine.Command)
	m.machine(r)
	if hs := r.headlines(); len(hs) > 0 {
		m.heading("In short")
		for _, h := range hs {
			m.item("**%s** %s: %s", h.Number, h.What, h.Detail)
		}
	}
	m.goals(r)
	m.heading("How to read the tables")
	m.line("%s", legend)
	m.line("The fastest value of a row is bold.")
	for _, s := range r.Suites {
		m.suite(r, s)
	}
	m.peers(r)
	m.heading("Method")
	for _, p := range append(r.method(), caveats...) {
		m.item("%s", p)
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// A markdown is a text that is being written. Blank lines go between everything
// but the lines of one list or table.
type markdown struct {
	b      strings.Builder
	joined bool // the line before is part of a list or table
}

func (m *markdown) line(format string, args ...any) {
	if m.b.Len() > 0 {
		m.b.WriteByte('\n')
	}
	fmt.Fprintf(&m.b, format+"\n", args...)
	m.joined = false
}

func (m *markdown) heading(words string) { m.line("## %s", words) }

func (m *markdown) item(format string, args ...any) { m.join("- "+format, args...) }

func (m *markdown) join(format string, args ...any) {
	if !m.joined {
		m.b.WriteByte('\n')
	}
	fmt.Fprintf(&m.b, format+"\n", args...)
	m.joined = true
}

// table starts a table whose first columns are words and whose others are
// numbers; cells are rows of it.
func (m *markdown) table(words int, header ...string) {
	m.joined = false
	m.cells(header...)
	m.join("%s", "|"+strings.Repeat("---|", words)+strings.Repeat("--:|", len(header)-words))
}

func (m *markdown) cells(texts ...string) {
	for i, t := range texts {
		texts[i] = strings.ReplaceAll(t, "|", `\|`)
	}
	m.join("%s", "| "+strings.Join(texts, " | ")+" |")
}

func (m *markdown) machine(r *Report) {
	m.table(2, "machine", "")
	for _, f := range r.Machine.facts() {
		m.cells(f.Name, f.Value)
	}
	m.joined = false
	for _, n := range r.Notes {
		m.item("%s", n)
	}
}

func (m *markdown) goals(r *Report) {
	if len(r.Goals) == 0 {
		return
	}
	m.heading("Goals")
	for _, g := range r.goalGroups() {
		m.line("### %s: %d of %d reached", g.Name, g.Reached, g.Count)
		m.table(4, "goal", "wanted", "measured", "")
		for _, goal := range g.Goals {
			verdict := goal.Verdict()
			if !goal.Reached {
				verdict = "**" + verdict + "**: " + goal.Why
			}
			measured := goal.Measured()
			if goal.Aside != "" {
				measured += " (" + goal.Aside + ")"
			}
			m.cells(goal.What, goal.Bound(), measured, verdict)
		}
	}
}

func (m *markdown) suite(r *Report, s Suite) {
	groups := r.groups(s)
	if len(groups) == 0 {
		return
	}
	m.heading(s.Name + ": " + s.Title)
	if s.About != "" {
		m.line("%s", s.About)
	}
	if s.Note != "" {
		m.line("%s", s.Note)
	}
	for _, g := range groups {
		if g.Name != "" {
			m.line("### %s", groupTitle(g.Name))
		}
		m.group(s, g)
	}
}

// group has a line for each peer if there are more peers than rows, otherwise
// one for each row: long tables are read more easily than wide ones.
func (m *markdown) group(s Suite, g group) {
	peers := s.peersOf(g, func(string) bool { return true })
	var notes footnotes
	cell := func(w row, peer string) string {
		c := w.find(peer)
		if c == nil {
			return none
		}
		text := withSpread(c.Summary, w.Unit)
		if best := w.sorted()[0]; best.Peer == peer && s.Plot != "table" && len(w.Cells) > 1 {
			text = "**" + text + "**"
		}
		if a := c.against(); a != "" && s.Plot != "table" {
			text += " (" + a + ")"
		}
		if n := notes.mark(peer, c.Remark); n != "" {
			text += " [" + n + "]"
		}
		return text
	}
	if len(peers) > len(g.Rows) {
		header := []string{"peer"}
		for _, w := range g.Rows {
			header = append(header, w.Title)
		}
		m.table(1, header...)
		for _, p := range peers {
			line := []string{p}
			for _, w := range g.Rows {
				line = append(line, cell(w, p))
			}
			m.cells(line...)
		}
	} else {
		m.table(1, append([]string{"row"}, peers...)...)
		for _, w := range g.Rows {
			line := []string{w.Title}
			for _, p := range peers {
				line = append(line, cell(w, p))
			}
			m.cells(line...)
		}
	}
	m.joined = false
	for i, n := range notes.Texts {
		m.item("[%d] %s", i+1, n)
	}
}

func (m *markdown) peers(r *Report) {
	m.heading("The peers")
	for _, p := range r.described() {
		about := strings.TrimSpace(fmt.Sprintf("%s %s", p.Module, p.Version))
		if about != "" && !suite.Ours(p.Name) {
			about = " (" + about + ")"
		} else {
			about = ""
		}
		m.item("**%s**%s: %s", p.Name, about, strings.Join(append([]string{p.About}, p.Remarks...), ". "))
	}
}
