package source

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"strconv"
	"strings"
)

// A closure is the declarations that are needed to know the layout of a variable: its
// own, and those of types whose values are a part of it. Types that are only pointed to
// keep their names but lose their contents.
type closure struct {
	*Reader
	wanted  map[*pkg]map[string]bool    // true if with what is inside
	imports map[*file]map[string]string // which packages are needed, by the names that the file has for them, or .path
	checked map[string]*types.Package
}

// object returns what a package declares by a name, or nil if it isn't known.
func (r *Reader) object(p *pkg, name string) types.Object {
	c := &closure{r, map[*pkg]map[string]bool{}, map[*file]map[string]string{}, map[string]*types.Package{}}
	c.want(p, name, true)
	checked, _ := c.Import(p.path)
	if checked == nil {
		return nil
	}
	return checked.Scope().Lookup(name)
}

// want adds a declaration, and what it needs.
func (c *closure) want(p *pkg, name string, whole bool) {
	d, ok := p.decls[name]
	if had, seen := c.wanted[p][name]; !ok || seen && (had || !whole) {
		return
	}
	if c.wanted[p] == nil {
		c.wanted[p] = map[string]bool{}
	}
	c.wanted[p][name] = whole
	if d.fn != nil {
		c.fields(d.file, d.fn.Type.TypeParams, true)
		c.fields(d.file, d.fn.Type.Params, false)
		c.fields(d.file, d.fn.Type.Results, true)
		return
	}
	switch s := d.spec.(type) {
	case *ast.TypeSpec:
		c.fields(d.file, s.TypeParams, true)
		if whole || s.Assign.IsValid() {
			c.visit(d.file, s.Type, whole)
		}
	case *ast.ValueSpec:
		if d.isVar() {
			for _, e := range reduceVar(s, name).Values {
				c.visit(d.file, e, true)
			}
			c.visit(d.file, s.Type, true)
		} else {
			c.visit(d.file, d.group, true) // constants repeat what is above them
		}
	}
}

func (c *closure) fields(f *file, list *ast.FieldList, whole bool) {
	if list != nil {
		c.visit(f, list, whole)
	}
}

// visit adds what an expression needs, including the contents of a value's parts if that
// is asked for.
func (c *closure) visit(f *file, n ast.Node, whole bool) {
	switch n := n.(type) {
	case nil:
	case *ast.Ident:
		if p := c.declaring(f, n); p != nil {
			if p != f.pkg {
				c.use(f, "."+p.path, p.path)
			}
			c.want(p, n.Name, whole)
		}
	case *ast.SelectorExpr:
		if path := c.qualifier(f, n.X); path != "" {
			c.use(f, n.X.(*ast.Ident).Name, path)
			if p := c.open(path, ""); p != nil {
				c.want(p, n.Sel.Name, whole)
			}
			return
		}
		c.visit(f, n.X, true)
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		c.children(f, n, false)
	case *ast.ArrayType:
		c.children(f, n, whole && n.Len != nil)
	case *ast.FuncLit:
		c.visit(f, n.Type, false)
	case *ast.CompositeLit:
		c.visit(f, n.Type, whole)
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				c.visit(f, kv.Key, true) // which the length of [...]T follows from
			}
		}
	default:
		c.children(f, n, whole)
	}
}

func (c *closure) children(f *file, n ast.Node, whole bool) {
	ast.Inspect(n, func(child ast.Node) bool {
		if child != n && child != nil {
			c.visit(f, child, whole)
		}
		return child == n
	})
}

// use notes an import that is needed.
func (c *closure) use(f *file, name, path string) {
	if c.imports[f] == nil {
		c.imports[f] = map[string]string{}
	}
	c.imports[f][name] = path
}

// declaring returns the package that declares a name in a file, if it isn't declared within a
// function or type. It is the file's own package, or one that the file imports with a dot.
func (r *Reader) declaring(f *file, n *ast.Ident) *pkg {
	if local(f, n) {
		return nil
	}
	if _, own := f.pkg.decls[n.Name]; own {
		return f.pkg
	}
	for _, s := range f.Imports {
		if s.Name != nil && s.Name.Name == "." {
			if p := r.open(strings.Trim(s.Path.Value, "`\""), ""); p != nil && p.decls[n.Name].file != nil {
				return p
			}
		}
	}
	return nil
}

// local reports whether a name is declared within a function or type.
func local(f *file, n *ast.Ident) bool { return n.Obj != nil && f.Scope.Objects[n.Name] != n.Obj }

