package fix

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/forms"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file writes a plan: expressions, structs, imports. All changes are edits at offsets of the original text, and
// are applied at the end, file by file. It must not decide anything but names.

// arenaModule is the module of package arena.
const arenaModule = "github.com/harena-go/arena"

// A writer collects the changes of all files.
type writer struct {
	*plan
	edits   map[string][]edit.Edit       // by path
	imports map[string]map[string]string // names of packages in the files that need them, by path
	locals  map[*function]string         // functions' names for their arena
	hidden  map[*function]bool           // functions with a variable for the arena: their carrier is hidden somewhere
	done    map[ast.Node]bool            // rewritten expressions, alone or within another
	uses    map[string][]edit.Edit       // of variables that become pointers, by path
	harness string                       // package that lends arenas in the checked copy, "" for the patch
}

// write returns the changed files. An expression that can't be written is excluded from the plan, which must then be
// made anew: again is true.
func (p *plan) write(harness string) (files map[string][]byte, again bool, err error) {
	w := &writer{plan: p, edits: map[string][]edit.Edit{}, imports: map[string]map[string]string{},
		locals: map[*function]string{}, hidden: map[*function]bool{}, done: map[ast.Node]bool{},
		uses: map[string][]edit.Edit{}, harness: harness}
	// Variables first: the uses of their names change with them.
	slices.SortStableFunc(p.moves, func(a, b move) int {
		rank := func(m move) int {
			if _, variable := m.node().(*ast.Ident); variable {
				return 0
			}
			return 1
		}
		return rank(a) - rank(b)
	})
	for _, c := range p.fields() {
		w.carrier(c)
	}
	for _, m := range p.moves {
		// Several findings may share an expression, with different callers.
		if w.done[m.node()] {
			continue
		}
		w.done[m.node()] = true
		if why := w.move(m); why != "" {
			p.excluded[m.node()], again = why, true
		}
	}
	// Sorted, so that the same program gives the same patch.
	for _, name := range slices.Sorted(maps.Keys(p.functions)) {
		f := p.functions[name]
		for _, c := range f.calls {
			w.call(c)
		}
		if p.needed[f] {
			w.function(f)
		}
	}
	files = map[string][]byte{}
	for path := range w.edits {
		if files[path], err = w.file(path); err != nil || again {
			return nil, again, err
		}
	}
	return files, false, nil
}

// move writes an expression or a call, and returns the reason if it can't, "" otherwise.
func (w *writer) move(m move) (why string) {
	f := forms.Former{Program: w.program, File: m.file, Text: w.texts[m.file.Path], Arena: w.mem(m.spot, m.node()),
		Package: func() string { return w.imported(m.file.Path, arenaModule) }, Break: "\n", Done: w.done, Uses: w.uses,
		JSON: func() string { return w.imported(m.file.Path, arenaModule+"/arenajson") }}
	if m.expr == nil {
		why = f.Library(m.call, m.finding.Lib)
	} else {
		why = f.Expr(*m.expr)
	}
	w.edits[m.file.Path] = append(w.edits[m.file.Path], f.Edits...)
	return why
}

// add adds an edit of a file.
func (w *writer) add(path string, from, to token.Pos, text string, order int) {
	w.edits[path] = append(w.edits[path], edit.Edit{From: w.offset(from), To: w.offset(to), Text: text, Order: order})
}

// text returns a node's source.
func (w *writer) text(f *source.File, n ast.Node) string {
	return string(w.texts[f.Path][w.offset(n.Pos()):w.offset(n.End())])
}

// mem returns a function's name for its arena at a node.
func (w *writer) mem(s spot, at ast.Node) string {
	b := w.way[s.in]
	if b == nil {
		return w.local(s.in)
	}
	// A variable of an inner scope may hide the carrier: then the function gets a variable for the arena at its top.
	if scope := s.in.file.Pkg.Scope().Innermost(at.Pos()); scope != nil {
		if _, obj := scope.LookupParent(b.obj.Name(), at.Pos()); obj != nil && obj != b.obj {
			w.hidden[s.in] = true
			return w.local(s.in)
		}
	}
	if w.harness != "" {
		return fmt.Sprintf("%s.Seen(%s.%s, %q)", w.imported(s.in.file.Path, w.harness), b.name, b.carrier.field,
			b.carrier.key)
	}
	return b.name + "." + b.carrier.field
}

