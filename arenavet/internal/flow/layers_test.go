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

// layers lists the imports that each part of the analysis may have beside the standard library. A package that must not
// import api doesn't depend on arenas; one that must not import ssa, on code. The effects of instructions and the
// reports about them must not depend on each other.
var layers = map[string][]string{
	"summary":   {},
	"std":       {},
	"shape":     {tools + "ssa"},
	"state":     in("summary", "shape"),
	"code":      in("shape", "state", "std"),
	"finding":   in("state"),
	"record":    in("summary", "shape", "state", "code", "finding"),
	"report":    in("summary", "shape", "state", "code", "finding", "record"),
	"keeps":     in("summary", "shape", "state", "std", "code"),
	"summarize": in("summary", "shape", "state", "code", "record"),
	"apply":     in("summary", "shape", "state", "std", "code", "finding", "record", "report", "summarize"),
	"transfer":  in("summary", "shape", "state", "std", "code", "finding", "record", "report", "apply"),
	".":         in("summary", "shape", "state", "std", "code", "finding", "record", "transfer", "keeps"),
}

// in returns the imports that a part may have: some others, and theirs.
func in(parts ...string) []string {
	allowed := []string{tools + "ssa", tools + "analysis"}
	for _, name := range []string{"api", "defuse", "guard", "ignore", "program"} {
		allowed = append(allowed, module+name)
	}
	for _, part := range parts {
		allowed = append(allowed, module+"flow/"+part)
	}
	return allowed
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
