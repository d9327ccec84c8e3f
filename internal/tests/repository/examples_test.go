package repository

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEveryNameHasAnExample fails for an exported function, type or method of a package
// that has no Example, or only such that are compiled but not run. A method may be in its type's.
func TestEveryNameHasAnExample(t *testing.T) {
	for dir, least := range map[string]int{".": 40, "collections": 90, "arenajson": 35, "arenahttp": 6, "arenaslog": 2, "arenaext": 38, "arenapprof": 3, "arenadebug": 2, "arenametrics": 5, "contrib/arenaproto": 10, "contrib/arenaprometheus": 6, "contrib/arenaotel": 4, "contrib/arenafasthttp": 6, "contrib/arenaarrow": 5, "contrib/arenapgx": 7, "contrib/arenasql": 6} {
		if checked := checkExamples(t, filepath.Join(root, dir)); checked < least {
			t.Errorf("%s: checked %d names only; has the package moved?", dir, checked)
		}
	}
}

// checkExamples does so for the package in a folder, and returns how many names it has.
func checkExamples(t *testing.T, dir string) (checked int) {
	pkg, err := build.ImportDir(dir, 0) // those files that this toolchain compiles
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, names := range [][]string{pkg.GoFiles, pkg.CgoFiles, pkg.TestGoFiles, pkg.XTestGoFiles} {
		for _, file := range names {
			f, err := parser.ParseFile(fset, filepath.Join(dir, file), nil, parser.AllErrors|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	docs, err := doc.NewFromFiles(fset, files, name(dir))
	if err != nil {
		t.Fatal(err)
	}

	check := func(name, example string, examples []*doc.Example) {
		checked++
		for _, e := range examples {
			if e.Output != "" || e.EmptyOutput {
				return
			}
		}
		t.Errorf("%s: %s has no Example with an // Output comment; add func %s to the example file of its topic", dir, name, example)
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
		called := map[string]bool{}
		for _, e := range typ.Examples {
			ast.Inspect(e.Code, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					called[s.Sel.Name] = true
				}
				return true
			})
		}
		for _, m := range typ.Methods {
			if called[m.Name] {
				checked++
				continue
			}
			check(typ.Name+"."+m.Name, "Example"+typ.Name+"_"+m.Name, m.Examples)
		}
	}
	return checked
}
