// Package source finds the expression that allocates in a line, by the types of the program. It must not depend on
// measurements.
package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/sites"
)

// A profile has allocations by line. This package finds the expressions of the line that may have made them, by the
// kind of runtime call that each makes. If a line has several of the same kind all are returned, since nothing tells
// them apart; the caller reports that.

// A Program is a set of packages with their files.
type Program struct {
	Fset    *token.FileSet
	Ignored []string         // Go files of these packages that this system doesn't build
	files   map[string]*File // by absolute path
}

// A File is a source file with its types.
type File struct {
	Path string
	Tree *ast.File
	Info *types.Info
	Pkg  *types.Package

	boxed map[ast.Expr]*ast.ParenExpr // see boxes
}

// Files returns all loaded files, sorted by path.
func (p *Program) Files() (all []*File) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		all = append(all, p.files[path])
	}
	return all
}

// File returns a loaded file, or nil.
func (p *Program) File(path string) *File {
	if f := p.files[path]; f != nil {
		return f
	}
	return p.files[filepath.Clean(path)]
}

// The kinds of allocations, and the expressions that make them:
//
//	object      &T{}, new(T), []T{...}, func literals, method values, variables that escape, make of a constant size,
//	            the last arguments of f(x, y) if f has ...T, see implicit.go
//	make        make([]T, n)
//	append      append(s, x)
//	string      string(b)          bytes    []byte(s)          concat   s + t, s += t
//	map         make(map[K]V), map[K]V{...}                    channel  make(chan T)

// An Expr is an expression, or a variable, that allocates.
type Expr struct {
	Node ast.Node   // by form: *ast.Ident for a variable, *ast.ParenExpr around a value that becomes an interface
	Kind sites.Kind // of the runtime call
	Type types.Type // of the allocated value: T for &T{} and new(T), []T for slices
	Size int64      // of the allocated value, 0 if it isn't known
	Text string     // such as "&Event{}" or "append([]Step)"
	Args bool       // the last arguments of a call, not the call
	As   types.Type // the interface that the value becomes, nil if it doesn't
}

// Form is the way in which an arena can hold a value.
type Form uint8

const (
	Movable Form = iota // as an expression
	ByHand              // a variable: declared as the result of arena.New, it is in the arena
	NoForm              // a closure, a channel: always on the heap
	Library             // a map
)

// Form returns the form of the expression.
func (e Expr) Form() Form {
	switch e.Node.(type) {
	case *ast.FuncLit, *ast.SelectorExpr:
		return NoForm
	case *ast.Ident:
		return ByHand
	case *ast.ParenExpr:
		return Movable
	}
	return FormOf(e.Kind)
}

// FormOf returns the form of an allocation by a library or an unknown expression.
func FormOf(k sites.Kind) Form {
	switch k {
	case sites.Object, sites.Make, sites.Append, sites.Moved, sites.String, sites.Bytes, sites.Concat:
		return Movable
	case sites.Map:
		return Library
	}
	return NoForm
}

// At returns the expressions of a kind in a line that may have allocated a block of a size. Size 0 means any. If none
// has that size, all are returned.
func (p *Program) At(path string, line int, kind sites.Kind, size int64) []Expr {
	var found, fit []Expr
	f := p.File(path)
	if f == nil {
		return nil
	}
	if kind == sites.Moved {
		return p.appends(f, line)
	}
	exprs := f.exprs
	if kind == sites.Box {
		exprs = f.boxes
	}
	called := map[ast.Node]bool{} // called methods aren't method values
	p.within(f, line, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok {
			if method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				called[method] = true
			}
		}
		if called[n] {
			return
		}
		for _, e := range exprs(n) {
			if e.Kind == kind && p.IsAt(e.Node, line) {
				found = append(found, e)
				if size == 0 || e.Size == 0 || block(e.Size, e.Type) == size {
					fit = append(fit, e)
				}
			}
		}
	})
	if len(fit) > 0 {
		found = fit
	}
	return preferred(found)
}

// within visits the nodes of a file that overlap a line, the outer ones first. It skips subtrees beside the line, so a
// look costs the depth of the tree, not its size.
func (p *Program) within(f *File, line int, visit func(ast.Node)) {
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n == nil || p.line(n.Pos()) > line || p.line(n.End()) < line {
			return false
		}
		visit(n)
		return true
	})
}

// appends returns the appends to the slices that a line names: return s after s = append(s, x).
func (p *Program) appends(f *File, line int) (found []Expr) {
	named := map[types.Object]bool{}
	p.within(f, line, func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && f.Info.Uses[id] != nil && p.line(id.Pos()) == line {
			named[f.Info.Uses[id]] = true
		}
	})
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return true
		}
		id, ok := s.Lhs[0].(*ast.Ident)
		if call, is := s.Rhs[0].(*ast.CallExpr); ok && is && named[f.Info.ObjectOf(id)] {
			for _, e := range f.call(call) {
				if e.Kind == sites.Append {
					found = append(found, e)
				}
			}
		}
		return true
	})
	return found
}

