package repository

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists which packages of the module each package may import. A package that isn't
// listed imports none.
var layers = map[string]string{
	"arena":       "block deepclone inspect layout learn memory poolstats profile race stray tuning walk watch",
	"collections": "arena asan block hash inspect layout race tuning",
	"arenatest":   "arena holder inspect race watch",
	"arenajson":   "arena arenaext decode encode mem option plan syntax text",
	"arenahttp":   "arena arenaext arenajson inspect",
	"arenaslog":   "arena",
	"arenaext":    "arena inspect layout smallmap",

	"arenahttp/arenahttptest": "arena arenatest",

	"arenajson/internal/decode": "arena mem number option plan smallmap syntax text",
	"arenajson/internal/encode": "mem number option plan syntax text",
	"arenajson/internal/plan":   "arena mem option smallmap text",
	"arenajson/internal/syntax": "mem number option text",
	"arenajson/internal/text":   "mem option",
	"arenajson/internal/number": "mem",

	"internal/engine/memory":    "asan block fill layout tuning",
	"internal/diagnose/watch":   "asan block fill guard inspect layout memory race tuning",
	"internal/learn":            "layout memory tuning",
	"internal/poolstats":        "tuning watch",
	"internal/diagnose/profile": "tuning watch",
	"internal/diagnose/stray":   "inspect memory tuning walk watch",

	"arenadebug":               "arena arenametrics arenapprof",
	"arenapprof":               "arena profile",
	"internal/engine/block":    "asan tuning",
	"internal/deepclone":       "block layout",
	"arenametrics":             "arena poolstats watch",
	"internal/engine/fill":     "layout walk",
	"internal/engine/guard":    "tuning",
	"internal/engine/hash":     "layout",
	"internal/diagnose/holder": "holder/dump holder/search holder/symbols",
	"internal/engine/race":     "tuning",
	"internal/tests/testkit":   "asan layout race",
	"internal/engine/smallmap": "layout",
	"internal/engine/walk":     "layout",

	"internal/diagnose/holder/dump":    "guard",
	"internal/diagnose/holder/search":  "holder/dump holder/symbols",
	"internal/diagnose/holder/symbols": "holder/dump",
}

// shelf is the part of a path that the lists leave out.
var shelf = regexp.MustCompile(`^(arenajson/)?internal/((engine|diagnose|tests)/)?`)

