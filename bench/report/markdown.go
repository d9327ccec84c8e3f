package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/harena-go/arena/bench/suite"
)

// WriteMarkdown writes the report as tables, for a reader of the repository.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Results\n\nWritten by `%s`; not to be edited. ", r.Machine.Command)
	b.WriteString("What the suites do is in [README.md](README.md).\n\n")
	b.WriteString("| machine |  |\n|---|---|\n")
	for _, f := range r.Machine.facts() {
		fmt.Fprintf(&b, "| %s | %s |\n", f.Name, f.Value)
	}
	items(&b, r.Notes)
	fmt.Fprintf(&b, "\n%s\n\nThe fastest value of a row is bold.\n", legend)
	for _, s := range r.Suites {
		r.markdown(&b, s)
	}
	b.WriteString("\n## The peers\n\n")
	for _, p := range r.described() {
		about := strings.TrimSpace(p.Module + " " + p.Version)
		if about != "" {
			about = " (" + about + ")"
		}
		fmt.Fprintf(&b, "- **%s**%s: %s\n", p.Name, about, strings.Join(append([]string{p.About}, p.Remarks...), ". "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func items(b *strings.Builder, texts []string) {
	for i, text := range texts {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", text)
	}
}

// markdown writes a suite.
func (r *Report) markdown(b *strings.Builder, s suite.Suite) {
	groups := r.groups(s)
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s: %s\n", s.Name, s.Title)
	for _, text := range []string{s.About, s.Note} {
		if text != "" {
			fmt.Fprintf(b, "\n%s\n", text)
		}
	}
	for _, g := range groups {
		m := g.matrix(s, func(w *row, c *cell) string {
			text := withSpread(c.Summary, w.Unit)
			if s.Plot == suite.TableOnly {
				return text
			}
			if len(w.Cells) > 1 && w.sorted()[0].Peer == c.Peer {
				text = "**" + text + "**"
			}
			if a := c.against(); a != "" {
				text += " (" + a + ")"
			}
			return text
		})
		if g.Name != "" {
			fmt.Fprintf(b, "\n### %s\n", m.Title)
		}
		fmt.Fprintf(b, "\n| %s |\n|---|%s\n", strings.Join(m.Head, " | "), strings.Repeat("--:|", len(m.Head)-1))
		for _, line := range m.Lines {
			fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
		}
		items(b, m.Notes)
	}
}
