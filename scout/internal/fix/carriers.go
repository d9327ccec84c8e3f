package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has the structs that may carry an arena: parsers, decoders. A unit has one or two of them.

// A struct qualifies if it is declared in the module, its package can name the field, each literal of it names its
// fields (so a new one changes nothing) or may be made to, and the unit makes few of them. Methods of such a struct
// then find the arena in their receiver, and their signatures stay, which is what a person would write for a parser.

// A carrier is a struct that may have a field with the arena.
type carrier struct {
	name  string // of the type
	body  *ast.StructType
	file  *source.File
	field string // what the field is called
	unfit string // why it can't have one, "" if it can
	makes []creation
	puts  []put // where it goes back into a sync.Pool

	unkeyed map[*ast.CompositeLit]*source.File // literals without the fields' names, which they get
}

// The four forms of a creation, and what the field makes of them:
//
//	T{text: s}              T{arena: a, text: s}
//	new(T)                  &T{arena: a}
//	var v T                 var v = T{arena: a}
//	v := pool.Get().(*T)    v := pool.Get().(*T); v.arena = a
//
// A copy of one has the field, too, and is no creation: v := *w, and v := new(T); *v = *w.
//
// A struct that is made in any other way (by reflection, by a decoder, as an element of an array) has a nil
// arena, and what its methods allocate is on the Go heap, as before.

// A creation is a place at which one is made, in a function: T{}, new(T), var v T, or taken from a pool.
type creation struct {
	spot
	node ast.Node // *ast.CompositeLit, *ast.CallExpr, *ast.ValueSpec, *ast.TypeAssertExpr
	file *source.File
}

// typeKey names a struct that its package declares, or what points to one, "" for any other type.
func typeKey(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	// Generic structs have one key for all their instances.
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return ""
	}
	obj := n.Origin().Obj()
	// Types that are declared within functions have no path by which they could be told apart.
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// carriers returns all structs that the module declares, by typeKey, with the places at which they are made. Those of
// test files are left out: nobody ships them.
func (g *graph) carriers() map[string]*carrier {
	all := map[string]*carrier{}
	for _, f := range g.files {
		for _, d := range f.Tree.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || sites.OfTest(f.Path) {
				continue
			}
			for _, s := range decl.Specs {
				spec, ok := s.(*ast.TypeSpec)
				// An alias declares no struct of its own.
				if !ok || spec.Assign.IsValid() {
					continue
				}
				body, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				t := f.Info.Defs[spec.Name].Type()
				c := &carrier{name: spec.Name.Name, body: body, file: f, field: field(t, f.Pkg),
					unkeyed: map[*ast.CompositeLit]*source.File{}}
				switch {
				case ast.IsGenerated(f.Tree):
					c.unfit = "it is declared in generated code"
				case spec.TypeParams == nil && holds(t, types.NewPointer(t)):
					c.unfit = "it is a node, with others like it in it"
				}
				all[typeKey(t)] = c
			}
		}
	}
	for _, f := range g.files {
		g.copied(f)
	}
	for _, f := range g.files {
		g.made(f, all)
		g.pooled(f, all)
	}
	return all
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

// copied notes where a struct is made that is a copy of another: by the variable, and by the expression.
func (g *graph) copied(f *source.File) {
	made := map[types.Object]ast.Node{} // what variables are made of
	note := func(left, right ast.Expr) {
		id, ok := left.(*ast.Ident)
		if v := f.Info.Defs[id]; ok && v != nil {
			if and, ok := right.(*ast.UnaryExpr); ok {
				g.inner[and] = ast.Unparen(and.X)
			}
			made[v] = right
			switch ast.Unparen(right).(type) {
			case *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.Ident: // v := *w
				g.copies[id] = true
			}
			return
		}
		star, ok := left.(*ast.StarExpr) // *v = *w
		if !ok {
			return
		}
		if id, ok := ast.Unparen(star.X).(*ast.Ident); ok && made[f.Info.Uses[id]] != nil {
			n := made[f.Info.Uses[id]]
			g.copies[n], g.copies[g.inner[n]] = true, true
		}
	}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n, ok := n.(*ast.AssignStmt); ok && len(n.Lhs) == len(n.Rhs) {
			for i := range n.Lhs {
				note(n.Lhs[i], n.Rhs[i])
			}
		}
		return true
	})
}

