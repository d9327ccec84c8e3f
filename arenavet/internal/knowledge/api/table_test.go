package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// TestTableIsComplete compares the table with the source of packages arena and arenatest: a new function must be
// entered, with its effect on memory.
func TestTableIsComplete(t *testing.T) {
	var got []string
	for name := range api.All() {
		got = append(got, name)
	}
	slices.Sort(got)
	want := append(exported(t, "../../../..", ""), exported(t, "../../../../arenatest", "arenatest.")...)
	for _, path := range []string{"arenajson", "collections", "contrib/arenapgx", "contrib/arenaproto", "contrib/arenasql"} {
		for _, name := range exported(t, "../../../../"+path, filepath.Base(path)+".") {
			if slices.Contains(got, name) { // only some of them matter
				want = append(want, name)
			}
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	if !slices.Equal(got, want) {
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s isn't in the table", name)
			}
		}
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("there is no %s", name)
			}
		}
	}
}

// exported returns the names of the functions and methods of a package, and of the methods of its interfaces. Generic
// methods of Arena get the names of the equivalent functions.
func exported(t *testing.T, dir, prefix string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files in", dir, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		generic := strings.Contains(name, "_go127") // which is not yet Go for Go 1.26, but may be read
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil && !generic {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			for _, n := range namesOf(decl) {
				if generic {
					n = strings.TrimPrefix(n, "Arena.")
				}
				names = append(names, prefix+n)
			}
		}
	}
	return names
}

func namesOf(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if !ast.IsExported(name) {
			return nil
		}
		if decl.Recv == nil {
			return []string{name}
		}
		recv := receiver(decl.Recv.List[0].Type)
		if !ast.IsExported(recv) {
			return nil
		}
		return []string{recv + "." + name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
				if i, ok := t.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						if m.Names != nil && m.Names[0].IsExported() {
							names = append(names, t.Name.Name+"."+m.Names[0].Name)
						}
					}
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
