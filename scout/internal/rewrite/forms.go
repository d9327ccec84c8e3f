package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has the forms that can be moved, and into what. Lines stay lines, so that reports name those of the
// original, and operands stay where they are, in their order, so that one may be moved within another.

// What becomes of each form. The functions are those of arena.txt, which allocate in the arena of the unit
// that runs:
//
//	&T{...}            zzarena.NewOf(zzarenascout.A, T{...})
//	new(T)             zzarena.New[T](zzarenascout.A)
//	[]T{...}           zzarenascout.Copy([]T{...})
//	{...} in []*T{{}}  zzarena.NewOf(zzarenascout.A, T{...})
//	make([]T, n)       zzarenascout.Make[[]T](n)
//	append(s, x, y)    append(zzarenascout.Room(s, 2), x, y)
//	append(s, t...)    zzarenascout.AppendAll(s, t)
//	string(b)          string(zzarenascout.String(b))
//	[]byte(s)          []byte(zzarenascout.Bytes(s))
//	s + t + u          zzarenascout.Concat(s, t, u)
//	s += t             s = zzarenascout.Concat(s, t)
//	x := v; &x         x := zzarena.NewOf(zzarenascout.A, v); x, see package variable
//
// New and NewOf are called as a program would, since they are inlined.

// A builder collects the edits of one expression.
type builder struct {
	copy  *Copy
	file  *source.File
	edits []edit.Edit
}

// replace puts text in the place of the source between two positions.
func (b *builder) replace(from, to token.Pos, text string) {
	b.edits = append(b.edits, edit.Edit{From: b.copy.offset(from), To: b.copy.offset(to), Text: text})
}

// wrap puts text around a node. What is put around the operand of an expression encloses the operand's own.
func (b *builder) wrap(n ast.Node, before, after string, operand bool) {
	b.edits = append(b.edits, edit.Around(b.copy.offset(n.Pos()), b.copy.offset(n.End()), before, after, operand)...)
}

// rewrite adds the edits for an expression. It returns false, and adds none, if there is nothing that means the same.
func (b *builder) rewrite(e source.Expr) bool {
	switch n := e.Node.(type) {
	case *ast.UnaryExpr: // &T{}
		b.wrap(n, "", ")", false)
		b.replace(n.Pos(), n.Pos()+1, lib+".NewOf("+units+", ")
		return true
	case *ast.CompositeLit: // []T{}, or {} in []*T{{}}
		before := name + ".Copy("
		switch b.file.Info.TypeOf(n).Underlying().(type) {
		case *types.Slice:
		case *types.Pointer:
			before = lib + ".NewOf(" + units + ", "
		default:
			return false
		}
		if n.Type == nil {
			t := b.file.Elided(n)
			if t == nil {
				return false
			}
			before += types.ExprString(t)
		}
		b.wrap(n, before, ")", false)
		return true
	case *ast.BinaryExpr:
		return b.concat(n)
	case *ast.AssignStmt:
		return b.concatAssign(n)
	case *ast.CallExpr:
		return b.call(n, e.Type)
	}
	return false
}

// call rewrites conversions and builtin functions.
func (b *builder) call(n *ast.CallExpr, t types.Type) bool {
	if b.file.Info.Types[n.Fun].IsType() {
		return b.conversion(n, t)
	}
	fun, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || n.Fun != fun {
		return false
	}
	switch fun.Name {
	case "new":
		if !b.file.Info.Types[n.Args[0]].IsType() {
			b.replace(fun.Pos(), n.Lparen+1, lib+".NewOf("+units+", ")
			return true
		}
		b.replace(fun.Pos(), n.Lparen+1, lib+".New[")
		b.replace(n.Rparen, n.Rparen+1, "]("+units+")")
		return true
	case "make":
		return b.make(n, fun)
	case "append":
		return b.append(n, fun)
	}
	return false
}

// make passes the type of the slice on as a type argument, and the sizes as they are: the function is generic
// over integers.
func (b *builder) make(n *ast.CallExpr, fun *ast.Ident) bool {
	t := b.file.Info.TypeOf(n)
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	if _, slice := t.Underlying().(*types.Slice); !slice {
		return false
	}
	switch len(n.Args) {
	case 2:
		b.replace(fun.Pos(), n.Lparen+1, name+".Make[")
	case 3:
		b.replace(fun.Pos(), n.Lparen+1, name+".MakeCap[")
	default:
		return false
	}
	b.replace(n.Args[0].End(), n.Args[1].Pos(), "](")
	return true
}

// append keeps the builtin one, which converts items as it does, and makes room before. With a slice for the
// items it would be evaluated twice.
func (b *builder) append(n *ast.CallExpr, fun *ast.Ident) bool {
	if len(n.Args) < 2 || isNil(b.file.Info.TypeOf(n.Args[0])) {
		return false
	}
	if n.Ellipsis.IsValid() {
		// append(s, t...): the items are one operand, and AppendString is for a string that is appended to
		// bytes.
		to := ".AppendAll"
		if t, ok := b.file.Info.TypeOf(n.Args[1]).Underlying().(*types.Basic); ok {
			if to = ".AppendString"; t.Kind() == types.UntypedNil {
				return false
			}
		}
		b.replace(fun.Pos(), fun.End(), name+to)
		b.replace(n.Ellipsis, n.Ellipsis+3, "")
		return true
	}
	b.wrap(n.Args[0], name+".Room(", ", "+strconv.Itoa(len(n.Args)-1)+")", true)
	return true
}

// conversion rewrites the operand of string(bytes) and []byte(string), and keeps the conversion around what the arena
// returns. That gives it the type again if it is a defined one, and allocates nothing.
func (b *builder) conversion(n *ast.CallExpr, t types.Type) bool {
	from := b.file.Info.TypeOf(n.Args[0])
	to := ""
	switch {
	case source.IsString(t) && source.IsByteSlice(from):
		to = ".String("
	case source.IsByteSlice(t) && source.IsString(from):
		if basic, ok := from.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
			return false
		}
		to = ".Bytes("
	default:
		return false
	}
	b.wrap(n.Args[0], name+to, ")", true)
	return true
}

// concat rewrites a sum of strings of the predeclared type.
func (b *builder) concat(n *ast.BinaryExpr) bool {
	if !source.IsPlainString(b.file.Info.TypeOf(n)) {
		return false
	}
	b.wrap(n, name+".Concat(", ")", false)
	var visit func(e ast.Expr)
	visit = func(e ast.Expr) {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return
		}
		if sum != n {
			b.copy.done[sum] = true // a part of this one
		}
		visit(sum.X)
		b.replace(sum.OpPos, sum.OpPos+1, ",")
	}
	visit(n)
	return true
}

// concatAssign rewrites s += t, if s is a variable, which may be named twice.
func (b *builder) concatAssign(n *ast.AssignStmt) bool {
	left, ok := n.Lhs[0].(*ast.Ident)
	if !ok || !source.IsPlainString(b.file.Info.TypeOf(left)) {
		return false
	}
	b.replace(n.TokPos, n.TokPos+2, "= "+name+".Concat("+left.Name+",")
	b.wrap(n.Rhs[0], "", ")", true)
	return true
}

// isNil reports whether the type is that of the literal nil.
func isNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}
