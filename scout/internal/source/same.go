package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// This file finds values that a unit builds again although they are always equal: a regular expression of a constant, a
// map of functions. It doesn't look at their use: a map that is written to can't be shared.

// Same reports whether a line calls a library's function only with constants and package functions, or, if lib is "",
// contains a map literal of such values.
func (p *Program) Same(path string, line int, lib string) (same bool) {
	f := p.File(path)
	if f == nil {
		return false
	}
	p.within(f, line, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if p.IsAt(n, line) && lib != "" && f.callee(n) == lib {
				same = f.constants(n.Args)
			}
		case *ast.CompositeLit:
			if t := f.Info.TypeOf(n); lib == "" && t != nil {
				_, isMap := t.Underlying().(*types.Map)
				same = same || isMap && len(n.Elts) > 0 && f.constants(n.Elts)
			}
		}
	})
	return same
}

// callee returns the runtime's name of the function or method that is called.
func (f *File) callee(n *ast.CallExpr) string {
	fn := f.Func(n)
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.FullName()
	}
	// (*text/template.Template).Parse is text/template.(*Template).Parse there.
	return fn.Pkg().Path() + ".(" + types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + ")." +
		fn.Name()
}

// constants reports whether all expressions have the same value whenever they are evaluated.
func (f *File) constants(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !f.constant(e) })
}

// constant reports whether an expression always has the same value: a constant, a function, or a composite of such.
func (f *File) constant(e ast.Expr) bool {
	if tv := f.Info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.global(e)
	case *ast.SelectorExpr:
		return f.global(e.Sel)
	case *ast.KeyValueExpr:
		if id, ok := e.Key.(*ast.Ident); ok {
			if v, ok := f.Info.Uses[id].(*types.Var); ok && v.IsField() {
				return f.constant(e.Value)
			}
		}
		return f.constant(e.Key) && f.constant(e.Value)
	case *ast.CompositeLit:
		return f.constants(e.Elts)
	case *ast.FuncLit:
		return !f.captures(e)
	}
	return false
}

// global reports whether a name is that of a package function, not of a method or variable.
func (f *File) global(id *ast.Ident) bool {
	fn, ok := f.Info.Uses[id].(*types.Func)
	return ok && fn.Signature().Recv() == nil
}

// captures reports whether a function literal uses variables of its enclosing function.
func (f *File) captures(lit *ast.FuncLit) bool {
	for n := range ast.Preorder(lit) {
		id, _ := n.(*ast.Ident)
		v, ok := f.Info.Uses[id].(*types.Var)
		local := ok && !v.IsField() && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
		if local && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) {
			return true
		}
	}
	return false
}