// line returns the line of a position in the file itself, regardless of //line directives; the compiler's table does
// the same without them.
func (p *Program) line(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Line }

// IsAt reports whether the compiler may place an expression at a line: the line of its beginning, or of its
// characteristic token.
func (p *Program) IsAt(n ast.Node, line int) bool {
	places := []token.Pos{n.Pos()}
	if box, ok := n.(*ast.ParenExpr); ok {
		n = box.X
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		places = append(places, n.Lparen)
		if s, ok := n.Fun.(*ast.SelectorExpr); ok {
			places = append(places, s.Sel.Pos())
		}
	case *ast.CompositeLit:
		places = append(places, n.Lbrace)
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.CompositeLit); ok {
			places = append(places, lit.Lbrace)
		}
	case *ast.BinaryExpr:
		// A sum over several lines is reported at any of its operators. Sums lean to the left.
		for x := ast.Expr(n); ; {
			b, ok := x.(*ast.BinaryExpr)
			if !ok {
				break
			}
			places = append(places, b.OpPos)
			x = b.X
		}
	}
	for _, pos := range places {
		if p.line(pos) == line {
			return true
		}
	}
	return false
}

// preferred returns the likeliest expressions: in a line such as p := &T{} the variable hardly ever escapes, and the
// arguments of a call escape less often than the other expressions.
func preferred(found []Expr) []Expr {
	const variable = 2
	unlikely := func(e Expr) int {
		if _, ok := e.Node.(*ast.Ident); ok {
			return variable
		} else if e.Args {
			return 1
		}
		return 0
	}
	least := variable
	for _, e := range found {
		least = min(least, unlikely(e))
	}
	return slices.DeleteFunc(found, func(e Expr) bool { return unlikely(e) > least })
}

// exprs returns the allocations of a node itself, without its children. They are possible ones: escape analysis may
// leave them on the stack, but the profile has shown that something in the line is not.
func (f *File) exprs(n ast.Node) []Expr {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			t := f.Info.TypeOf(lit)
			return object(n, t, "&"+f.name(t)+"{}")
		}
	case *ast.CompositeLit:
		return f.literal(n)
	case *ast.FuncLit:
		return one(n, sites.Object, f.Info.TypeOf(n), "func literal")
	case *ast.BinaryExpr:
		if tv := f.Info.Types[n]; n.Op == token.ADD && tv.Value == nil && IsString(tv.Type) {
			return one(n, sites.Concat, tv.Type, f.brief(n))
		}
	case *ast.CallExpr:
		return f.call(n)
	case *ast.SelectorExpr:
		if s := f.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
			return one(n, sites.Object, s.Type(), "method value "+n.Sel.Name)
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN && len(n.Lhs) == 1 && IsString(f.Info.TypeOf(n.Lhs[0])) {
			return one(n, sites.Concat, f.Info.TypeOf(n.Lhs[0]), f.brief(n.Lhs[0])+" += "+f.brief(n.Rhs[0]))
		}
	case *ast.GoStmt:
		return one(n, sites.Goroutine, nil, "go statement")
	case *ast.Ident:
		// A variable that outlives its call is moved to the heap where it is declared.
		if v, ok := f.Info.Defs[n].(*types.Var); ok && !v.IsField() && n.Name != "_" {
			return object(n, v.Type(), "variable "+n.Name+" "+f.name(v.Type()))
		}
	}
	return nil
}

// one returns a list of a single expression.
func one(n ast.Node, k sites.Kind, t types.Type, text string) []Expr {
	return []Expr{{Node: n, Kind: k, Type: t, Text: text}}
}

// object is like one, for a single value of a type.
func object(n ast.Node, t types.Type, text string) []Expr {
	e := one(n, sites.Object, t, text)
	e[0].Size = sizeOf(t)
	return e
}

// literal returns the allocation of a composite literal: of slices and maps, not of structs and arrays without &.
func (f *File) literal(n *ast.CompositeLit) []Expr {
	t := f.Info.TypeOf(n)
	if t == nil {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		e := one(n, sites.Object, t, f.name(t)+"{}")
		// Elements with a key may lie anywhere.
		if !slices.ContainsFunc(n.Elts, func(x ast.Expr) bool { _, key := x.(*ast.KeyValueExpr); return key }) {
			e[0].Size = int64(len(n.Elts)) * sizeOf(u.Elem())
		}
		return e
	case *types.Map:
		return one(n, sites.Map, t, f.name(t)+"{}")
	// In []*T{{...}} the elements have no & in the source, but are allocated.
	case *types.Pointer: // an elided &T
		return object(n, u.Elem(), "&"+f.name(u.Elem())+"{}")
	}
	return nil
}

