package repository

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file watches the mass of the repository: the lines of code of each module, the lines of files and functions, and
// the knots of files. Anything above a limit today is in testdata/ceilings.txt with its size, which is its own limit;
// that of a module has a twentieth more. After a change that makes something smaller,
//
//	go test ./internal/tests/repository -run TestMass -lower
//
// lowers the ceilings to the present sizes. Nothing but an editor raises one.

var lower = flag.Bool("lower", false, "lower the ceilings to today's sizes")

// limits hold for what testdata/ceilings.txt doesn't name.
var limits = map[string]int{
	"knot":  4,   // files of a package that know each other in a circle
	"file":  500, // lines
	"func":  80,  // lines
	"lines": 200, // of code of a module, by kind
}

// A size is something with a limit, such as the lines of a file.
type size struct{ kind, name string }

const ceilingsFile = "testdata/ceilings.txt"

// TestMass: nothing grows beyond its limit, or its ceiling where it is beyond the limit.
func TestMass(t *testing.T) {
	sizes := map[size]int{}
	files := tracked(t)
	measureFiles(t, files, sizes)
	knots := measureKnots(t, files, sizes)
	for s, n := range moduleLines(t, files, codeLines) {
		if path.Base(s.name) != "other" {
			sizes[s] = n
		}
	}
	ceilings := readCeilings(t)
	if *lower {
		writeCeilings(t, sizes, ceilings)
		return
	}
	for s, n := range sizes {
		most, ok := ceilings[s]
		if !ok {
			most = limits[s.kind]
		}
		if n > most {
			t.Errorf("%s %s: %d, at most %d %s", s.kind, s.name, n, most, strings.Join(knots[s.name], " "))
		}
	}
	for s := range ceilings {
		if s.kind != "lines" && sizes[s] <= limits[s.kind] {
			t.Errorf("%s %s is gone or small enough: -lower removes its ceiling", s.kind, s.name)
		}
	}
}

