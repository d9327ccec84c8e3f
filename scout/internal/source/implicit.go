package source

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/sites"
)

// This file finds allocations that the source doesn't spell out: the slice of a variadic call's arguments, and values
// that become an interface.

// variadic returns the slice of a variadic call's last arguments.
func (f *File) variadic(n *ast.CallExpr) []Expr {
	last, t := f.Variadic(n)
	if len(last) == 0 {
		return nil
	}
	e := one(n, sites.Object, t, "arguments of "+f.brief(n.Fun))
	e[0].Size, e[0].Args = int64(len(last))*sizeOf(t.Elem()), true
	return e
}

// Variadic returns the arguments of a call that become a slice, and its type. There are none in f(g()), where g has
// several results.
func (f *File) Variadic(n *ast.CallExpr) ([]ast.Expr, *types.Slice) {
	if fun := f.Info.Types[n.Fun]; fun.IsValue() && !n.Ellipsis.IsValid() {
		if s, ok := fun.Type.Underlying().(*types.Signature); ok && s.Variadic() && len(n.Args) >= s.Params().Len() {
			t, ok := s.Params().At(s.Params().Len() - 1).Type().(*types.Slice)
			if _, several := f.Info.TypeOf(n.Args[0]).(*types.Tuple); ok && !several {
				return n.Args[s.Params().Len()-1:], t
			}
		}
	}
	return nil, nil
}

// boxes returns the values that become an interface directly in a node. Each gets a node of its own, the same each
// time, since the converted expression may allocate, too.
func (f *File) boxes(n ast.Node) (all []Expr) {
	box := func(x ast.Expr, to types.Type) {
		from := f.Info.Types[x]
		if to == nil || !isInterface(to) || !from.IsValue() || from.Value != nil || !needsBox(from.Type) {
			return
		}
		if f.boxed[x] == nil {
			f.boxed[x] = &ast.ParenExpr{Lparen: x.Pos(), X: x, Rparen: x.End() - 1}
		}
		e := one(f.boxed[x], sites.Box, from.Type, f.brief(x)+" as "+f.name(to))
		e[0].As = to
		all = append(all, e...)
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		fun := f.Info.Types[n.Fun]
		if fun.IsType() && len(n.Args) == 1 {
			box(n.Args[0], fun.Type)
		} else if s, ok := fun.Type.(*types.Signature); ok {
			for i, x := range n.Args {
				box(x, param(s, i, n.Ellipsis.IsValid()))
			}
		}
	case *ast.CompositeLit:
		for i, x := range n.Elts {
			key, value := f.element(n, i)
			if pair, ok := x.(*ast.KeyValueExpr); ok {
				box(pair.Key, key)
				x = pair.Value
			}
			box(x, value)
		}
	case *ast.AssignStmt:
		for i, x := range n.Rhs {
			if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
				box(x, f.Info.TypeOf(n.Lhs[i]))
			}
		}
	case *ast.ValueSpec:
		for _, x := range n.Values {
			box(x, f.Info.TypeOf(n.Type))
		}
	case *ast.SendStmt:
		if c, ok := f.Info.TypeOf(n.Chan).Underlying().(*types.Chan); ok {
			box(n.Value, c.Elem())
		}
	case *ast.IndexExpr: // an assignment may add a key
		if m, ok := f.Info.TypeOf(n.X).Underlying().(*types.Map); ok {
			box(n.Index, m.Key())
		}
	case *ast.ReturnStmt:
		if results := f.results(n); results.Len() == len(n.Results) {
			for i, x := range n.Results {
				box(x, results.At(i).Type())
			}
		}
	}
	return all
}

// param returns the type of the ith parameter, as seen by its argument; nil if it isn't known.
func param(s *types.Signature, i int, ellipsis bool) types.Type {
	last := s.Params().Len() - 1
	switch {
	case i < last || i == last && (!s.Variadic() || ellipsis):
		return s.Params().At(i).Type()
	case s.Variadic():
		if t, ok := s.Params().At(last).Type().(*types.Slice); ok {
			return t.Elem()
		}
	}
	return nil
}

// element returns the types of a literal's ith element and of its key, nil for a missing one.
func (f *File) element(n *ast.CompositeLit, i int) (key, value types.Type) {
	t := f.Info.TypeOf(n).Underlying()
	if p, ok := t.(*types.Pointer); ok { // an elided &T
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Map:
		return t.Key(), t.Elem()
	case interface{ Elem() types.Type }: // a slice or an array
		return nil, t.Elem()
	case *types.Struct:
		if pair, ok := n.Elts[i].(*ast.KeyValueExpr); ok {
			return nil, f.Info.TypeOf(pair.Key)
		}
		return nil, t.Field(i).Type()
	}
	return nil, nil
}

// results returns the results of a return statement's function.
func (f *File) results(n *ast.ReturnStmt) *types.Tuple {
	path, _ := astutil.PathEnclosingInterval(f.Tree, n.Pos(), n.End())
	for _, in := range path {
		var t types.Type
		switch in := in.(type) {
		case *ast.FuncLit:
			t = f.Info.TypeOf(in)
		case *ast.FuncDecl:
			t = f.Info.TypeOf(in.Name)
		}
		if s, ok := t.(*types.Signature); ok {
			return s.Results()
		}
	}
	return nil
}

// Any is the interface without methods.
var Any = types.Universe.Lookup("any").Type().Underlying()

// isInterface reports whether a type is an interface. A type parameter isn't one.
func isInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}

// needsBox reports whether a value of a type is allocated when it becomes an interface, if it has more than a byte.
func needsBox(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Tuple:
		return false
	case *types.Basic:
		return t.Kind() != types.UnsafePointer && t.Kind() != types.UntypedNil
	}
	return true
}
