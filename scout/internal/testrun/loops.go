package testrun

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/harena-go/arena/scout/internal/target"
)

// This file makes benchmarks of tests: many packages have no others, and their tests run the relevant work.

// A loop runs a test as often as package testing wants. It is a file of the package itself, or of its external test
// package, for the compiler only.
//
//go:embed loop.txt
var loop string

// looped is the benchmark of one test.
const looped = "func Benchmark%s(b *zztesting.B) { zzLoop(b, %[1]q, %[1]s) }\n"

// IsLoop reports whether Loop made a benchmark.
func IsLoop(p *target.Package, bench string) bool {
	test := fmt.Appendf(nil, looped, strings.TrimPrefix(bench, "Benchmark"))
	for _, text := range p.Loops {
		if bytes.Contains(text, test) {
			return true
		}
	}
	return false
}

// Loop makes a benchmark of each of the package's tests with a matching name, beside the existing ones, and returns
// their names: BenchmarkTestX for TestX. All builds of the package have them from then on.
func Loop(p *target.Package, match string) (names []string, err error) {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return nil, err
	}
	p.Loops = map[string][]byte{}
	for suffix, files := range p.Tests {
		var text strings.Builder
		for _, name := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range tree.Decls {
				if name := test(d); name != "" && wanted.MatchString(name) {
					fmt.Fprintf(&text, looped, name)
					names = append(names, "Benchmark"+name)
				}
			}
		}
		if text.Len() > 0 {
			path := filepath.Join(p.Dir, "zzloop"+suffix+"_test.go")
			p.Loops[path] = []byte("package " + p.Name + suffix + "\n\n" + loop + text.String())
		}
	}
	return names, nil
}

// test returns the name of the test that a declaration declares, "" for anything else, such as TestMain.
func test(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Type.Params.NumFields() != 1 ||
		types.ExprString(f.Type.Params.List[0].Type) != "*testing.T" {
		return ""
	}
	return f.Name.Name
}
