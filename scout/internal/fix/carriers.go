package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has the structs that may carry an arena: parsers, decoders. Methods of such a struct find the arena in
// their receiver, and their signatures stay.

// A carrier is a struct that the module declares.
type carrier struct {
	key   string // of typeKey
	name  string // of the type
	body  *ast.StructType
	file  *source.File
	field string // what its field is called
	unfit string // why it can't have one, "" if it can
	makes []creation
	// Functions that make copies of others, v := *w, or v := new(T) and *v = *w: these have the field, too.
	copies map[*function]bool
}

// A creation is a place at which one is made, in a function: T{}, new(T), or var v T. One that is made in any other way,
// by reflection or as an element of an array, has a nil arena, and its methods allocate on the Go heap.
type creation struct {
	spot
	node ast.Node // *ast.CompositeLit, *ast.CallExpr, *ast.ValueSpec
	file *source.File
}

// typeKey names a struct that its package declares, or what points to one, "" for any other type. Generic structs have
// one key for all their instances.
func typeKey(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return ""
	}
	obj := n.Origin().Obj()
	// Types that functions declare have no path by which they could be told apart.
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// carriers returns all structs that the module declares, by typeKey, with the places at which they are made. Those of
// test files are left out.
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
				all[key] = &carrier{key: key, name: spec.Name.Name, body: body, file: f, field: field(t, f.Pkg), unfit: unchanged,
					copies: map[*function]bool{}}
				if spec.TypeParams == nil && holds(t, types.NewPointer(t)) {
					all[key].unfit = "it is a node, with others like it in it"
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

// field returns a name that is free.
func field(t types.Type, home *types.Package) string {
	for _, name := range []string{"arena", "mem"} {
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, home, name); obj == nil {
			return name
		}
	}
	return "arenaOfUnit"
}

// holds reports whether a type has slices or maps of a node in it, or of an interface that the node has the methods of:
// of a node there are as many as a document has, however few a benchmark's has.
func holds(t, node types.Type) bool {
	found := false
	each(t, func(t types.Type) {
		if list, ok := t.Underlying().(interface{ Elem() types.Type }); ok && !source.IsPointer(t) {
			elem := list.Elem()
			methods, ok := elem.Underlying().(*types.Interface)
			found = found || typeKey(elem) == typeKey(node) && typeKey(node) != "" ||
				ok && methods.NumMethods() > 0 && types.Implements(node, methods)
		}
	})
	return found
}

// each calls a function for a type and for the structs and arrays that its values have in them.
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

// made notes where structs are made in a file, and what is done with them that one more field would change.
func (g *graph) made(f *source.File, all map[string]*carrier) {
	note := func(t types.Type, n ast.Node) {
		c := all[typeKey(t)]
		if at := g.spot(f.Path, n.Pos()); c != nil && at.in != nil && c.home(f) && !source.IsPointer(t) {
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
	return ok && id.Name == "new" && f.Info.Types[n.Fun].IsBuiltin() && len(n.Args) == 1 && f.Info.Types[n.Args[0]].IsType()
}

// home reports whether a file is of the struct's package: no other can name the field.
func (c *carrier) home(f *source.File) bool { return c.file.Pkg.Path() == f.Pkg.Path() }

// A bearer is a receiver or a parameter of a function that is a carrier, or has one as a field.
type bearer struct {
	name    string // p, or p.lexer
	obj     *types.Var
	pointer bool
	carrier *carrier
}

// bearers returns those of a function, the receiver first. One that the function compares with nil is left out, since
// reading its field might panic, and so is a parameter that it only passes on.
func (f *function) bearers(all map[string]*carrier) (found []bearer) {
	for i, v := range f.variables() {
		c := all[typeKey(v.Type())]
		if c == nil || c.unfit != "" || !c.home(f.file) {
			continue
		}
		pointer := source.IsPointer(v.Type())
		if receiver := i == 0 && f.decl.Recv != nil; !pointer || !f.comparesNil(v) && (receiver || f.follows(v)) {
			found = append(found, bearer{v.Name(), v, pointer, c})
		}
	}
	return found
}

// within returns the carriers that are fields of a function's receiver and parameters. Fields that are pointers may be
// nil.
func (f *function) within(all map[string]*carrier) (found []bearer) {
	for _, v := range f.variables() {
		outer := all[typeKey(v.Type())]
		if outer == nil || !outer.home(f.file) || f.comparesNil(v) {
			continue
		}
		t := v.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		for field := range t.Underlying().(*types.Struct).Fields() {
			if c := all[typeKey(field.Type())]; c != nil && c.unfit == "" && !source.IsPointer(field.Type()) && c.home(f.file) {
				found = append(found, bearer{v.Name() + "." + field.Name(), v, source.IsPointer(v.Type()), c})
			}
		}
	}
	return found
}

// variables returns a function's receiver and parameters, as far as they have names. A variadic one is a slice.
func (f *function) variables() (all []*types.Var) {
	var fields []*ast.Field
	if f.decl.Recv != nil {
		fields = append(fields, f.decl.Recv.List...)
	}
	for _, field := range append(fields, f.decl.Type.Params.List...) {
		for _, name := range field.Names {
			v, ok := f.file.Info.Defs[name].(*types.Var)
			if _, variadic := field.Type.(*ast.Ellipsis); ok && name.Name != "_" && !variadic {
				all = append(all, v)
			}
		}
	}
	return all
}

// nodes yields all that is in a function's body.
func (f *function) nodes(yield func(ast.Node) bool) {
	if f.decl.Body != nil {
		ast.Preorder(f.decl.Body)(yield)
	}
}

// is reports whether an expression is a variable itself.
func (f *function) is(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && f.file.Info.Uses[id] == v
}

// follows reports whether a function uses what a pointer points to.
func (f *function) follows(v *types.Var) bool {
	for n := range f.nodes {
		if s, ok := n.(*ast.SelectorExpr); ok && f.is(s.X, v) {
			return true
		}
	}
	return false
}

// comparesNil reports whether a function compares a variable with nil.
func (f *function) comparesNil(v *types.Var) bool {
	isNil := func(e ast.Expr) bool { return f.file.Info.Types[e].IsNil() }
	for n := range f.nodes {
		if b, ok := n.(*ast.BinaryExpr); ok && (f.is(b.X, v) && isNil(b.Y) || f.is(b.Y, v) && isNil(b.X)) {
			return true
		}
	}
	return false
}

// alone reports whether a struct that is there before the unit begins belongs to one goroutine at a time: functions
// beneath the unit write to its fields, and it has no lock.
func (c *carrier) alone(beneath map[*function]bool) bool {
	for _, field := range c.body.Fields.List {
		t := types.TypeString(c.file.Info.TypeOf(field.Type), nil)
		if strings.HasPrefix(strings.TrimPrefix(t, "*"), "sync.") || strings.Contains(t, "sync/atomic.") {
			return false
		}
	}
	for f := range beneath {
		if f.writes(c) {
			return true
		}
	}
	return false
}

// writes reports whether a function assigns to a field of a struct.
func (f *function) writes(c *carrier) bool {
	of := func(e ast.Expr) bool {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && typeKey(f.file.Info.TypeOf(s.X)) == c.key
	}
	for n := range f.nodes {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, of) {
				return true
			}
		case *ast.IncDecStmt:
			if of(n.X) {
				return true
			}
		}
	}
	return false
}
