package source

import (
	"fmt"
	"go/ast"
	"go/types"
	"runtime"

	"golang.org/x/tools/go/types/typeutil"
)

// This file names holders: the field at an offset of a type, and the target of a line's assignment.

// Field returns the path to the field at an offset in bytes, such as ".seen" or ".head[1].next", down through structs
// and arrays. It is "" for a type without fields, or of unknown size. Sizes are those of this program's own system, as
// in the dump.
func Field(t types.Type, offset int64) string {
	if !sized(t) {
		return ""
	}
	sizes := types.SizesFor("gc", runtime.GOARCH)
	for path := ""; ; {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			i := fieldAt(u, sizes, offset)
			if i < 0 {
				return path
			}
			fields := make([]*types.Var, u.NumFields())
			for j := range fields {
				fields[j] = u.Field(j)
			}
			offset -= sizes.Offsetsof(fields)[i]
			path += "." + u.Field(i).Name()
			t = u.Field(i).Type()
		case *types.Array:
			// Elements of size zero all have the same offset.
			size := sizes.Sizeof(u.Elem())
			if size == 0 {
				return path
			}
			path += "[" + fmt.Sprint(offset/size) + "]"
			offset %= size
			t = u.Elem()
		default:
			return path
		}
	}
}

// sized reports whether a type's size is known: types of a generic function may have none.
func sized(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !sized(f.Type()) {
				return false
			}
		}
	case *types.Array:
		return sized(u.Elem())
	}
	return true
}

// sizeOf returns the size of a type, 0 if it isn't known.
func sizeOf(t types.Type) int64 {
	if t == nil || !sized(t) {
		return 0
	}
	return types.SizesFor("gc", runtime.GOARCH).Sizeof(t)
}

// block returns the size of the block that the runtime allocates for a value, as in profiles.
func block(size int64, t types.Type) int64 {
	const tiny, headed, large = 16, 512, 32 << 10
	scanned := HasPointers(t)
	switch {
	case size > large: // whole pages, whose size depends on the system
		return size
	case size < tiny && !scanned: // several share a block
		return tiny
	case size > headed && scanned: // a header locates the pointers
		size += 8
	}
	return int64(cap(append([]byte(nil), make([]byte, size)...))) // the size class, as for all slices
}

// HasPointers reports whether the collector scans values of a type; for slices, their elements.
func HasPointers(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	return pointers(t)
}

// pointers reports whether values of a type contain pointers. A slice does, even of plain elements.
func pointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && pointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if pointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// fieldAt returns the index of the field at an offset, or -1. A field of size zero counts if no other is there.
func fieldAt(s *types.Struct, sizes types.Sizes, offset int64) int {
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		fields[i] = s.Field(i)
	}
	empty := -1
	for i, start := range sizes.Offsetsof(fields) {
		size := sizes.Sizeof(fields[i].Type())
		if offset >= start && offset < start+size {
			return i
		}
		if offset == start && size == 0 {
			empty = i
		}
	}
	return empty
}

// Target returns the target of a line's assignment or addition: a field such as Service.names, or a variable of the
// package. It is "" for anything else, and for several.
func (p *Program) Target(path string, line int, home string) string {
	f := p.File(path)
	if f == nil {
		return ""
	}
	found := map[string]bool{}
	p.within(f, line, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if name := f.target(left, home); name != "" && p.line(left.Pos()) == line {
					found[name] = true
				}
			}
		case *ast.IncDecStmt:
			if name := f.target(n.X, home); name != "" {
				found[name] = true
			}
		}
	})
	// With several targets in one line, it isn't known which keeps the value.
	if len(found) != 1 {
		return ""
	}
	for name := range found {
		return name
	}
	return ""
}

// target names the left side of an assignment: a field with its type, or a variable of the package. An element counts
// as its container.
func (f *File) target(e ast.Expr, home string) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return f.target(e.X, home)
	case *ast.SelectorExpr:
		if s := f.Info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			t := s.Recv()
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			return TypeName(t, home) + "." + e.Sel.Name
		}
	case *ast.Ident:
		if v, ok := f.Info.Uses[e].(*types.Var); ok && v.Parent() == f.Pkg.Scope() {
			return "global " + v.Name()
		}
	}
	return ""
}

// TypeName returns the name of a type, or of a pointer's element, with its package's name unless that is home.
func TypeName(t types.Type, home string) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if _, ok := t.(*types.Struct); ok {
		return "struct" // without its fields
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == home {
			return ""
		}
		return p.Name()
	})
}

// Callee returns the name of a call's function, nil if it has none: for a function value, or a method expression.
func (f *File) Callee(c *ast.CallExpr) *ast.Ident {
	fun := c.Fun
	switch x := fun.(type) {
	// A generic function with its type arguments written out: f[T](x).
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		// No selection: a function of another package. T.Method(x), a method expression, has another signature.
		if s := f.Info.Selections[x]; s == nil || s.Kind() == types.MethodVal {
			return x.Sel
		}
	}
	return nil
}

// Func returns the function or method that a call names, nil if it names none.
func (f *File) Func(c *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(f.Info, c).(*types.Func)
	return fn
}

// Names returns all identifiers in a node.
func Names(n ast.Node) map[string]bool {
	names := map[string]bool{}
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	return names
}

// Uses reports whether a file uses a name for anything but a field or a method.
func (f *File) Uses(name string) bool {
	for n := range ast.Preorder(f.Tree) {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			if obj := f.Info.ObjectOf(id); obj == nil || obj.Parent() != nil { // fields and methods have no scope
				return true
			}
		}
	}
	return false
}