// field returns a name that is free.
func field(t types.Type, home *types.Package) string {
	for _, name := range []string{"arena", "mem", "unitArena"} {
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, home, name); obj == nil {
			return name
		}
	}
	return "arenaOfUnit"
}

// made notes where structs are made in a file.
func (g *graph) made(f *source.File, all map[string]*carrier) {
	note := func(t types.Type, n ast.Node) *carrier {
		c := all[typeKey(t)]
		if g.copies[n] {
			return c
		}
		if at := g.spot(f.Path, n.Pos()); c != nil && at.in != nil && c.home(f) {
			c.makes = append(c.makes, creation{at, n, f})
		}
		return c
	}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if t, why := looksAt(f, n); t != nil {
			each(t, func(t types.Type) {
				if c := all[typeKey(t)]; c != nil {
					c.unfit = why
				}
			})
		}
		switch n := n.(type) {
		case *ast.CompositeLit:
			c := note(f.Info.TypeOf(n), n)
			if c == nil || len(n.Elts) == 0 {
				return true
			}
			// T{1, 2} lists all fields in order, and wouldn't compile with one more.
			switch _, keyed := n.Elts[0].(*ast.KeyValueExpr); {
			case keyed:
			case c.home(f) && !sites.OfTest(f.Path):
				c.unkeyed[n] = f
			default:
				c.unfit = "it is written without its fields' names in a test or another package"
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "new" && f.Info.Types[n.Fun].IsBuiltin() &&
				len(n.Args) == 1 && f.Info.Types[n.Args[0]].IsType() {
				if t := f.Info.TypeOf(n.Args[0]); !source.IsPointer(t) {
					note(t, n)
				}
			}
		case *ast.ValueSpec:
			// var v T: the zero value. With several names each would need a literal.
			if len(n.Values) == 0 && len(n.Names) == 1 && n.Type != nil {
				if t := f.Info.TypeOf(n.Type); !source.IsPointer(t) {
					note(t, n)
				}
			}
		}
		return true
	})
}

// looksAt returns the type that an expression or a type looks at as a whole, and how: one more field would change what
// the program does. Nil is for all others.
func looksAt(f *source.File, n ast.Node) (t types.Type, why string) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return f.Info.TypeOf(n.X), "it is compared"
		}
	case *ast.MapType:
		return f.Info.TypeOf(n.Key), "it is the key of a map"
	case *ast.CallExpr:
		s, ok := n.Fun.(*ast.SelectorExpr)
		if ok && f.Info.Uses[s.Sel] == types.Unsafe.Scope().Lookup("Sizeof") {
			return f.Info.TypeOf(n.Args[0]), "its size is looked at"
		}
	}
	return nil, ""
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

// home reports whether a file is of the struct's package: no other can name the field.
func (c *carrier) home(f *source.File) bool { return c.file.Pkg.Path() == f.Pkg.Path() }

// A bearer is a receiver or a parameter that is a carrier, or has one as its field.
type bearer struct {
	name    string // of the carrier: p, or e.c
	obj     *types.Var
	typ     types.Type // of the carrier
	carrier *carrier
}

// bearers returns those of a function, the receiver first, and behind them those to which a field of one leads. One
// that the function compares with nil is left out: it may be nil, and reading its field would panic. So may a parameter
// that it only passes on.
func (f *function) bearers(all map[string]*carrier) (found []bearer) {
	var behind []bearer
	for i, v := range f.variables() {
		receiver := i == 0 && f.decl.Recv != nil
		if c := all[typeKey(v.Type())]; c != nil && c.unfit == "" && c.home(f.file) && !f.mayBeNil(v) &&
			(receiver || !source.IsPointer(v.Type()) || f.follows(v)) {
			found = append(found, bearer{v.Name(), v, v.Type(), c})
		}
		if behind = append(behind, f.behind(v, all)...); f.kept {
			behind = append(behind, f.asserted(v, all)...)
		}
	}
	return append(found, behind...)
}