// qualifier returns the path of the package that an expression names, or "" if it is
// something else.
func (r *Reader) qualifier(f *file, e ast.Expr) string {
	if n, ok := e.(*ast.Ident); ok && n.Obj == nil {
		if _, own := f.pkg.decls[n.Name]; !own {
			return r.imported(f, n.Name)
		}
	}
	return ""
}

var errNoSource = errors.New("no source")

// Import type-checks the wanted part of a package. Errors do no harm: what they are about
// has no known type.
func (c *closure) Import(path string) (checked *types.Package, err error) {
	if checked, ok := c.checked[path]; ok {
		return checked, nil
	}
	p := c.open(path, "")
	if p == nil || c.wanted[p] == nil {
		return nil, errNoSource
	}
	defer func() { // go/types may panic on what is left of a package here, which no parser would return
		if recover() != nil {
			checked, err = nil, errNoSource
		}
	}()
	config := types.Config{
		Importer:                 c,
		Sizes:                    sizes,
		Error:                    func(error) {},
		IgnoreFuncBodies:         true,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
	}
	checked, _ = config.Check(path, c.files, c.reduced(p), nil)
	c.checked[path] = checked
	return checked, nil
}

// sizes are those of the compiler.
var sizes = types.SizesFor("gc", runtime.GOARCH)

// reduced returns the wanted parts of a package's files.
func (c *closure) reduced(p *pkg) []*ast.File {
	decls := map[*file][]ast.Decl{}
	groups := map[ast.Node]bool{}
	for name, whole := range c.wanted[p] {
		d := p.decls[name]
		if r, key := d.reduce(name, whole); !groups[key] {
			groups[key] = true
			decls[d.file] = append(decls[d.file], r)
		}
	}
	var files []*ast.File
	for _, f := range p.files {
		if len(decls[f]) > 0 {
			less := *f.File
			less.Decls = append([]ast.Decl{importing(c.imports[f])}, decls[f]...)
			files = append(files, &less)
		}
	}
	return files
}

// reduce returns what remains of a declaration for a name, and a key: names with the same
// key share it.
func (d decl) reduce(name string, whole bool) (ast.Decl, ast.Node) {
	if d.fn != nil {
		return &ast.FuncDecl{Name: d.fn.Name, Type: d.fn.Type}, d.fn
	}
	switch s := d.spec.(type) {
	case *ast.TypeSpec:
		if !whole && !s.Assign.IsValid() {
			s = &ast.TypeSpec{Name: s.Name, TypeParams: s.TypeParams, Type: unknownType(s.Pos())}
		}
		return &ast.GenDecl{Tok: token.TYPE, TokPos: s.Pos(), Specs: []ast.Spec{s}}, d.spec
	case *ast.ValueSpec:
		if d.isVar() {
			v := reduceVar(s, name)
			key := ast.Node(v.Names[0])
			return &ast.GenDecl{Tok: token.VAR, TokPos: s.Pos(), Specs: []ast.Spec{v}}, key
		}
	}
	return d.group, d.group
}

// reduceVar returns the declaration of one variable of several, unless they
// have one value together. With a type there needs to be no value.
func reduceVar(s *ast.ValueSpec, name string) *ast.ValueSpec {
	for i, n := range s.Names {
		switch {
		case n.Name != name:
		case s.Type != nil:
			return &ast.ValueSpec{Names: []*ast.Ident{n}, Type: s.Type}
		case len(s.Values) == len(s.Names):
			return &ast.ValueSpec{Names: []*ast.Ident{n}, Values: s.Values[i : i+1]}
		}
	}
	return s
}

// unknownType is a struct without a known layout.
func unknownType(pos token.Pos) ast.Expr {
	field := &ast.Field{Names: []*ast.Ident{{NamePos: pos, Name: "_"}}, Type: &ast.BadExpr{From: pos, To: pos}}
	return &ast.StructType{Struct: pos, Fields: &ast.FieldList{Opening: pos, List: []*ast.Field{field}, Closing: pos}}
}

// importing returns the declaration of imports by name.
func importing(paths map[string]string) ast.Decl {
	d := &ast.GenDecl{Tok: token.IMPORT}
	for name, path := range paths {
		if name[0] == '.' {
			name = "."
		}
		d.Specs = append(d.Specs, &ast.ImportSpec{
			Name: ast.NewIdent(name),
			Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)},
		})
	}
	return d
}
