package fix

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file adds imports, and removes those that a patch has made unused, which the compiler would refuse.

// arena returns what package arena is called in a file.
func (w *writer) arena(file string) string { return w.imported(file, arenaModule) }

// imported returns what a package of the module arena is called in a file, which imports it from then on.
func (w *writer) imported(file, from string) string {
	if name := w.imports[file][from]; name != "" {
		return name
	}
	f, name := w.p.program.File(file), path.Base(from)
	if own := f.Imported(from); own != "" {
		name = own
	} else if f.Pkg.Scope().Lookup(name) != nil || f.Uses(name) {
		name = "h" + name // a variable or a type has the name
	}
	if w.imports[file] == nil {
		w.imports[file] = map[string]string{}
	}
	w.imports[file][from] = name
	return name
}

// addImports adds imports to a file, with their names by paths: behind the package clause if there is no import yet, as
// the last lines of the last import declaration if that has parentheses, and else by giving it parentheses.
func (w *writer) addImports(f *source.File, names map[string]string) {
	var specs []string
	for _, from := range slices.Sorted(maps.Keys(names)) {
		spec := strconv.Quote(from)
		if names[from] != path.Base(from) {
			spec = names[from] + " " + spec
		}
		if f.Imported(from) == "" {
			specs = append(specs, spec)
		}
	}
	if len(specs) == 0 {
		return
	}
	spec := strings.Join(specs, "\n\t")
	var last *ast.GenDecl
	for _, d := range f.Tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && len(g.Specs) > 0 {
			if _, ok := g.Specs[0].(*ast.ImportSpec); ok {
				last = g
			}
		}
	}
	switch {
	case last == nil:
		at := w.p.offset(f.Tree.Name.End())
		w.add(f.Path, at, at, "\n\nimport "+spec, 1)
	// Into the group of the last import declaration, behind its last line.
	case last.Lparen.IsValid():
		end := last.Specs[len(last.Specs)-1].(*ast.ImportSpec)
		// The first path without a dot belongs to the standard library: a blank line separates the groups, as
		// goimports has it.
		gap := "\n"
		if !strings.Contains(strings.SplitN(end.Path.Value, "/", 2)[0], ".") {
			gap = "\n\n"
		}
		at := w.p.offset(last.Rparen)
		if c := end.Comment; c != nil || w.p.line(end.End()) == w.p.line(last.Rparen) {
			w.add(f.Path, at, at, gap+"\t"+spec+"\n", 0)
			return
		}
		w.add(f.Path, at, at, strings.TrimPrefix(gap, "\n")+"\t"+spec+"\n", 0)
	default:
		from, to := w.p.offset(last.Specs[0].Pos()), w.p.offset(last.Specs[0].End())
		w.add(f.Path, from, from, "(\n\t", 0)
		w.add(f.Path, to, to, "\n\n\t"+spec+"\n)", 0)
	}
}

// replaced are packages whose last use may be gone.
var replaced = []string{"strings", "fmt", "slices", "bytes", "io", "encoding/json"}

// Only what a patch replaces can lose its last use: strings.Join and others become functions of package arena. All
// other imports are left alone, so that no import with side effects is lost.

// dropImports leaves out imports that a file doesn't use any more.
func dropImports(text, before []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var edits []edit.Edit
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			from := strings.Trim(spec.Path.Value, `"`)
			// An import with a name of its own is kept: whether it is used can't be told by its path.
			if spec.Name != nil || !slices.Contains(replaced, from) || astutil.UsesImport(tree, from) ||
				!bytes.Contains(before, []byte(path.Base(from)+".")) {
				continue
			}
			start, to := fset.Position(spec.Pos()).Offset, fset.Position(spec.End()).Offset
			if !g.Lparen.IsValid() {
				start = fset.Position(g.Pos()).Offset
			}
			// The whole line goes, with its indentation and its newline.
			for start > 0 && (text[start-1] == '\t' || text[start-1] == ' ') {
				start--
			}
			if to < len(text) && text[to] == '\n' {
				to++
			}
			edits = append(edits, edit.Edit{From: start, To: to})
		}
	}
	return edit.Apply(text, edits)
}