// local returns a function's variable for its arena: a name unused in the function never hides one.
func (w *writer) local(f *function) string {
	if w.locals[f] == "" {
		w.locals[f] = unused(source.Names(f.decl), "a", "mem", "unitArena")
	}
	return w.locals[f]
}

// unused returns the first unused name, or one with a number.
func unused(used map[string]bool, names ...string) string {
	for i := 2; ; i++ {
		for _, name := range names {
			if !used[name] {
				return name
			}
		}
		names = []string{fmt.Sprint(names[0], i)}
	}
}

// carrier gives a struct its field, and fills the field where a function that has the arena makes the struct. In all
// other places the field is nil.
func (w *writer) carrier(c *carrier) {
	closing := c.body.Fields.Closing
	text := "\t" + c.field + " *" + w.imported(c.file.Path, arenaModule) + ".Arena\n"
	if w.line(closing) == w.line(c.body.Fields.Opening) {
		text = "\n" + text
	}
	w.add(c.file.Path, closing, closing, "\n"+text, 0)
	for _, m := range c.makes {
		if !w.needed[m.in] || !w.has(m.spot) {
			continue
		}
		// T{} gets a keyed element, new(T) becomes &T{...}, and var v T becomes var v = T{...}.
		path, value := m.file.Path, c.field+": "+w.mem(m.spot, m.node)
		switch n := m.node.(type) {
		case *ast.CompositeLit:
			switch {
			case len(n.Elts) == 0:
			case w.line(n.Elts[0].Pos()) > w.line(n.Lbrace):
				value = "\n" + value + ","
			default:
				value += ", "
			}
			w.add(path, n.Lbrace+1, n.Lbrace+1, value, edit.First)
		case *ast.CallExpr:
			w.add(path, n.Pos(), n.End(), "&"+w.text(m.file, n.Args[0])+"{"+value+"}", 0)
		case *ast.ValueSpec:
			w.add(path, n.Type.Pos(), n.Type.End(), "= "+w.text(m.file, n.Type)+"{"+value+"}", 0)
		}
	}
}

// imported returns the name of one of the arena module's packages in a file, which imports it from then on.
func (w *writer) imported(file, from string) string {
	if name := w.imports[file][from]; name != "" {
		return name
	}
	f, name := w.program.File(file), path.Base(from)
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

// addImports adds imports to a file: to its last import declaration, or as its first.
func (w *writer) addImports(f *source.File) {
	specs := ""
	for _, from := range slices.Sorted(maps.Keys(w.imports[f.Path])) {
		if name := w.imports[f.Path][from]; f.Imported(from) != "" {
			continue
		} else if name != path.Base(from) {
			specs += name + " "
		}
		specs += strconv.Quote(from) + "\n"
	}
	if specs == "" {
		return
	}
	after, before := f.Tree.Name, token.NoPos
	for _, d := range f.Tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && len(g.Specs) > 0 {
			last := g.Specs[len(g.Specs)-1].(*ast.ImportSpec)
			if before = g.Rparen; !before.IsValid() {
				w.add(f.Path, last.Pos(), last.Pos(), "(\n", 0)
				before, specs = last.End(), "\n"+specs+")"
			}
			// A first path without a dot is of the standard library: a blank line separates the groups.
			if !strings.Contains(strings.SplitN(last.Path.Value, "/", 2)[0], ".") {
				specs = "\n" + specs
			}
		}
	}
	if before.IsValid() {
		w.add(f.Path, before, before, specs, 0)
	} else {
		w.add(f.Path, after.End(), after.End(), "\n\nimport (\n"+specs+")", 0)
	}
}

// file applies the changes of a file. A replaced call, such as strings.Join, may have been the last use of an import.
func (w *writer) file(file string) ([]byte, error) {
	w.addImports(w.program.File(file))
	out, err := edit.Apply(w.texts[file], w.edits[file])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, out, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, spec := range slices.Clone(tree.Imports) {
		from := strings.Trim(spec.Path.Value, `"`)
		named := spec.Name != nil || w.program.File(file).Imported(from) != path.Base(from)
		if !named && !astutil.UsesImport(tree, from) {
			astutil.DeleteImport(fset, tree, from)
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, tree)
	return b.Bytes(), err
}
