package escape

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
)

// This file holds what is proposed where memory is kept by an assignment: to keep a copy on the
// heap. That is one expression around another: strings.Clone(x), or arena.CloneOut(a, x).

// copied returns the fix, none if there is no such assignment, or if a name that is needed means
// something else there.
func copied(pass *analysis.Pass, x finding.Finding) []analysis.SuggestedFix {
	file, value := kept(pass, x.Pos)
	if value == nil {
		return nil
	}
	var pkg, call string
	switch t := pass.TypesInfo.TypeOf(value).Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			return nil
		}
		pkg, call = "strings", "Clone("
	case *types.Pointer, *types.Slice, *types.Map:
		arena := ended(pass, x, value.Pos())
		if arena == "" {
			return nil
		}
		pkg, call = api.Path, "CloneOut("+arena+", "
	default:
		return nil
	}
	name, imported := importOf(pass, file, pkg, value.Pos())
	if name == "" {
		return nil
	}
	edits := append(imported,
		analysis.TextEdit{Pos: value.Pos(), End: value.Pos(), NewText: []byte(name + "." + call)},
		analysis.TextEdit{Pos: value.End(), End: value.End(), NewText: []byte(")")})
	return []analysis.SuggestedFix{{Message: fmt.Sprintf("Keep a copy: %s.%s...)", name, call), TextEdits: edits}}
}

// kept returns the expression that an assignment puts into the place at pos, nil if there is no
// assignment of one expression to each place, and its file.
func kept(pass *analysis.Pass, pos token.Pos) (*ast.File, ast.Expr) {
	for _, file := range pass.Files {
		if pos < file.FileStart || file.FileEnd <= pos {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(file, pos, pos)
		for _, n := range path {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				continue
			}
			if assign.Tok != token.ASSIGN || len(assign.Lhs) != len(assign.Rhs) {
				return nil, nil
			}
			for i, place := range assign.Lhs {
				if place.Pos() <= pos && pos <= place.End() {
					return file, assign.Rhs[i]
				}
			}
			return nil, nil
		}
	}
	return nil, nil
}

// ended returns the name of the variable whose arena is reset or put back, "" if it is none that
// is known by that name at pos.
func ended(pass *analysis.Pass, x finding.Finding, pos token.Pos) string {
	call, ok := x.Ended.(ssa.CallInstruction)
	if !ok {
		return ""
	}
	for _, v := range call.Common().Args {
		if api.TypeOf(v.Type()) != api.Arena {
			continue
		}
		scope := pass.Pkg.Scope().Innermost(pos)
		if scope == nil {
			return ""
		}
		for s := scope; s != nil && s != pass.Pkg.Scope(); s = s.Parent() {
			for _, name := range s.Names() {
				obj := s.Lookup(name)
				if api.TypeOf(obj.Type()) == api.Arena && obj.Pos() < pos && isOf(pass, obj, x.Ended) {
					return name
				}
			}
		}
	}
	return ""
}

// isOf reports whether a variable is what a call is given, or called on, and nothing is done to it
// but to be declared.
func isOf(pass *analysis.Pass, obj types.Object, call ssa.Instruction) bool {
	found, assigned := false, false
	for _, file := range pass.Files {
		if obj.Pos() < file.FileStart || file.FileEnd <= obj.Pos() {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, place := range n.Lhs {
					id, ok := place.(*ast.Ident)
					assigned = assigned || ok && pass.TypesInfo.Uses[id] == obj
				}
			case *ast.DeferStmt:
				found = found || n.Defer == call.Pos() && uses(pass, n.Call, obj)
			case *ast.CallExpr:
				found = found || n.Lparen == call.Pos() && uses(pass, n, obj)
			}
			return true
		})
	}
	return found && !assigned
}

// uses reports whether a call is given what is in a variable, or is that of a method of it.
func uses(pass *analysis.Pass, call *ast.CallExpr, obj types.Object) bool {
	operands := call.Args
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		operands = append([]ast.Expr{sel.X}, operands...)
	}
	return slices.ContainsFunc(operands, func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && pass.TypesInfo.Uses[id] == obj
	})
}

// importOf returns by which name a file knows a package at pos, and how it gets to do so if it
// doesn't yet. The name is "" if it means something else there.
func importOf(pass *analysis.Pass, file *ast.File, path string, pos token.Pos) (string, []analysis.TextEdit) {
	scope := pass.Pkg.Scope().Innermost(pos)
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(path) || scope == nil {
			continue
		}
		name := pass.TypesInfo.PkgNameOf(spec).Name()
		if _, obj := scope.LookupParent(name, pos); obj == pass.TypesInfo.PkgNameOf(spec) {
			return name, nil
		}
		return "", nil
	}
	if path != "strings" || scope == nil || len(file.Decls) == 0 {
		return "", nil
	}
	if _, obj := scope.LookupParent(path, pos); obj != nil {
		return "", nil
	}
	at, text := file.Name.End(), "\n\nimport \"strings\""
	if decl, ok := file.Decls[0].(*ast.GenDecl); ok && decl.Tok == token.IMPORT {
		if text = "import \"strings\"\n"; decl.Lparen.IsValid() {
			at, text = decl.Rparen, "\t\"strings\"\n"
		} else {
			at = decl.Pos()
		}
	}
	return path, []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}
}
