package fix

import (
	"go/ast"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has carriers that a sync.Pool keeps. Such a struct outlives its unit, and its arena doesn't: the field is
// set when the struct is taken from the pool, and cleared when it goes back.

// A put is a place at which one goes back.
type put struct {
	file *source.File
	stmt ast.Stmt      // *ast.ExprStmt or *ast.DeferStmt
	call *ast.CallExpr // pool.Put(v)
	name string        // of the variable
}

// pooled notes where structs are taken from pools, and where they go back.
func (g *graph) pooled(f *source.File, all map[string]*carrier) {
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		var call *ast.CallExpr
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			get, ok := ast.Unparen(n.X).(*ast.CallExpr)
			if !ok || n.Type == nil || !ofPool(f, get, "Get") {
				return true
			}
			t := f.Info.TypeOf(n.Type)
			c, at := all[typeKey(t)], g.spot(f.Path, n.Pos())
			if c != nil && at.in != nil && c.home(f) && source.IsPointer(t) {
				c.makes = append(c.makes, creation{at, n, f})
			}
			return true
		case *ast.ExprStmt:
			call, _ = n.X.(*ast.CallExpr)
		case *ast.DeferStmt:
			call = n.Call
		}
		if call == nil || len(call.Args) != 1 || !ofPool(f, call, "Put") {
			return true
		}
		id, ok := call.Args[0].(*ast.Ident)
		if c := all[typeKey(f.Info.TypeOf(call.Args[0]))]; ok && c != nil && c.home(f) && !sites.OfTest(f.Path) {
			c.puts = append(c.puts, put{file: f, stmt: n.(ast.Stmt), call: call, name: id.Name})
		}
		return true
	})
}

// ofPool reports whether a call is one of a method of sync.Pool.
func ofPool(f *source.File, call *ast.CallExpr, method string) bool {
	m := f.Func(call)
	return m != nil && m.FullName() == "(*sync.Pool)."+method
}
