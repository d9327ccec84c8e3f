package rules_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/harena-go/arena/arenavet/internal/"

// layers are the packages, from the bottom to the top: each imports only those above it in this list. The tables know
// nothing of their use. Package engine asks rules/lifetime on its way through a function; the other rules ask the
// engine.
var layers = []string{
	"knowledge/api", "knowledge/std",
	"engine/summary", "engine/shape", "engine/guard", "engine/defuse", "engine/program", "engine/facts", "engine/state",
	"engine/code", "engine/keeps",
	"rules/ignore", "rules/finding",
	"engine/record", "rules/lifetime", "engine/summarize", "engine/apply", "engine/transfer", "engine",
	"rules", "rules/appendgrow", "rules/leak", "rules/misuse", "rules/noscan", "rules/poolput",
}

func TestImportsGoOneWay(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	more, err2 := filepath.Glob("../*/*/*.go")
	if err != nil || err2 != nil || len(files) == 0 || len(more) == 0 {
		t.Fatal("no files", err, err2)
	}
	for _, file := range append(files, more...) {
		layer := slices.Index(layers, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../"))
		if layer < 0 {
			t.Errorf("%s: say in layers where this package is", file)
		}
		if layer < 0 || strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if name, ok := strings.CutPrefix(path, module); ok && !slices.Contains(layers[:layer], name) {
				t.Errorf("%s imports %s, which isn't below it", file, name)
			}
		}
	}
}

// reports matches what decides that something is a mistake: a kind of finding, or a diagnostic.
var reports = regexp.MustCompile(`finding\.(UseAfter|Escape|Goroutine|Misuse|Kept)|analysis\.Diagnostic|\.Reportf?\(`)

// TestOnlyRulesReport holds that mistakes are found and worded in rules.
func TestOnlyRulesReport(t *testing.T) {
	for _, layer := range layers {
		files, err := filepath.Glob("../" + layer + "/*.go")
		if err != nil || len(files) == 0 {
			t.Errorf("%s: no files (%v)", layer, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if at := reports.Find(text); err != nil || at != nil && !strings.HasPrefix(layer, "rules") {
				t.Errorf("%s: %s %v", file, at, err)
			}
		}
	}
}