// tracked returns the files that git knows and that are there, relative to the root, sorted.
func tracked(t *testing.T) (files []string) {
	c := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		t.Skip("no git here, or no clone: ", err)
	}
	for _, file := range strings.Fields(string(out)) {
		if exists(filepath.Join(root, file)) {
			files = append(files, file)
		}
	}
	if len(files) < 500 {
		t.Fatalf("only %d files", len(files))
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func readCeilings(t *testing.T) map[size]int {
	text, err := os.ReadFile(ceilingsFile)
	if err != nil && !*lower {
		t.Fatal(err)
	}
	ceilings := map[size]int{}
	for line := range strings.Lines(string(text)) {
		var s size
		var n int
		if _, err := fmt.Sscan(line, &s.kind, &s.name, &n); err != nil {
			t.Fatalf("%s: %q: %v", ceilingsFile, line, err)
		}
		ceilings[s] = n
	}
	return ceilings
}

// writeCeilings writes the sizes beyond the limits. Lines of modules may grow by a twentieth, and those
// of small ones by 100.
func writeCeilings(t *testing.T, sizes, ceilings map[size]int) {
	var out bytes.Buffer
	for _, s := range sorted(sizes) {
		n := sizes[s]
		if s.kind == "lines" {
			n += max(n/20, 100)
		}
		if old, ok := ceilings[s]; ok {
			n = min(n, old)
		} else if len(ceilings) > 0 && s.kind != "lines" && n > limits[s.kind] {
			t.Errorf("%s %s: %d, at most %d", s.kind, s.name, n, limits[s.kind])
			continue
		}
		if n > limits[s.kind] {
			fmt.Fprintln(&out, s.kind, s.name, n)
		}
	}
	if err := os.WriteFile(ceilingsFile, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func sorted(sizes map[size]int) []size {
	return slices.SortedFunc(maps.Keys(sizes), func(a, b size) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
	})
}

// isOurs reports whether a file is Go code that somebody wrote and maintains.
func isOurs(file, text string) bool {
	return strings.HasSuffix(file, ".go") && !inTestdata(file) && !isGenerated(text)
}

func inTestdata(file string) bool { return strings.Contains("/"+file, "/testdata/") }

var generatedHead = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// isGenerated reports whether a Go file says so before its package clause.
func isGenerated(text string) bool {
	head, _, _ := strings.Cut(text, "\npackage ")
	return generatedHead.MatchString(head)
}

// measureFiles records the lines of files and functions.
func measureFiles(t *testing.T, files []string, sizes map[size]int) {
	for _, file := range files {
		text := read(t, file)
		if !isOurs(file, text) {
			continue
		}
		sizes[size{"file", file}] = strings.Count(text, "\n")
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, text, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		if err != nil && !newerSyntax(f) {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok {
				s := size{"func", file + ":" + d.Name.Name}
				sizes[s] = max(sizes[s], fset.Position(d.End()).Line-fset.Position(d.Pos()).Line+1)
			}
		}
	}
}

// measureKnots records the largest knot of each package's production files: files that know each
// other both ways, if only through others. A file knows another if it names something that is
// declared there. It returns the files of the knots.
func measureKnots(t *testing.T, files []string, sizes map[size]int) map[string][]string {
	knots, packages := map[string][]string{}, map[string]bool{}
	for _, file := range files {
		if dir := path.Dir(file); strings.HasSuffix(file, ".go") && !inTestdata(file) && len(sources(filepath.Join(root, dir))) > 1 {
			packages[dir] = true
		}
	}
	if len(packages) < 50 {
		t.Fatalf("only %d packages", len(packages))
	}
	for dir := range packages {
		knots[dir] = largestKnot(fileGraph(t, filepath.Join(root, dir)))
		sizes[size{"knot", dir}] = len(knots[dir])
	}
	return knots
}

// TestLines prints the lines of each module: go test ./internal/tests/repository -run TestLines -v.
func TestLines(t *testing.T) {
	lines := moduleLines(t, tracked(t), allLines)
	kinds := []string{"production", "test", "generated", "testdata", "other"}
	var out strings.Builder
	row := func(module string, of func(kind string) int) {
		fmt.Fprintf(&out, "%-28s", module)
		sum := 0
		for _, kind := range kinds {
			sum += of(kind)
			fmt.Fprintf(&out, "%11d", of(kind))
		}
		fmt.Fprintf(&out, "%11d\n", sum)
	}
	total := map[string]int{}
	for _, file := range modules(t) {
		dir, _ := filepath.Rel(root, filepath.Dir(file))
		row(dir, func(kind string) int { return lines[size{"lines", dir + "/" + kind}] })
		for _, kind := range kinds {
			total[kind] += lines[size{"lines", dir + "/" + kind}]
		}
	}
	row("all", func(kind string) int { return total[kind] })
	t.Logf("lines by module\n%-28s%11s%11s%11s%11s%11s%11s\n%s", "", "production", "test", "generated", "testdata", "other", "all", out.String())
}

func allLines(text string) int { return strings.Count(text, "\n") }

// codeLines counts the lines of Go code that have more than a comment.
func codeLines(text string) (n int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // the scanner's own
		}
		first := file.PositionFor(pos, false).Line // whatever //line says
		end := first + strings.Count(lit, "\n")
		n += end - max(first, last+1) + 1
		last = max(last, end)
	}
}

// moduleLines counts the lines of each module by kind. What isn't Go code, such as pages, and what
// isn't text, is other. Helpers for tests are tests.
func moduleLines(t *testing.T, files []string, count func(text string) int) map[size]int {
	var dirs []string
	for _, file := range modules(t) {
		dir, _ := filepath.Rel(root, filepath.Dir(file))
		dirs = append(dirs, filepath.ToSlash(dir))
	}
	lines := map[size]int{}
	for _, file := range files {
		module := "."
		for _, dir := range dirs {
			if strings.HasPrefix(file, dir+"/") && (module == "." || len(dir) > len(module)) {
				module = dir
			}
		}
		text := read(t, file)
		kind := "other"
		switch {
		case inTestdata(file):
			kind = "testdata"
		case !strings.HasSuffix(file, ".go"):
		case isGenerated(text):
			kind = "generated"
		case strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testkit/"):
			kind = "test"
		default:
			kind = "production"
		}
		if !strings.HasSuffix(file, ".go") {
			lines[size{"lines", module + "/" + kind}] += allLines(text)
			continue
		}
		lines[size{"lines", module + "/" + kind}] += count(text)
	}
	return lines
}

// read returns a file's text, by its name relative to the root.
func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
