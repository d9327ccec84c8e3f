package appendgrow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// A fixer rewrites calls of append to calls of arena.Append.
type fixer struct {
	pass  *analysis.Pass
	calls map[token.Pos]*ast.CallExpr // by the position of the parenthesis, as in SSA
	files map[*ast.CallExpr]*ast.File
}

func (f *fixer) init(pass *analysis.Pass) {
	if f.calls != nil {
		return
	}
	*f = fixer{pass, map[token.Pos]*ast.CallExpr{}, map[*ast.CallExpr]*ast.File{}}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				f.calls[call.Lparen] = call
				f.files[call] = file
			}
			return true
		})
	}
}

// fix returns the fix for an append to the slice that source allocated. There is none unless the arena and the package
// can be named at the append.
func (f *fixer) fix(call *ssa.Call, source ssa.Value) []analysis.SuggestedFix {
	at := f.calls[call.Pos()]
	if at == nil || len(at.Args) < 2 {
		return nil
	}
	arena := f.arena(source)
	pkg := f.importName(f.files[at], at.Pos())
	s, plain := types.Unalias(f.pass.TypesInfo.TypeOf(at)).(*types.Slice) // which is what Append returns
	if arena == nil || pkg == "" || !f.means(arena, at.Pos()) || !plain || isInterface(s.Elem()) {
		return nil
	}
	edits := []analysis.TextEdit{{Pos: at.Fun.Pos(), End: at.Lparen + 1,
		NewText: []byte(pkg + ".Append(" + types.ExprString(arena) + ", ")}}
	last := at.Args[len(at.Args)-1]
	if b, ok := f.pass.TypesInfo.TypeOf(last).Underlying().(*types.Basic); ok && at.Ellipsis.IsValid() &&
		b.Info()&types.IsString != 0 {
		edits = append(edits,
			analysis.TextEdit{Pos: last.Pos(), End: last.Pos(), NewText: []byte("[]byte(")},
			analysis.TextEdit{Pos: last.End(), End: last.End(), NewText: []byte(")")})
	}
	return []analysis.SuggestedFix{{Message: "Use " + pkg + ".Append", TextEdits: edits}}
}

// arena returns the expression for the arena of the slice that a call returns, nil if it isn't in the call itself.
func (f *fixer) arena(source ssa.Value) ast.Expr {
	call, _ := result(source)
	if call == nil || f.calls[call.Pos()] == nil {
		return nil
	}
	if fn := api.Callee(&call.Call); fn != nil {
		return f.arenaOf(f.calls[call.Pos()], fn)
	}
	return nil
}

// arenaOf returns the expression for the arena in a call that allocates.
func (f *fixer) arenaOf(call *ast.CallExpr, fn *api.Func) ast.Expr {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok && f.pass.TypesInfo.Selections[sel] != nil {
		if api.TypeOf(f.pass.TypesInfo.TypeOf(sel.X)) != api.Arena {
			return nil // promoted from a field
		}
		return sel.X
	}
	if fn.From < len(call.Args) {
		return call.Args[fn.From]
	}
	return nil
}

// means reports whether an expression of names and fields means the same at another place: the same variable, set only
// once.
func (f *fixer) means(e ast.Expr, pos token.Pos) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj, ok := f.pass.TypesInfo.Uses[e].(*types.Var)
		if !ok || f.setAgain(obj) {
			return false
		}
		_, found := f.pass.Pkg.Scope().Innermost(pos).LookupParent(e.Name, pos)
		return found == obj
	case *ast.SelectorExpr:
		return f.means(e.X, pos)
	case *ast.UnaryExpr:
		return e.Op == token.AND && f.means(e.X, pos)
	}
	return false
}

// setAgain reports whether a variable is assigned to after its declaration.
func (f *fixer) setAgain(v *types.Var) (again bool) {
	for _, file := range f.pass.Files {
		if v.Pos() < file.FileStart || v.Pos() >= file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if assign, ok := n.(*ast.AssignStmt); ok {
				for _, left := range assign.Lhs {
					if id, ok := ast.Unparen(left).(*ast.Ident); ok && f.pass.TypesInfo.Uses[id] == v {
						again = true
					}
				}
			}
			return !again
		})
	}
	return again
}

// importName returns the name of package arena in a file, at a place.
func (f *fixer) importName(file *ast.File, pos token.Pos) string {
	for _, spec := range file.Imports {
		name := f.pass.TypesInfo.PkgNameOf(spec)
		if name == nil || name.Imported().Path() != api.Path || name.Name() == "." || name.Name() == "_" {
			continue
		}
		if _, obj := f.pass.Pkg.Scope().Innermost(pos).LookupParent(name.Name(), pos); obj == name {
			return name.Name()
		}
	}
	return ""
}

// isInterface reports whether Append could infer a narrower type from the items.
func isInterface(t types.Type) bool {
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return !isParam && types.IsInterface(t)
}