// TestLayers: imports lead downwards only. Tests may import anything.
func TestLayers(t *testing.T) {
	const module = "github.com/harena-go/arena"
	shelves, _ := filepath.Glob(filepath.Join(root, "internal", "*"))
	rooms, _ := filepath.Glob(filepath.Join(root, "internal", "*", "*"))
	inner, _ := filepath.Glob(filepath.Join(root, "internal", "diagnose", "*", "*"))
	json, _ := filepath.Glob(filepath.Join(root, "arenajson", "internal", "*"))
	dirs := slices.Concat(shelves, rooms, inner, json)
	dirs = append(dirs, root, filepath.Join(root, "collections"), filepath.Join(root, "arenatest"), filepath.Join(root, "arenajson"), filepath.Join(root, "arenahttp"), filepath.Join(root, "arenapprof"), filepath.Join(root, "arenadebug"), filepath.Join(root, "arenametrics"), filepath.Join(root, "arenaslog"), filepath.Join(root, "arenaext"), filepath.Join(root, "arenahttp", "arenahttptest"))
	seen := 0
	for _, dir := range dirs {
		allowed := strings.Fields(layers[name(dir)])
		for _, file := range sources(dir) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				rest, ours := strings.CutPrefix(path, module)
				if !ours {
					continue
				}
				seen++
				short := shelf.ReplaceAllString(strings.TrimPrefix(rest, "/"), "")
				if short == "" {
					short = "arena"
				}
				if !slices.Contains(allowed, short) {
					t.Errorf("%s imports %s; %s may import: %s", file, path, name(dir), strings.Join(allowed, ", "))
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d imports seen", seen)
	}
}

// TestOnePublicDoor: a released module, whose version may differ from the root's, imports nothing internal of the root,
// apart from its tests. scout has the root's version.
func TestOnePublicDoor(t *testing.T) {
	const internal = `"github.com/harena-go/arena/internal/`
	seen := 0
	for _, mod := range modules(t) {
		dir, _ := filepath.Rel(root, filepath.Dir(mod))
		if dir == "." || dir == "scout" || strings.HasPrefix(dir, "bench") || dir == "conformance" {
			continue
		}
		err := filepath.WalkDir(filepath.Dir(mod), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			seen++
			if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), internal) {
				t.Errorf("%s imports an internal package of the root (%v)", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if text := read(t, "scout/go.mod"); !strings.Contains(text, "// Versioned with the root:") {
		t.Error("scout/go.mod doesn't say that scout is versioned with the root")
	}
	if seen < 100 {
		t.Errorf("only %d files", seen)
	}
}

// TestEngineKnowsNobody: the engine doesn't mention the layers above it, except in the seams.
func TestEngineKnowsNobody(t *testing.T) {
	above := regexp.MustCompile(`\b(Arena|Pool|Shared|Checks|Escape|Mark)\b|\bbudgets?\b`)
	inSeams := regexp.MustCompile(`\b(Arena|Pool)\b`)
	files := sources(filepath.Join(root, "internal", "engine", "memory"))
	if len(files) < 10 {
		t.Fatalf("files %q", files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := above
		if base := filepath.Base(file); base == "seams.go" || base == "space.go" {
			words = inSeams // which have an operation Mark
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := words.FindString(strings.ReplaceAll(line, "sync.Pool", "")); word != "" {
				t.Errorf("%s:%d says %s: %s", file, i+1, word, strings.TrimSpace(line))
			}
		}
	}
}

// noImports knows no package: declarations in others don't matter here.
type noImports struct{ types.Importer }

func (noImports) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// oneBuild is the build whose files fileGraph reads: the same everywhere, so that a ceiling holds for each
// system and version of Go. Files for newer versions are left out.
var oneBuild = func() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags, c.ToolTags = "linux", "amd64", true, nil, nil
	c.ReleaseTags = slices.DeleteFunc(slices.Clone(c.ReleaseTags), func(tag string) bool {
		return version.Compare(tag, "go1.26") > 0
	})
	return c
}()

// fileGraph returns which files of a package know which.
func fileGraph(t *testing.T, dir string) map[string][]string {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range sources(dir) {
		if ok, err := oneBuild.MatchFile(dir, filepath.Base(name)); err != nil || !ok {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.AllErrors)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: noImports{importer.Default()}, Error: func(error) {}}
	pkg, _ := config.Check("p", fset, files, &info)
	graph := map[string][]string{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(fset.Position(ident.Pos()).Filename), filepath.Base(fset.Position(object.Pos()).Filename)
		if from != to && !slices.Contains(graph[from], to) {
			graph[from] = append(graph[from], to)
		}
	}
	return graph
}

// largestKnot returns the largest strongly connected part of a graph, sorted.
func largestKnot(graph map[string][]string) (knot []string) {
	reach := func(from string) map[string]bool {
		seen := map[string]bool{}
		var visit func(string)
		visit = func(n string) {
			for _, to := range graph[n] {
				if !seen[to] {
					seen[to] = true
					visit(to)
				}
			}
		}
		visit(from)
		return seen
	}
	reached := map[string]map[string]bool{}
	for n := range graph {
		reached[n] = reach(n)
	}
	for n := range graph {
		var with []string
		for m := range reached[n] {
			if reached[m][n] {
				with = append(with, m)
			}
		}
		if len(with) > len(knot) {
			slices.Sort(with)
			knot = with
		}
	}
	return knot
}