// Elided returns the type of a literal that leaves it out, taken from the enclosing literals, without the * of a
// pointer: T for each element in []*T{{...}}. It returns nil if that is just a name.
func (f *File) Elided(n *ast.CompositeLit) ast.Expr {
	in := f.Parent(n)
	pair, paired := in.(*ast.KeyValueExpr)
	if paired {
		in = f.Parent(pair)
	}
	outer, ok := in.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	t := outer.Type
	if t == nil {
		t = f.Elided(outer)
	}
	switch of := t.(type) {
	case *ast.ArrayType:
		t = of.Elt
	case *ast.MapType:
		if t = of.Value; paired && pair.Key == n {
			t = of.Key
		}
	default:
		return nil
	}
	if star, ok := t.(*ast.StarExpr); ok {
		return star.X
	}
	return t
}

// Parent returns the parent of a node.
func (f *File) Parent(n ast.Node) ast.Node {
	path, _ := astutil.PathEnclosingInterval(f.Tree, n.Pos(), n.End())
	if i := slices.Index(path, n); i >= 0 && i+1 < len(path) {
		return path[i+1]
	}
	return nil
}

// TypeText returns a type in the syntax of the file, with the names of its imports, or the reason why it can't.
func (f *File) TypeText(t types.Type) (text, why string) {
	text = types.TypeString(t, func(p *types.Package) string {
		if p.Path() == f.Pkg.Path() {
			return ""
		}
		if name := f.Imported(p.Path()); name != "" {
			return name
		}
		// No imports are added but that of package arena.
		why = "its file doesn't import " + p.Path()
		return p.Name()
	})
	return text, why
}

// Imported returns the file's name for a package path, "" if it doesn't import it by a name.
func (f *File) Imported(path string) string {
	for _, i := range f.Tree.Imports {
		if n := f.Info.PkgNameOf(i); n != nil && n.Imported().Path() == path && n.Name() != "_" && n.Name() != "." {
			return n.Name()
		}
	}
	return ""
}

// call returns the allocations of a conversion or a builtin function. An assignment to an element of a map, which may
// allocate too, is no call, and has no expression here.
func (f *File) call(n *ast.CallExpr) []Expr {
	fun := f.Info.Types[n.Fun]
	t := f.Info.TypeOf(n)
	if fun.IsType() && len(n.Args) == 1 {
		from := f.Info.TypeOf(n.Args[0])
		switch {
		case IsString(t) && isBytes(from):
			return one(n, sites.String, t, f.name(t)+"("+f.brief(n.Args[0])+")")
		case isBytes(t) && IsString(from):
			return one(n, sites.Bytes, t, f.name(t)+"("+f.brief(n.Args[0])+")")
		}
		return nil
	}
	if !fun.IsBuiltin() {
		return f.variadic(n)
	}
	if len(n.Args) == 0 {
		return nil
	}
	switch id, _ := ast.Unparen(n.Fun).(*ast.Ident); {
	// A builtin of package unsafe, which doesn't allocate.
	case id == nil:
	case id.Name == "new":
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return object(n, p.Elem(), "new("+f.name(p.Elem())+")")
		}
	case id.Name == "append":
		return one(n, sites.Append, t, "append("+f.name(t)+")")
	case id.Name == "make":
		kind := sites.Make
		switch t.Underlying().(type) {
		case *types.Map:
			kind = sites.Map
		case *types.Chan:
			kind = sites.Channel
		}
		e := one(n, kind, t, "make("+f.name(t)+")")
		if kind == sites.Make { // a constant size makes it a new array
			e = append(e, Expr{Node: n, Kind: sites.Object, Type: t, Text: e[0].Text})
		}
		return e
	}
	return nil
}

// IsString reports whether the type's underlying type is string.
func IsString(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsPlainString reports whether the type is string itself, which the functions of package arena return.
func IsPlainString(t types.Type) bool {
	return t != nil && types.Identical(t, types.Typ[types.String])
}

// IsPointer reports whether the type itself is a pointer, not a defined pointer type.
func IsPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

// IsByteSlice reports whether the type's underlying type is []byte. Unlike isBytes it excludes slices of a type defined
// as byte: arenas have functions for []byte only.
func IsByteSlice(t types.Type) bool {
	if t == nil {
		return false
	}
	s, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// isBytes reports whether the type's underlying type is a slice of bytes.
func isBytes(t types.Type) bool {
	if t == nil {
		return false
	}
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// name returns a type in the syntax of the file's own package.
func (f *File) name(t types.Type) string {
	if t == nil {
		return "?"
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == f.Pkg {
			return ""
		}
		return p.Name()
	})
}

// brief returns an expression's text, shortened if it is long.
func (f *File) brief(n ast.Expr) string {
	text := types.ExprString(n)
	if r := []rune(text); len(r) > 28 {
		return string(r[:27]) + "…"
	}
	return text
}
