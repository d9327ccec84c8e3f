package arenavet_test

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
	"github.com/harena-go/arena/arenavet/leak"
)

// testdata is a module of programs with mistakes. Loading it with its dependencies takes longer than the analyzers do,
// so it is loaded once, for all of them.
var testdata struct {
	once     sync.Once
	services *analysis.Pass
	found    map[string][]string // in services: findings, by their functions
	silenced []int               // lines of folder ignore with findings of leak
}

// TestAnalyzers: in each folder of testdata named for an analyzer, that analyzer has the findings of the comments, and
// the fixes of the golden files.
func TestAnalyzers(t *testing.T) { loadTestdata(t) }

func loadTestdata(t *testing.T) {
	testdata.once.Do(func() {
		one := &analysis.Analyzer{Name: "byfolder", Doc: "run the analyzer that a folder is named for", Run: byFolder}
		patterns := []string{"./services"}
		for _, a := range arenavet.All {
			patterns = append(patterns, "./"+a.Name+"/...")
			one.Requires = append(one.Requires, a.Requires...)
		}
		slices.SortFunc(one.Requires, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) })
		one.Requires = slices.Compact(one.Requires)
		analysistest.RunWithSuggestedFixes(t, "testdata", one, patterns...)
	})
}

func byFolder(pass *analysis.Pass) (any, error) {
	folder := strings.TrimSuffix(strings.Split(pass.Pkg.Path(), "/")[1], "_test")
	quiet := *pass
	switch folder {
	case "services":
		testdata.services, testdata.found = pass, map[string][]string{}
		for _, a := range arenavet.All {
			quiet.Report = func(d analysis.Diagnostic) {
				name, at := function(pass, d), pass.Fset.Position(d.Pos)
				testdata.found[name] = append(testdata.found[name], fmt.Sprintf("%s:%d: %s: %s", filepath.Base(at.Filename), at.Line, a.Name, d.Message))
			}
			if _, err := a.Run(&quiet); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case ignore.Analyzer.Name:
		quiet.Report = func(d analysis.Diagnostic) {
			testdata.silenced = append(testdata.silenced, pass.Fset.Position(d.Pos).Line)
		}
		if _, err := leak.Analyzer.Run(&quiet); err != nil {
			return nil, err
		}
	}
	i := slices.IndexFunc(arenavet.All, func(a *analysis.Analyzer) bool { return a.Name == folder })
	if i < 0 { // the go command's own package, which runs tests
		return nil, nil
	}
	_, err := arenavet.All[i].Run(pass)
	return nil, err
}

// function returns the name of a finding's function.
func function(pass *analysis.Pass, d analysis.Diagnostic) string {
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= d.Pos && d.Pos < fn.End() {
				return fn.Name.Name
			}
		}
	}
	return "none"
}

// TestSilenced counts the remaining findings of a test file with one in each function; the functions' names say which
// ones are silenced.
func TestSilenced(t *testing.T) {
	loadTestdata(t)
	if want := []int{25, 29, 34, 41, 46}; !slices.Equal(testdata.silenced, want) {
		t.Errorf("findings in lines %v, want %v", testdata.silenced, want)
	}
}

// TestCategories: each category of findings has a section in the README, to which its findings link.
func TestCategories(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range arenavet.All {
		if !strings.Contains(string(readme), "\n### "+a.Name+"\n") {
			t.Errorf("README.md has no section %s", a.Name)
		}
	}
	seen := map[string]bool{}
	const more = `
func More(a *arena.Arena, list []*T) {
	arena.Append(a, list, nil)
} //arenavet:ignore

type bytesPool interface{ Put(*[]byte) }

func Given(p bytesPool, b *[]byte) byte {
	p.Put(b)
	return (*b)[0]
}
`
	for _, d := range generate(t, mistaken+mistakes+more).analyze(t, arenavet.All) {
		seen[d.Category] = true
		if d.URL != ignore.Page+"#"+d.Category {
			t.Errorf("%s: link to %s", d.Message, d.URL)
		}
	}
	for _, a := range arenavet.All {
		if !seen[a.Name] {
			t.Errorf("no finding is of category %s", a.Name)
		}
	}
}

func TestAnalyzersAreValid(t *testing.T) {
	if err := analysis.Validate(arenavet.All); err != nil {
		t.Error(err)
	}
}