// variables returns a function's receiver and parameters, as far as they have names. A variadic one is a slice: of no
// carrier, or of many.
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

// behind returns the carriers to which a field of a variable leads: c of e, which the function uses as e.c.x anyway, so
// that e.c isn't nil there.
func (f *function) behind(v *types.Var, all map[string]*carrier) (found []bearer) {
	if f.decl.Body == nil {
		return nil
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		outer, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		inner, ok := ast.Unparen(outer.X).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := ast.Unparen(inner.X).(*ast.Ident)
		if !ok || f.file.Info.Uses[id] != v {
			return true
		}
		s := f.file.Info.Selections[inner]
		if s == nil || s.Kind() != types.FieldVal || f.setsField(s.Obj()) {
			return true
		}
		if c := all[typeKey(s.Type())]; c != nil && c.unfit == "" && c.home(f.file) {
			found = append(found, bearer{v.Name() + "." + inner.Sel.Name, v, s.Type(), c})
		}
		return len(found) == 0
	})
	return found
}

// nodes yields all that is in a function's body.
func (f *function) nodes(yield func(ast.Node) bool) {
	if f.decl.Body != nil {
		ast.Preorder(f.decl.Body)(yield)
	}
}

// asserted returns the carriers that the code of a grammar takes a parameter for: the lexer, as
// yylex.(*parser).result = $1.
func (f *function) asserted(v *types.Var, all map[string]*carrier) []bearer {
	for n := range f.nodes {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		as, ok := ast.Unparen(s.X).(*ast.TypeAssertExpr)
		if !ok || as.Type == nil || !f.is(as.X, v) {
			continue
		}
		t := f.file.Info.TypeOf(as.Type)
		star, _ := as.Type.(*ast.StarExpr)
		if c := all[typeKey(t)]; star != nil && c != nil && c.unfit == "" && c.home(f.file) {
			return []bearer{{v.Name() + ".(*" + c.name + ")", v, t, c}}
		}
	}
	return nil
}

// is reports whether an expression is a variable itself.
func (f *function) is(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && f.file.Info.Uses[id] == v
}

// setsField reports whether a function sets a field, or compares it with nil: it may be nil before.
func (f *function) setsField(field types.Object) bool {
	is := func(e ast.Expr) bool {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && f.file.Info.Uses[s.Sel] == field
	}
	for n := range f.nodes {
		if n, ok := n.(*ast.AssignStmt); ok && slices.ContainsFunc(n.Lhs, is) {
			return true
		}
	}
	return f.comparesNil(is)
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

// comparesNil reports whether a function compares something with nil.
func (f *function) comparesNil(is func(ast.Expr) bool) bool {
	isNil := func(e ast.Expr) bool { return f.file.Info.Types[e].IsNil() }
	for n := range f.nodes {
		if b, ok := n.(*ast.BinaryExpr); ok && (is(b.X) && isNil(b.Y) || is(b.Y) && isNil(b.X)) {
			return true
		}
	}
	return false
}

// mayBeNil reports whether a function compares a variable with nil.
func (f *function) mayBeNil(v *types.Var) bool {
	return f.comparesNil(func(e ast.Expr) bool { return f.is(e, v) })
}

// alone reports whether a struct belongs to one goroutine at a time anyway: functions beneath the unit write to its
// fields, and it has no lock.
func (c *carrier) alone(key string, beneath map[*function]bool) bool {
	for _, field := range c.body.Fields.List {
		// A lock says that several goroutines use the struct, and an arena belongs to one at a time.
		if guarded(c.file.Info.TypeOf(field.Type)) {
			return false
		}
	}
	for f := range beneath {
		if f.decl.Body != nil && f.writes(key) {
			return true
		}
	}
	return false
}

// guarded reports whether a type is a lock, or an atomic variable.
func guarded(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "sync" || n.Obj().Pkg().Path() == "sync/atomic")
}

// writes reports whether a function assigns to a field of a struct.
func (f *function) writes(key string) bool {
	of := func(e ast.Expr) bool {
		s, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && typeKey(f.file.Info.TypeOf(s.X)) == key
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
