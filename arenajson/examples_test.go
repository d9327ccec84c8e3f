package arenajson_test

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"testing"
)

// TestEveryNameHasAnExample fails for an exported function, type or method of
// the package that has no Example, or only such that are compiled but not run.
func TestEveryNameHasAnExample(t *testing.T) {
	pkg, err := build.ImportDir(".", 0) // those files that this toolchain compiles
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, names := range [][]string{pkg.GoFiles, pkg.CgoFiles, pkg.TestGoFiles, pkg.XTestGoFiles} {
		for _, name := range names {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	docs, err := doc.NewFromFiles(fset, files, "github.com/harena-go/arena/arenajson")
	if err != nil {
		t.Fatal(err)
	}

	checked := 0
	check := func(name, example string, examples []*doc.Example) {
		checked++
		for _, e := range examples {
			if e.Output != "" || e.EmptyOutput {
				return
			}
		}
		t.Errorf("%s has no Example with an // Output comment; add func %s to the example file of its topic", name, example)
	}
	check("the package", "Example", docs.Examples)
	for _, f := range docs.Funcs {
		check(f.Name, "Example"+f.Name, f.Examples)
	}
	for _, typ := range docs.Types {
		check(typ.Name, "Example"+typ.Name, typ.Examples)
		for _, f := range typ.Funcs { // that return the type
			check(f.Name, "Example"+f.Name, f.Examples)
		}
		for _, m := range typ.Methods {
			check(typ.Name+"."+m.Name, "Example"+typ.Name+"_"+m.Name, m.Examples)
		}
	}
	if checked < 35 {
		t.Errorf("checked %d names only; has the package moved?", checked)
	}
}
