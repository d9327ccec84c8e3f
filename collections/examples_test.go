package collections_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEveryNameHasAnExample fails for an exported function, type or method that has
// no Example, or only such that are compiled but not run.
func TestEveryNameHasAnExample(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	docs, err := doc.NewFromFiles(fset, files, "github.com/harena-go/arena/collections")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	check := func(name string, examples []*doc.Example) {
		checked++
		for _, e := range examples {
			if e.Output != "" || e.EmptyOutput {
				return
			}
		}
		t.Errorf("%s has no Example with an // Output comment", name)
	}
	check("the package", docs.Examples)
	for _, typ := range docs.Types {
		check(typ.Name, typ.Examples)
		for _, f := range typ.Funcs {
			check(f.Name, f.Examples)
		}
		for _, m := range typ.Methods {
			check(typ.Name+"."+m.Name, m.Examples)
		}
	}
	if checked < 90 {
		t.Errorf("checked %d names only", checked)
	}
}
