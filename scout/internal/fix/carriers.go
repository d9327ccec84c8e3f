package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file finds the structs that may carry an arena: parsers, decoders. Methods of such a struct take the arena from
// their receiver, and their signatures stay.

// A carrier is a struct of the package that may carry an arena.
type carrier struct {
	key   string // of typeKey
	name  string // of the type
	body  *ast.StructType
	file  *source.File
	field string // the name of its field
	unfit string // why it can't have a field, "" if it can
	makes []creation
	// Functions that copy others, v := *w, or v := new(T) and *v = *w: their results have the field, too.
	copies map[*function]bool
}

// A creation is a place where a function makes a carrier: T{}, new(T), or var v T. A carrier made in any other way, by
// reflection or as an element of an array, has a nil arena, and its methods allocate on the Go heap.
type creation struct {
	spot
	node ast.Node // *ast.CompositeLit, *ast.CallExpr, *ast.ValueSpec
	file *source.File
}

// typeKey names a struct that its package declares, or a pointer to one, "" for any other type. All instances of a
// generic struct have one key.
func typeKey(t types.Type) string {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	// Types declared in functions have no distinct path.
	if !ok || n.Obj().Pkg() == nil || n.Origin().Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// deref returns a pointer's element type, and any other type itself.
func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && t != nil {
		return p.Elem()
	}
	return t
}

// carriers returns all structs that the package declares, by typeKey, with the places that make them. It skips test
// files.
func (g *graph) carriers() map[string]*carrier {
	all := map[string]*carrier{}
	for _, f := range g.files {
		if sites.OfTest(f.Path) {
			continue
		}
		unchanged := g.unchanged(f)
		for n := range ast.Preorder(f.Tree) {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Assign.IsValid() { // an alias declares no struct of its own
				continue
			}
			t := f.Info.Defs[spec.Name].Type()
			body, ok := spec.Type.(*ast.StructType)
			if key := typeKey(t); ok && key != "" {
				all[key] = &carrier{key: key, name: spec.Name.Name, body: body, file: f, field: "arena",
					unfit: unchanged, copies: map[*function]bool{}}
				if has, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, f.Pkg, "arena"); has != nil {
					all[key].field = "arenaOfUnit"
				}
				hides := func(v *types.Var) bool { return !v.Exported() }
				fields := slices.Collect(t.Underlying().(*types.Struct).Fields())
				if spec.Name.IsExported() && !slices.ContainsFunc(fields, hides) {
					all[key].unfit = "other packages may write all of its fields"
				}
			}
		}
	}
	for _, f := range g.files {
		g.made(f, all)
	}
	for _, c := range all {
		c.makes = slices.DeleteFunc(c.makes, func(m creation) bool { return c.copies[m.in] })
	}
	return all
}

// each calls a function for a type and for the structs and arrays within its values.
func each(t types.Type, do func(types.Type)) {
	if source.IsPointer(t) {
		return
	}
	do(t)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			each(field.Type(), do)
		}
	case *types.Array:
		each(u.Elem(), do)
	}
}

