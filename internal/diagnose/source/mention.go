package source

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// A Line is a line of a file, by the name that the program has for it.
type Line struct {
	File string
	Line int
}

// A Mention is a variable in the source, with the fields that are selected from it.
type Mention struct {
	Name
	Fields []string
}

// Mentions returns the package-level variables that are mentioned in the statement, or head of
// a statement, on a line of a function. It also returns names of other packages there, which
// may be variables. It returns false without source.
//
// The instructions of a statement may belong to any of its lines, so all count.
func (r *Reader) Mentions(function string, l Line) ([]Mention, bool) {
	p := r.open(PackagePath(function), filepath.Dir(l.File))
	if p == nil {
		return nil, false
	}
	return r.index(p)[l], true
}

// MentionsOf returns what a function mentions, and the functions that it calls, if they are of
// the same package. That may be too many, as methods are distinguished only by name. It
// returns nothing without source.
func (r *Reader) MentionsOf(function, file string) (all []Mention) {
	path := PackagePath(function)
	p := r.open(path, filepath.Dir(file))
	if p == nil {
		return nil
	}
	r.index(p)
	isMark := func(c rune) bool { return strings.ContainsRune(".()*[]", c) }
	var names []string
	if i := strings.LastIndexByte(function, '/') + 1; strings.Contains(function[i:], ".") {
		names = strings.FieldsFunc(function[i:], isMark)[1:]
	}
	seen := map[string]bool{}
	for ; len(names) > 0 && len(seen) < maxCalled; names = names[1:] {
		if b := p.bodies[names[0]]; b != nil && !seen[names[0]] {
			all = append(all, b.mentions...)
			names = append(names, b.calls...)
		}
		seen[names[0]] = true
	}
	return all
}

// maxCalled is how many names of functions MentionsOf looks at.
const maxCalled = 100

// A body has the bodies of all functions with one name in a package.
type body struct {
	mentions []Mention
	calls    []string
}

// index returns what the lines of a package mention.
func (r *Reader) index(p *pkg) map[Line][]Mention {
	lines, ok := r.lines[p]
	if !ok {
		lines = map[Line][]Mention{}
		for _, f := range p.files {
			r.indexFile(f, lines)
		}
		r.lines[p] = lines
	}
	return lines
}

func (r *Reader) indexFile(f *file, lines map[Line][]Mention) {
	extents := map[ast.Node][]Line{}
	ast.PreorderStack(f.File, nil, func(n ast.Node, stack []ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		b := f.pkg.bodyOf(stack)
		if _, called := stack[len(stack)-1].(*ast.CallExpr); called || isSelected(id, stack) {
			b.calls = append(b.calls, id.Name)
		}
		m, ok := r.mentioned(f, id, stack)
		if !ok {
			return true
		}
		b.mentions = append(b.mentions, m)
		for i := len(stack) - 1; i >= 0; i-- {
			if from, to, ok := extent(stack[i]); ok {
				if extents[stack[i]] == nil {
					extents[stack[i]] = r.between(stack[i], from, to)
				}
				for _, l := range extents[stack[i]] {
					lines[l] = append(lines[l], m)
				}
				break
			}
		}
		return true
	})
}

// bodyOf returns the body of the function that declarations and statements are in.
func (p *pkg) bodyOf(stack []ast.Node) *body {
	name := ""
	if len(stack) > 1 {
		if f, ok := stack[1].(*ast.FuncDecl); ok {
			name = f.Name.Name
		}
	}
	b := p.bodies[name]
	if b == nil {
		b = &body{}
		p.bodies[name] = b
	}
	return b
}

// isSelected reports whether a name is that of a method or field.
func isSelected(id *ast.Ident, stack []ast.Node) bool {
	s, ok := stack[len(stack)-1].(*ast.SelectorExpr)
	return ok && s.Sel == id
}

// mentioned returns which variable a name is or may be, if any.
func (r *Reader) mentioned(f *file, id *ast.Ident, stack []ast.Node) (m Mention, ok bool) {
	var chain []string
	for i := len(stack) - 1; i >= 0; i-- {
		switch parent := stack[i].(type) {
		case *ast.SelectorExpr:
			if parent.Sel == id {
				return m, false
			}
			chain = append(chain, parent.Sel.Name)
			continue
		case *ast.ParenExpr:
			continue
		}
		break
	}
	if id.Name == "_" || local(f, id) || isField(f.pkg, id, stack) {
		return m, false
	}
	if p := r.declaring(f, id); p != nil {
		return Mention{Name{p.path, id.Name}, chain}, p.decls[id.Name].isVar()
	}
	if len(chain) == 0 { // a name that the language has
		return m, false
	}
	path := r.qualifier(f, id)
	return Mention{Name{path, chain[0]}, chain[1:]}, path != "" && path != "unsafe" && path != "C"
}

// isField reports whether a name is that of a field in a literal of a struct. It can't tell for
// literals of types from other packages.
func isField(p *pkg, id *ast.Ident, stack []ast.Node) bool {
	if len(stack) < 2 {
		return false
	}
	pair, ok := stack[len(stack)-1].(*ast.KeyValueExpr)
	if !ok || pair.Key != id {
		return false
	}
	lit, ok := stack[len(stack)-2].(*ast.CompositeLit)
	if !ok {
		return false
	}
	typ := lit.Type
	if n, ok := typ.(*ast.Ident); ok {
		if spec, ok := p.decls[n.Name].spec.(*ast.TypeSpec); ok {
			typ = spec.Type
		}
	}
	_, ok = typ.(*ast.StructType)
	return ok
}

// extent returns where a statement without the statements in it, or a declaration of a variable,
// starts and ends.
func extent(n ast.Node) (from, to token.Pos, ok bool) {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.ForStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.RangeStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.SwitchStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.TypeSwitchStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.SelectStmt:
		return n.Pos(), n.Body.Lbrace, true
	case *ast.CaseClause:
		return n.Pos(), n.Colon, true
	case *ast.CommClause:
		return n.Pos(), n.Colon, true
	case *ast.LabeledStmt, *ast.BlockStmt:
		return 0, 0, false
	case ast.Stmt, *ast.ValueSpec:
		return n.Pos(), n.End(), true
	}
	return 0, 0, false
}

// between returns the lines of a statement, without those of the functions in it.
func (r *Reader) between(n ast.Node, from, to token.Pos) []Line {
	first, last := r.files.Position(from), r.files.Position(to)
	inner := map[int]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncLit)
		if ok {
			for l := r.files.Position(f.Body.Lbrace).Line + 1; l < r.files.Position(f.Body.Rbrace).Line; l++ {
				inner[l] = true
			}
		}
		return !ok
	})
	var lines []Line
	for l := first.Line; l <= last.Line; l++ {
		if !inner[l] {
			lines = append(lines, Line{first.Filename, l})
		}
	}
	return lines
}
