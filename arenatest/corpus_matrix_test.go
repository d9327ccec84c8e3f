//go:build !msan

package arenatest_test

import (
	"fmt"
	"slices"
	"strings"
)

// preface is the beginning of MATRIX.md.
const preface = `# Which misuse is caught by what

%[1]d small programs in testdata/misuse misuse an arena, each in its own way, and %[2]d correct ones
look like them. TestCorpus runs all of them with each layer. Each misuse must be reported where this
page says so, and nowhere else, at the right lines, and for %[3]d of them with what holds the memory.
The correct programs must run without any report, except for a note (see below) on %[4]d of them.

Tests with both arenatest and -race report %[5]d of the %[1]d; TestCorpus finds them when it is built
with -race itself. No layer sees %[6]d.

This page is written by ` + "`go test -run TestCorpus -update ./arenatest`" + `.

- panic: always on.
- race: built with -race. It sees uses, but not reads of a string's bytes, which Go's compiler hides
  from all of its sanitizers.
- asan: built with -asan. It sees the same, and what is next to a value.
- resets: arenas with CheckResets. It sees what something still points to when the GC has run,
  whether or not it is used.
- guard: arenas of pools with WithGuardRate(1), the setting of a canary. It sees the same, and most
  uses: of what has no pointers, of pointers in dead values, and writes to these. Uses by goroutines
  that don't call ReportFault end the program without a report, and don't count here.

The others are arenas made by package arenatest:

- objects: something still points to the memory, and nothing uses it.
- noted: something pointed to the memory when it was reclaimed, but no longer at the end. If nothing
  else is reported this is a line in the log, and an error with arenatest.Strict.
- trap: a use of a dead value, including strings, or of a pointer in one. It ends the test.
- written: a write to a dead value with pointers.
- hidden: a pointer from a self-contained arena to the Go heap.
- leak: an arena that wasn't put back, or is kept and was never freed.
- checked: a panic where other arenas don't notice: two goroutines use one arena, or an arena is used
  that was put back and would belong to others by now.

## Caught, of those planted

`

// matrix returns MATRIX.md.
func matrix(all []*program) string {
	var planted, correct []*program
	var themes []string
	holders, notes := 0, 0
	for _, p := range all {
		if p.clean {
			correct = append(correct, p)
			notes += len(p.want)
			continue
		}
		planted = append(planted, p)
		if p.holder != "" {
			holders++
		}
		if theme := p.theme(); !slices.Contains(themes, theme) {
			themes = append(themes, theme)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, preface, len(planted), len(correct), holders, notes, countBoth(planted), countUnseen(planted))
	columns(&b, "theme", "planted")
	for _, theme := range themes {
		of := slices.DeleteFunc(slices.Clone(planted), func(p *program) bool { return p.theme() != theme })
		countRow(&b, theme, of)
	}
	countRow(&b, "**all**", planted)
	b.WriteString("\n## The programs\n\n")
	columns(&b, "program", "what it does")
	for _, p := range planted {
		fmt.Fprintf(&b, "| %s | %s |", p.name, p.about)
		for _, l := range allLayers {
			b.WriteString(map[bool]string{true: " x |", false: " |"}[slices.Contains(p.want, l)])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Correct programs\n\n")
	for _, p := range correct {
		fmt.Fprintf(&b, "- %s: %s", p.name, p.about)
		if len(p.want) > 0 {
			b.WriteString(" (A note.)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// countBoth returns the number of programs reported in the setting both.
func countBoth(planted []*program) (n int) {
	for _, p := range planted {
		if slices.ContainsFunc(p.want, both.has) {
			n++
		}
	}
	return n
}

// countUnseen returns the number of programs that no layer catches.
func countUnseen(planted []*program) (n int) {
	for _, p := range planted {
		if len(p.want) == 0 {
			n++
		}
	}
	return n
}

func (p *program) theme() string {
	theme, _, _ := strings.Cut(p.name, "/")
	return theme
}

// columns writes the head of a table.
func columns(b *strings.Builder, first, second string) {
	fmt.Fprintf(b, "| %s | %s |", first, second)
	for _, l := range allLayers {
		fmt.Fprintf(b, " %s |", l)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", 1+len(allLayers)))
}

// countRow writes the number of some programs that each layer catches.
func countRow(b *strings.Builder, title string, of []*program) {
	fmt.Fprintf(b, "| %s | %d |", title, len(of))
	for _, l := range allLayers {
		n := 0
		for _, p := range of {
			if slices.Contains(p.want, l) {
				n++
			}
		}
		fmt.Fprintf(b, " %d |", n)
	}
	b.WriteString("\n")
}