// made adds the places in a file that make structs, and marks structs whose uses another field would change.
func (g *graph) made(f *source.File, all map[string]*carrier) {
	note := func(t types.Type, n ast.Node) {
		c := all[typeKey(t)]
		if at := g.spot(f.Path, n.Pos()); c != nil && at.in != nil && !source.IsPointer(t) {
			c.makes = append(c.makes, creation{at, n, f})
		}
	}
	unfit := func(t types.Type, why string) {
		each(t, func(t types.Type) {
			if c := all[typeKey(t)]; c != nil {
				c.unfit = why
			}
		})
	}
	for n := range ast.Preorder(f.Tree) {
		switch n := n.(type) {
		case *ast.CompositeLit:
			note(f.Info.TypeOf(n), n)
			if len(n.Elts) > 0 {
				// T{1, 2} lists all fields in order, and wouldn't compile with one more.
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed && all[typeKey(f.Info.TypeOf(n))] != nil {
					all[typeKey(f.Info.TypeOf(n))].unfit = "it is written without its fields' names"
				}
			}
		case *ast.CallExpr:
			switch m := f.Func(n); {
			case isNew(f, n):
				note(f.Info.TypeOf(n.Args[0]), n)
			case m != nil && m.FullName() == "(*sync.Pool).Put":
				if c := all[typeKey(f.Info.TypeOf(n.Args[0]))]; c != nil {
					c.unfit = "a sync.Pool keeps it for the next unit"
				}
			case m == nil && types.ExprString(n.Fun) == "unsafe.Sizeof":
				unfit(f.Info.TypeOf(n.Args[0]), "its size is looked at")
			}
		case *ast.ValueSpec:
			// With several names each would need a literal.
			if len(n.Values) == 0 && len(n.Names) == 1 && n.Type != nil {
				note(f.Info.TypeOf(n.Type), n)
			}
		case *ast.AssignStmt:
			for _, from := range n.Rhs {
				c := all[typeKey(f.Info.TypeOf(from))]
				if star, ok := from.(*ast.StarExpr); ok && c != nil {
					c.copies[g.spot(f.Path, star.Pos()).in] = true
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				unfit(f.Info.TypeOf(n.X), "it is compared")
			}
		case *ast.MapType:
			unfit(f.Info.TypeOf(n.Key), "it is the key of a map")
		}
	}
}

// isNew reports whether a call is new(T).
func isNew(f *source.File, n *ast.CallExpr) bool {
	id, ok := n.Fun.(*ast.Ident)
	return ok && id.Name == "new" && f.Info.Types[n.Fun].IsBuiltin() && f.Info.Types[n.Args[0]].IsType()
}

// A bearer is a receiver or a parameter of a function that is a carrier, or has one as a field.
type bearer struct {
	name    string // p, or p.lexer
	obj     *types.Var
	pointer bool
	carrier *carrier
}

// bearers returns the bearers of a function, the receiver first. It leaves out those that may be nil, since reading
// their field would panic.
func (f *function) bearers(all map[string]*carrier) (found []bearer) {
	for _, v := range f.variables() {
		pointer := source.IsPointer(v.Type())
		if c := all[typeKey(v.Type())]; c != nil && c.unfit == "" && (!pointer || f.surely(v)) {
			found = append(found, bearer{v.Name(), v, pointer, c})
		}
	}
	return found
}

// within returns the carriers that are fields of a function's receiver and parameters. It leaves out fields that are
// pointers, as they may be nil.
func (f *function) within(all map[string]*carrier) (found []bearer) {
	for _, v := range f.variables() {
		outer := all[typeKey(v.Type())]
		if outer == nil || source.IsPointer(v.Type()) && !f.surely(v) {
			continue
		}
		for field := range deref(v.Type()).Underlying().(*types.Struct).Fields() {
			if c := all[typeKey(field.Type())]; c != nil && c.unfit == "" && !source.IsPointer(field.Type()) {
				found = append(found, bearer{v.Name() + "." + field.Name(), v, source.IsPointer(v.Type()), c})
			}
		}
	}
	return found
}

// variables returns a function's named receiver and parameters.
func (f *function) variables() []*types.Var {
	all := slices.Collect(f.obj.Signature().Params().Variables())
	if recv := f.obj.Signature().Recv(); recv != nil {
		all = slices.Insert(all, 0, recv)
	}
	return slices.DeleteFunc(all, func(v *types.Var) bool { return v.Name() == "" || v.Name() == "_" })
}

// is reports whether an expression is a variable itself.
func (f *function) is(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && f.file.Info.Uses[id] == v
}

// surely reports whether a function dereferences a pointer, or has it as its receiver, and never compares it with nil.
func (f *function) surely(v *types.Var) bool {
	follows := f.obj.Signature().Recv() == v
	isNil := func(e ast.Expr) bool { return f.file.Info.Types[e].IsNil() }
	for n := range ast.Preorder(f.decl) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			follows = follows || f.is(n.X, v)
		case *ast.StarExpr:
			follows = follows || f.is(n.X, v)
		case *ast.BinaryExpr:
			if f.is(n.X, v) && isNil(n.Y) || f.is(n.Y, v) && isNil(n.X) {
				return false
			}
		}
	}
	return follows
}

// alone reports whether a struct made before the unit belongs to one goroutine at a time: functions beneath the unit
// write to its fields, and it has no lock.
func (c *carrier) alone(beneath map[*function]bool) bool {
	for _, field := range c.body.Fields.List {
		t := types.TypeString(c.file.Info.TypeOf(field.Type), nil)
		if strings.HasPrefix(strings.TrimPrefix(t, "*"), "sync.") || strings.Contains(t, "sync/atomic.") {
			return false
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(beneath)), func(f *function) bool { return f.writes(c) })
}

// writes reports whether a function assigns to a field of a struct.
func (f *function) writes(c *carrier) (found bool) {
	of := func(e ast.Expr) bool {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && typeKey(f.file.Info.TypeOf(s.X)) == c.key
	}
	for n := range ast.Preorder(f.decl) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, of)
		case *ast.IncDecStmt:
			found = found || of(n.X)
		}
	}
	return found
}
