package flow_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/harena-go/arena/arenavet/internal/"
	tools  = "golang.org/x/tools/go/"
)

// layers says what each part of the analysis may import beside the standard library.
// Who may not import package api knows no arenas; who may not import ssa, no code.
var layers = map[string][]string{
	"summary":      {},
	"std":          {},
	"std/library":  {tools + "analysis", tools + "analysis/checker", tools + "packages", module + "flow", module + "flow/shape", module + "flow/summary"},
	"std/generate": {module + "flow/std/library"},
	"shape":        {tools + "ssa"},
	"state":        {tools + "ssa", module + "api", module + "flow/shape", module + "flow/summary"},
	".": {tools + "ssa", tools + "analysis", module + "api", module + "guard", module + "ignore", module + "origin", module + "program",
		module + "flow/shape", module + "flow/state", module + "flow/std", module + "flow/summary"},
}

func TestImportsGoOneWay(t *testing.T) {
	dirs, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range dirs {
		if _, ok := layers[filepath.Dir(file)]; !ok {
			t.Errorf("%s: say in layers what this package may import", file)
		}
	}
	for dir, allowed := range layers {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if strings.Contains(path, ".") && !slices.Contains(allowed, path) {
					t.Errorf("%s imports %s, want none but %q", file, path, allowed)
				}
			}
		}
	}
}
