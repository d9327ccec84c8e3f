package symbols

import (
	"cmp"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
)

// This file names variables of programs without a symbol table, as go test builds and runs them. It reads the source of
// the lines whose code uses a variable's address: the variable is the only one that each of these lines mentions.
//
// That isn't proof yet: after p := &x, lines that mention only p use x, and may mention y. But y has an address, too.
// So a variable isn't named if all lines that use another address mention it as well.

// A sourceReader reads the source of this program.
type sourceReader struct {
	*Types
	files    *token.FileSet
	built    time.Time       // the program's time; newer files aren't its source
	packages map[string]*pkg // by path; nil if there is no source
}

// A pkg has the files of a package, including its tests, or those of its external tests.
type pkg struct {
	path  string
	files map[string]*ast.File
	decls map[string]decl // other than of constants
}

type decl struct {
	file *ast.File
	spec any // *ast.ValueSpec, *ast.TypeSpec or *ast.FuncDecl
}

// nameAt returns the variable that code uses by an address, nil if it is unknown.
func (r *sourceReader) nameAt(addr uintptr) (p *pkg, name string) {
	var shared []string
	functions := map[uintptr]bool{}
	for i, u := range r.usersOf(addr) {
		of, names := r.mentions(u)
		f := physical(u.pc)
		if i == 0 {
			p, shared = of, names
		}
		if of == nil || of != p || f == nil || u.addr != addr {
			return nil, ""
		}
		shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(names, name) })
		functions[f.Entry()] = true
	}
	if len(shared) != 1 || r.isElsewhere(p, shared[0], addr, functions) {
		return nil, ""
	}
	return p, shared[0]
}

// isElsewhere reports whether a variable mentioned by lines of some functions may have another address: one that these
// functions use, and whose uses in the program are all in lines that mention the variable.
func (r *sourceReader) isElsewhere(p *pkg, name string, addr uintptr, functions map[uintptr]bool) bool {
	before, size := p.extent(name)
	unrelated := func(u user) bool {
		of, names := r.mentions(u)
		return of != p || !slices.Contains(names, name)
	}
	// Variables without pointers, which the dump doesn't have, are behind the others.
	first, last := r.dump.Variables[0], r.dump.Variables[1]
	all := dump.Range{Start: first.Addr, End: last.Addr + uintptr(len(last.Contents)) + 1<<20}
	others := map[uintptr]bool{}
	eachReference(runtime.GOARCH, r.text, func(pc, to uintptr) {
		if all.Has(to) && to-(addr-before) >= size {
			if f := physical(pc); f != nil && functions[f.Entry()] && !unrelated(user{pc, to}) {
				others[to] = true
			}
		}
	})
	for to := range others {
		if !slices.ContainsFunc(r.usersOf(to), unrelated) {
			return true
		}
	}
	return false
}

// mentions returns the variables of its package that the line of an instruction mentions, in the shortest statements
// there. The package is nil if its source can't be read.
func (r *sourceReader) mentions(u user) (p *pkg, names []string) {
	frame := FrameOf(u.pc)
	name := filepath.Clean(frame.File)
	p = r.open(PackagePath(frame.Function), name)
	if p == nil || p.files[name] == nil {
		return nil, nil
	}
	lines := func(from, to token.Pos) (n int, ok bool) {
		first, last := r.files.Position(from).Line, r.files.Position(to).Line
		return last - first, first <= frame.Line && frame.Line <= last
	}
	shortest := math.MaxInt
	ast.Inspect(p.files[name], func(n ast.Node) bool {
		if n == nil {
			return false
		}
		end := headEnd(n)
		if size, ok := lines(n.Pos(), end); ok && end.IsValid() && size <= shortest {
			if size < shortest {
				shortest, names = size, nil
			}
			names = p.appendVariables(names, p.files[name], n, end)
		}
		_, inside := lines(n.Pos(), n.End())
		return inside
	})
	slices.Sort(names)
	return p, slices.Compact(names)
}

// headEnd returns the end of a variable's declaration, or of a statement without its blocks; 0 for other nodes.
func headEnd(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.CaseClause:
		return n.Colon
	case *ast.CommClause:
		return n.Colon
	case *ast.LabeledStmt, *ast.BlockStmt:
		return token.NoPos
	case ast.Stmt, *ast.ValueSpec:
		end := n.End()
		ast.Inspect(n, func(n ast.Node) bool {
			if b, ok := n.(*ast.BlockStmt); ok {
				end = min(end, b.Lbrace)
			}
			return true
		})
		return end
	}
	return token.NoPos
}

