package attack

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packages are those whose exported names must be in the alphabet.
var packages = map[string]string{"arena": "../../..", "collections": "../../../collections"}

// An exported is an exported name of a package: "arena.New", "arena.Arena.Reset".
type exported struct {
	name    string
	call    bool // a function or a method
	integer bool // with an integer among its parameters
}

// exportedNames reads them from the source, as the toolchain would build it.
func exportedNames(t *testing.T) (names []exported) {
	t.Helper()
	for pkg, dir := range packages {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := f.Name()
			if ok, err := build.Default.MatchFile(dir, name); err != nil || !ok || strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.AllErrors)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				names = append(names, exportedOf(pkg, d)...)
			}
		}
	}
	slices.SortFunc(names, func(a, b exported) int { return strings.Compare(a.name, b.name) })
	return names
}

// exportedOf returns the exported names of a declaration: functions, methods of
// exported types, types, constants and variables.
func exportedOf(pkg string, d ast.Decl) (names []exported) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := pkg + "." + d.Name.Name
		if d.Recv != nil {
			receiver := receiverOf(d.Recv.List[0].Type)
			if !ast.IsExported(receiver) {
				return nil
			}
			name = pkg + "." + receiver + "." + d.Name.Name
		}
		if d.Name.IsExported() {
			names = append(names, exported{name, true, hasInteger(d.Type.Params)})
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					names = append(names, exported{name: pkg + "." + s.Name.Name})
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						names = append(names, exported{name: pkg + "." + n.Name})
					}
				}
			}
		}
	}
	return names
}

func receiverOf(x ast.Expr) string {
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func hasInteger(params *ast.FieldList) bool {
	for _, p := range params.List {
		if id, ok := p.Type.(*ast.Ident); ok && slices.Contains([]string{"int", "int64", "uintptr", "uint64", "int32"}, id.Name) {
			return true
		}
	}
	return false
}

// TestEveryExportedCall: each exported call is part of an operation, so that a new function must be added here. A
// generic method does the same as the function of its name; the programs of internal/tests/model call both.
func TestEveryExportedCall(t *testing.T) {
	called := map[string]bool{}
	for i := range alphabet {
		for _, name := range strings.Fields(alphabet[i].calls) {
			called[name] = true
		}
	}
	exist := map[string]bool{}
	for _, e := range exportedNames(t) {
		exist[e.name] = true
		if !called[e.name] && !called[strings.Replace(e.name, "arena.Arena.", "arena.", 1)] {
			t.Errorf("no operation calls %s: add one to a table in ops_*_test.go", e.name)
		}
	}
	for name := range called {
		if !exist[name] {
			t.Errorf("an operation claims to call %s, which there isn't", name)
		}
	}
}
