package arenavet_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet"
)

var update = flag.Bool("update", false, "write what is found in the corpus into README.md")

// corpus has the planted programs with which the root module's layers are tested, too.
const corpus = "../arenatest/testdata/misuse"

// A program of the corpus is the text between two lines that register one.
type program struct {
	name        string
	clean       bool
	file        string
	first, last int
	marked      map[int]bool // lines on which something happens to the memory, according to a comment
	found       []string     // by these analyzers
}

var registration = regexp.MustCompile(`^var _ = (plant|clean)\("([^"]+)", (\w+)\)$`)

// mark matches the comment on a line on which a finding is required.
var mark = regexp.MustCompile(`[^\s].*// (.*, )?(allocated|reclaimed|used|lent|used by another goroutine)(, |$)`)

func readCorpus(t *testing.T) (all []*program) {
	files, err := filepath.Glob(corpus + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var p *program
		for i, line := range strings.Split(string(source), "\n") {
			if m := registration.FindStringSubmatch(line); m != nil {
				p = &program{name: m[2], clean: m[1] == "clean", file: filepath.Base(file), first: i + 1, marked: map[int]bool{}}
				all = append(all, p)
			}
			if p != nil {
				p.last = i + 1
				if mark.MatchString(line) {
					p.marked[i+1] = true
				}
			}
		}
	}
	return all
}

// TestCorpus runs all analyzers over the corpus and compares the findings, by theme, with the table in README.md.
// Correct programs must have none.
func TestCorpus(t *testing.T) {
	programs := readCorpus(t)
	if len(programs) == 0 {
		t.Skip("the corpus isn't here")
	}
	analyze(t, programs)
	visible, found := 0, 0
	for _, p := range programs {
		_, hidden := invisible[p.name]
		switch {
		case p.clean && len(p.found) > 0:
			t.Errorf("%s is correct, but there are findings of %s", p.name, p.found)
		case !p.clean && !hidden:
			visible++
			if len(p.found) > 0 {
				found++
			} else {
				t.Logf("missed: %s", p.name)
			}
		}
	}
	if found*100 < visible*85 {
		t.Errorf("%d of %d found, want 85%%", found, visible)
	}
	for name := range invisible {
		if !slices.ContainsFunc(programs, func(p *program) bool { return p.name == name }) {
			t.Errorf("there is no program %q", name)
		}
	}
	checkReadme(t, "corpus", table(programs))
}

// analyze records the findings in the programs.
func analyze(t *testing.T, programs []*program) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: "../arenatest"}, "./testdata/misuse")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatal("can't load the corpus:", err)
	}
	var graph *checker.Graph
	stats := statistics(func() { graph, err = checker.Analyze(arenavet.All, loaded, nil) })
	if err != nil {
		t.Fatal(err)
	}
	// The package's init makes all programs, in one expression after the other, and has no arena.
	if strings.Contains(strings.ReplaceAll(stats, "\tinit: too much", ""), "\t") {
		t.Errorf("functions were given up:\n%s", stats)
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			t.Fatal(action.Err)
		}
		for _, d := range action.Diagnostics {
			for _, p := range programs {
				if p.about(action.Package.Fset, d) && !slices.Contains(p.found, action.Analyzer.Name) {
					p.found = append(p.found, action.Analyzer.Name)
				}
			}
		}
	}
}

// about reports whether a finding is about a program: it lies within, and, for an incorrect program, the finding or a
// related place is on a marked line.
func (p *program) about(fset *token.FileSet, d analysis.Diagnostic) bool {
	places := []token.Pos{d.Pos}
	for _, r := range d.Related {
		places = append(places, r.Pos)
	}
	for _, pos := range places {
		at := fset.Position(pos)
		if p.file == filepath.Base(at.Filename) && p.first <= at.Line && at.Line <= p.last &&
			(p.clean || p.marked[at.Line] || strings.HasPrefix(p.name, "hidden/")) { // where only the allocation is marked
			return true
		}
	}
	return false
}

// table returns the table in README.md about the corpus.
func table(programs []*program) string {
	type count struct{ planted, visible, found int }
	themes := map[string]*count{}
	all := &count{}
	var order, missed []string
	for _, p := range programs {
		theme, _, _ := strings.Cut(p.name, "/")
		if p.clean {
			continue
		}
		if themes[theme] == nil {
			themes[theme] = &count{}
			order = append(order, theme)
		}
		for _, c := range []*count{themes[theme], all} {
			c.planted++
			if _, hidden := invisible[p.name]; !hidden {
				c.visible++
				if len(p.found) > 0 {
					c.found++
				}
			}
		}
		if _, hidden := invisible[p.name]; !hidden && len(p.found) == 0 {
			missed = append(missed, p.name)
		}
	}
	var b bytes.Buffer
	b.WriteString("| theme | planted | visible | found |\n|---|---|---|---|\n")
	for _, theme := range order {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", theme, themes[theme].planted, themes[theme].visible, themes[theme].found)
	}
	fmt.Fprintf(&b, "| **all** | %d | %d | %d |\n\n", all.planted, all.visible, all.found)
	fmt.Fprintf(&b, "Visible but missed: %s.\n", strings.Join(missed, "; "))
	return b.String()
}

// checkReadme compares a part of README.md, or writes it.
func checkReadme(t *testing.T, part, want string) {
	begin, end := "<!-- "+part+" -->\n", "<!-- end of "+part+" -->"
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(readme), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatal("README.md has no place for the corpus")
	case *update:
		if err := os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("README.md has\n%s\nwant\n%s\nrun go test -run TestCorpus -update", got, want)
	}
}

// invisible are the planted programs whose mistake the source doesn't show, or that are outside of all analyzers, each
// with the reason.
var invisible = map[string]string{
	"bounds/behind an object":   bounds,
	"bounds/before an object":   bounds,
	"bounds/behind a slice":     bounds,
	"bounds/behind a string":    bounds,
	"bounds/write behind bytes": bounds,
	"leak/goroutine":            "whether a goroutine waits forever depends on others",
}

const bounds = "an address is computed with package unsafe; no analyzer is about bounds"
