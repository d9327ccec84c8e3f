package arenavet_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// source returns the files of a package of the standard library.
func source(t testing.TB, path string) map[string]string {
	t.Helper()
	known, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	files, err := known.source(path)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// source returns the files of a package.
func (known library) source(path string) (map[string]string, error) {
	files := map[string]string{}
	for _, name := range known[path].CompiledGoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(name)] = string(text)
	}
	return files, nil
}

// withArenas is library.withArenas for a package of the standard library.
func withArenas(t testing.TB, path string) map[string]string {
	t.Helper()
	known, err := imports()
	if err != nil {
		t.Fatal(err)
	}
	files, err := known.withArenas(path)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// withArenas returns a package moved to arenas: its functions pass an arena on to each other, as their first argument,
// and each &T{} and new(T) is allocated from it.
func (known library) withArenas(path string) (map[string]string, error) {
	files, err := known.source(path)
	if err != nil {
		return nil, err
	}
	s, err := known.parse(path, files)
	if err != nil {
		return nil, err
	}
	r := &rewriter{subject: s, edits: map[string][]edit{}, skip: map[types.Object]bool{}, methods: map[string]bool{}}
	r.keepUnchanged()
	for _, f := range r.files {
		ast.Inspect(f, r.node)
	}
	for name, text := range files {
		edits := r.edits[name]
		slices.SortStableFunc(edits, func(a, b edit) int { return 2*(b.at-a.at) + b.drop - a.drop })
		for _, e := range edits {
			text = text[:e.at] + e.text + text[e.at+e.drop:]
		}
		files[name] = text + "\nvar _ arena_pkg.Arena\n"
	}
	files["arena.go"] = "package " + r.pkg.Name() + "\n\nimport arena_pkg \"github.com/harena-go/arena\"\n\nvar arena_ *arena_pkg.Arena\n"
	return files, nil
}

type edit struct {
	at, drop int
	text     string
}

type rewriter struct {
	*subject
	edits map[string][]edit
	skip  map[types.Object]bool // functions that don't get an arena

	methods map[string]bool // names of the methods of interfaces
}

// keepUnchanged finds the functions that are used as values, or by interfaces.
func (r *rewriter) keepUnchanged() {
	called := map[*ast.Ident]bool{}
	for _, f := range r.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if params := n.Type.Params.List; n.Body == nil || len(params) > 0 && params[0].Names == nil {
					r.skip[r.info.Defs[n.Name]] = true
				}
			case *ast.CallExpr:
				if id := name(n.Fun); id != nil {
					called[id] = true
				}
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, id := range m.Names {
						r.methods[id.Name] = true
					}
				}
			}
			return true
		})
	}
	for id, obj := range r.info.Uses {
		if fn, ok := obj.(*types.Func); ok && !called[id] {
			r.skip[fn.Origin()] = true
		}
	}
}

// name returns the identifier of a called function.
func name(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// changes reports whether a function gets an arena.
func (r *rewriter) changes(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	return ok && fn.Pkg() == r.pkg && !fn.Exported() && fn.Name() != "init" && fn.Name() != "main" && !r.methods[fn.Name()] && !r.skip[fn.Origin()]
}

func (r *rewriter) insert(pos token.Pos, drop int, text string) {
	at := r.fset.Position(pos)
	r.edits[at.Filename] = append(r.edits[at.Filename], edit{at.Offset, drop, text})
}

// node changes one node.
func (r *rewriter) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.File:
		r.insert(n.Name.End(), 0, "; import arena_pkg \"github.com/harena-go/arena\"")
	case *ast.FuncDecl:
		if r.changes(r.info.Defs[n.Name]) {
			r.insert(n.Type.Params.Opening+1, 0, "arena_ *arena_pkg.Arena, ")
		}
	case *ast.CallExpr:
		if id := name(n.Fun); id != nil && r.changes(r.info.Uses[id]) {
			r.insert(n.Lparen+1, 0, "arena_, ")
		}
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
			r.insert(n.OpPos, 1, "arena_pkg.NewOf(arena_, ")
			r.insert(lit.Rbrace+1, 0, ")")
		}
	}
	return true
}