// appendVariables appends the variables that a statement mentions before its end.
func (p *pkg) appendVariables(names []string, file *ast.File, n ast.Node, end token.Pos) []string {
	selected := map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.KeyValueExpr:
			selected[n.Key] = true // which may be a field
		case *ast.Ident:
			global := n.Obj == nil || n.Obj == file.Scope.Lookup(n.Name)
			if _, ok := p.decls[n.Name].spec.(*ast.ValueSpec); ok && global && !selected[n] {
				names = append(names, n.Name)
			}
		}
		return n != nil && n.Pos() < end
	})
	return names
}

// open returns the package with a path that contains a file. It returns nil if the program has only the names of its
// files, or if a file is newer than the program.
func (r *sourceReader) open(path, file string) *pkg {
	if p, ok := r.packages[path]; ok {
		return p
	}
	r.packages[path] = nil
	p := &pkg{path, map[string]*ast.File{}, map[string]decl{}}
	dir := filepath.Dir(file)
	all, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range all {
		if match, _ := build.Default.MatchFile(dir, filepath.Base(name)); !match {
			continue
		}
		info, err := os.Stat(name)
		if err != nil || info.ModTime().After(r.built) {
			return nil
		}
		f, err := parser.ParseFile(r.files, name, nil, 0)
		if err == nil && strings.HasSuffix(f.Name.Name, "_test") == strings.HasSuffix(path, "_test") {
			p.files[name] = f
			for name, o := range f.Scope.Objects {
				if o.Kind != ast.Con {
					p.decls[name] = decl{f, o.Decl}
				}
			}
		}
	}
	if filepath.IsAbs(file) {
		r.packages[path] = p
	}
	return r.packages[path]
}

// typeOf returns the type in a variable's declaration, and its file; nil if the declaration has none.
func (p *pkg) typeOf(name string) (*ast.File, ast.Expr) {
	d := p.decls[name]
	s := d.spec.(*ast.ValueSpec)
	if s.Type != nil || len(s.Values) != len(s.Names) {
		return d.file, s.Type
	}
	switch v := s.Values[slices.IndexFunc(s.Names, func(n *ast.Ident) bool { return n.Name == name })].(type) {
	case *ast.CompositeLit:
		return d.file, v.Type
	case *ast.CallExpr:
		f, ok := v.Fun.(*ast.Ident)
		if !ok {
			break
		}
		if f.Name == "make" {
			return d.file, v.Args[0]
		}
		d = p.decls[f.Name]
		if f, ok := d.spec.(*ast.FuncDecl); ok && f.Type.TypeParams == nil && f.Type.Results.NumFields() == 1 {
			return d.file, f.Type.Results.List[0].Type
		}
	}
	return nil, nil
}

// extent returns the number of the variable's bytes before the pointer that code uses, and its size. If they are
// unknown it returns those of the pointer alone.
func (p *pkg) extent(name string) (before, size uintptr) {
	_, t := p.typeOf(name)
	switch t := t.(type) {
	case *ast.ArrayType:
		if t.Len == nil {
			return 0, 3 * wordBytes
		}
	case *ast.Ident:
		switch t.Name {
		case "string":
			return 0, 2 * wordBytes
		case "any", "error":
			return wordBytes, 2 * wordBytes
		}
	}
	return 0, wordBytes
}

// typeName is a name in the text of a type.
var typeName = regexp.MustCompile(`\b[\pL_][\pL\d_]*(\.[\pL_][\pL\d_]*)?`)

// text returns a type of the source in the form of fullName, "" for types that aren't worth the effort.
func (p *pkg) text(f *ast.File, t ast.Expr) string {
	text := types.ExprString(t)
	if strings.ContainsAny(text, "({") {
		return ""
	}
	return typeName.ReplaceAllStringFunc(text, func(name string) string {
		if x, sel, ok := strings.Cut(name, "."); ok {
			return imported(f, x) + "." + sel
		}
		if _, ok := p.decls[name].spec.(*ast.TypeSpec); ok {
			return p.path + "." + name
		}
		alias := map[string]string{"byte": "uint8", "rune": "int32"}
		return cmp.Or(alias[name], name)
	})
}

// imported returns the path of the package that a file imports by a name.
func imported(f *ast.File, name string) string {
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if s.Name != nil && s.Name.Name == name || s.Name == nil && filepath.Base(path) == name {
			return path
		}
	}
	return name
}

// fullName returns the text of a type with the paths of packages.
func fullName(t reflect.Type) string {
	switch {
	case t.Name() != "":
		return strings.TrimPrefix(t.PkgPath()+"."+t.Name(), ".")
	case t.Kind() == reflect.Map:
		return "map[" + fullName(t.Key()) + "]" + fullName(t.Elem())
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Chan:
		return strings.TrimSuffix(t.String(), t.Elem().String()) + fullName(t.Elem())
	case t == reflect.TypeFor[any]():
		return "any"
	}
	return "?"
}
