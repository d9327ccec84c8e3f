package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/forms"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file writes what a plan says: expressions, calls, signatures, fields. It must not decide anything but names.

// All changes are edits at offsets of the original text, and are applied at the end, file by file. So no edit
// moves the place of another, and comments and formatting stay as the author wrote them.

// arenaModule is where package arena comes from.
const arenaModule = "github.com/harena-go/arena"

// harnessName is the package with the proof's arenas, within the module.
const harnessName = "zzarenascout"

// A writer collects the changes of all files.
type writer struct {
	p       *plan
	texts   map[string][]byte                // the files as they are, by path
	edits   map[string][]edit.Edit           // by path
	imports map[string]map[string]string     // what packages are called in the files that need them, by path
	names   map[*function]string             // what a function calls its arena
	locals  map[*function]bool               // with a variable for it, since their carrier is hidden somewhere
	done    map[ast.Node]bool                // expressions that are rewritten, by themselves or within another
	uses    map[string][]edit.Edit           // of variables that become pointers, by path
	zeros   map[*ast.Ident]string            // the values of carriers that are such variables
	fielded map[*ast.CompositeLit]*ast.Ident // large literals whose fields are set behind, and what has them
	// By package, interface and method; inOrder has the same.
	dispatchers map[string]*dispatcher
	inOrder     []*dispatcher
	dispatched  map[*ast.CallExpr]bool
	harness     string // the package with the proof's arenas, "" for what is shown
}

// write returns the changed files. An expression that can't be written is excluded from the plan, which must then be
// made anew: again is true.
func (p *plan) write(harness string) (files map[string][]byte, again bool, err error) {
	w, again, err := p.edit(harness)
	if err != nil || again {
		return nil, again, err
	}
	files = map[string][]byte{}
	if harness == "" {
		p.sources = map[string][]byte{}
	}
	for path := range w.edits {
		if files[path], err = w.file(path); err != nil {
			return nil, false, err
		}
		if p.grammars[path] != "" && harness == "" {
			some, err := p.carry(path, files[path])
			if again = again || some; err != nil {
				return nil, false, err
			}
		}
	}
	return files, again, nil
}

// carry makes the changes of a generated file in its grammar. What has no place there is excluded: again is true.
func (p *plan) carry(path string, after []byte) (again bool, err error) {
	grammar, err := os.ReadFile(p.grammars[path])
	if err != nil {
		return false, err
	}
	text, lost := carryOver(p.texts[path], after, grammar)
	for _, m := range p.moves {
		node := m.node()
		within := func(line int) bool { return p.line(node.Pos()) <= line+1 && line+1 <= p.line(node.End()) }
		if m.file.Path == path && slices.ContainsFunc(lost, within) {
			p.excluded[node] = "its lines aren't found in " + filepath.Base(p.grammars[path])
			again = true
		}
	}
	if len(lost) > 0 && !again {
		return false, fmt.Errorf("line %d of %s isn't found in %s", lost[0]+1, filepath.Base(path),
			filepath.Base(p.grammars[path]))
	}
	p.sources[p.grammars[path]] = text
	return again, nil
}

// edit returns a writer with the changes of all files.
func (p *plan) edit(harness string) (w *writer, again bool, err error) {
	w = &writer{p: p, texts: p.texts, edits: map[string][]edit.Edit{}, imports: map[string]map[string]string{},
		names: map[*function]string{}, locals: map[*function]bool{}, done: map[ast.Node]bool{}, harness: harness,
		uses: map[string][]edit.Edit{}, zeros: map[*ast.Ident]string{}, fielded: map[*ast.CompositeLit]*ast.Ident{},
		dispatchers: map[string]*dispatcher{}, dispatched: map[*ast.CallExpr]bool{}}
	// Variables first: what has their names changes with them.
	slices.SortStableFunc(p.moves, func(a, b move) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, f := range p.files {
		if p.texts[f.Path] != nil {
			continue
		}
		if p.texts[f.Path], err = os.ReadFile(f.Path); err != nil {
			return nil, false, err
		}
	}
	w.setLater()
	for _, c := range p.fields() {
		w.carrier(c)
	}
	for _, m := range p.moves {
		// Several findings may have the same expression, by different callers.
		if w.done[m.node()] {
			continue
		}
		w.done[m.node()] = true
		edits, why := w.move(m)
		if why != "" {
			p.excluded[m.node()] = why
			again = true
			continue
		}
		w.edits[m.file.Path] = append(w.edits[m.file.Path], edits...)
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
	w.dispatchersText()
	for path, names := range w.imports {
		w.addImports(w.p.program.File(path), names)
	}
	return w, again, nil
}

// move returns the edits for an expression or a call, or why there are none.
func (w *writer) move(m move) (edits []edit.Edit, why string) {
	f := forms.Former{Program: w.p.program, File: m.file, Text: w.texts[m.file.Path],
		Arena: w.mem(m.in, m.file, m.node()), Package: func() string { return w.arena(m.file.Path) }, Break: "\n",
		JSON: func() string { return w.imported(m.file.Path, arenaModule+"/arenajson") },
		Done: w.done, Uses: w.uses, Zeros: w.zeros, Fielded: w.fielded, Filled: func(n *ast.UnaryExpr) bool {
			c := w.p.carriers[typeKey(m.expr.Type)]
			return c != nil && w.p.needs[c] && !w.p.copies[n]
		}}
	id, variable := m.node().(*ast.Ident)
	switch b := w.p.way[m.in]; {
	case m.expr == nil:
		why = f.Library(m.call, m.finding.Lib)
	case variable && b != nil && m.in != w.p.unit && m.file.Info.Defs[id] == b.obj:
		why = "it has the arena itself"
	default:
		why = f.Expr(*m.expr)
	}
	return f.Edits, why
}

// setLater finds the large literals that have a name, x := &T{...} in a block, and whose fields can be set afterwards.
func (w *writer) setLater() {
	for _, m := range w.p.moves {
		and, ok := m.node().(*ast.UnaryExpr)
		if !ok || m.expr.Size <= forms.Large {
			continue
		}
		lit, ok := ast.Unparen(and.X).(*ast.CompositeLit)
		assign, defines := m.file.Parent(and).(*ast.AssignStmt)
		if !ok || !defines || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
			continue
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		_, block := m.file.Parent(assign).(*ast.BlockStmt)
		if ok && block && id.Name != "_" && keyed(lit, id.Name) && !slices.ContainsFunc(m.file.Tree.Comments,
			func(c *ast.CommentGroup) bool { return lit.Pos() <= c.Pos() && c.Pos() < lit.End() }) {
			w.fielded[lit] = id
		}
	}
}

// keyed reports whether all elements of a literal name their fields, and none mentions a name.
func keyed(lit *ast.CompositeLit, name string) bool {
	for _, e := range lit.Elts {
		field, keyed := e.(*ast.KeyValueExpr)
		if !keyed || source.Names(field.Value)[name] {
			return false
		}
	}
	return true
}

// add notes an edit of a file.
func (w *writer) add(path string, from, to int, text string, order int) {
	w.edits[path] = append(w.edits[path], edit.Edit{From: from, To: to, Text: text, Order: order})
}

// text returns a node's source.
func (w *writer) text(f *source.File, n ast.Node) string {
	return string(w.texts[f.Path][w.p.offset(n.Pos()):w.p.offset(n.End())])
}

// mem returns how a function names its arena at a place.
func (w *writer) mem(f *function, file *source.File, at ast.Node) string {
	b := w.p.way[f]
	if f == w.p.unit || b == nil {
		return w.name(f)
	}
	// A variable of an inner scope may hide the carrier. Then the function gets a variable for the arena at
	// its top, where the carrier is still visible.
	scope := file.Pkg.Scope().Innermost(at.Pos())
	if scope != nil {
		if _, obj := scope.LookupParent(b.obj.Name(), at.Pos()); obj != nil && obj != b.obj {
			w.locals[f] = true
			return w.name(f)
		}
	}
	return b.name + "." + b.carrier.field
}

// name returns what a function calls its arena: a name that it doesn't use.
func (w *writer) name(f *function) string {
	if w.names[f] != "" {
		return w.names[f]
	}
	// Any identifier of the function counts, also one of an inner scope: a name that is free everywhere never
	// hides one.
	used := source.Names(f.decl)
	names := []string{"a", "mem", "unitArena"}
	for i := 0; ; i++ {
		name := fmt.Sprintf("arena%d", i)
		if i < len(names) {
			name = names[i]
		}
		if !used[name] {
			w.names[f] = name
			return name
		}
	}
}

// twin returns the name of the function that takes the arena in the place of another.
func (w *writer) twin(f *function) string {
	if !w.p.twin(f) {
		return f.obj.Name()
	}
	used := w.p.graph.names[f.obj.Pkg().Path()]
	base, endings := f.obj.Name(), []string{"Arena", "InArena", "WithArena"}
	// Nobody but the module calls it, unless it is the unit: it is no new name for users, if another package doesn't
	// need it.
	if f != w.p.unit && f.obj.Exported() && !w.p.abroad(f) {
		full := strings.TrimSuffix(f.obj.FullName(), base)
		if base = unexported(base); w.p.functions[full+base] != nil { // which may have a twin, too
			endings = endings[1:]
		}
	}
	for _, ending := range endings {
		if name := base + ending; !used[name] {
			return name
		}
	}
	return base + "InArenaOfUnit"
}

// unexported returns an exported name as its package would write it for itself: HTMLText as htmlText.
func unexported(name string) string {
	letters := []rune(name)
	for i, c := range letters {
		last := i+1 == len(letters) || !unicode.IsUpper(letters[i+1])
		if !unicode.IsUpper(c) || i > 0 && last && i+1 < len(letters) {
			break
		}
		letters[i] = unicode.ToLower(c)
	}
	return string(letters)
}

// carrier gives a struct its field, and fills the field where a function that has the arena makes the struct. All other
// places stay as they are: there the field is nil.
func (w *writer) carrier(c *carrier) {
	closing := w.p.offset(c.body.Fields.Closing)
	text := "\t" + c.field + " *" + w.arena(c.file.Path) + ".Arena\n"
	if w.realigns(c) {
		text = "\n" + text
	}
	if before := bytes.TrimRight(w.texts[c.file.Path][:closing], " \t"); before[len(before)-1] != '\n' {
		text = "\n" + text
	}
	w.add(c.file.Path, closing, closing, text, 0)
	for _, back := range c.puts {
		w.back(c, back)
	}
	for n, f := range c.unkeyed {
		fields := f.Info.TypeOf(n).Underlying().(*types.Struct)
		for i, e := range n.Elts {
			at := w.p.offset(e.Pos())
			w.add(f.Path, at, at, fields.Field(i).Name()+": ", edit.First+1)
		}
	}
	for _, m := range c.makes {
		if !w.p.supplied[m.in] || !w.p.needed[m.in] || !w.p.reaches(m.spot) {
			continue
		}
		// T{} gets a keyed element, new(T) becomes &T{...}, and var v T becomes var v = T{...}.
		path, value := m.file.Path, c.field+": "+w.mem(m.in, m.file, m.node)
		switch n := m.node.(type) {
		case *ast.TypeAssertExpr:
			w.taken(c, m, n)
		case *ast.CompositeLit:
			at := w.p.offset(n.Lbrace) + 1
			if id := w.fielded[n]; id != nil {
				end := w.p.offset(n.End())
				w.add(path, end, end, "\n"+id.Name+"."+c.field+" = "+w.mem(m.in, m.file, m.node), edit.Last)
				break
			}
			switch {
			case len(n.Elts) == 0:
			case w.p.line(n.Elts[0].Pos()) > w.p.line(n.Lbrace):
				value = "\n" + value + ","
			default:
				value += ", "
			}
			w.add(path, at, at, value, edit.First)
		case *ast.CallExpr:
			lit := w.text(m.file, n.Args[0]) + "{" + value + "}"
			if slices.ContainsFunc(w.p.moves, func(m move) bool { return m.node() == n }) {
				w.done[n] = true
				lit = w.arena(path) + ".NewOf(" + w.mem(m.in, m.file, n) + ", " + lit + ")"
			} else {
				lit = "&" + lit
			}
			w.add(path, w.p.offset(n.Pos()), w.p.offset(n.End()), lit, 0)
		case *ast.ValueSpec:
			text := w.text(m.file, n.Type) + "{" + value + "}"
			if slices.ContainsFunc(w.p.moves, func(m move) bool { return m.node() == n.Names[0] }) {
				w.zeros[n.Names[0]] = text
				break
			}
			w.add(path, w.p.offset(n.Type.Pos()), w.p.offset(n.Type.End()), "= "+text, 0)
		}
	}
}

// realigns reports whether gofmt would move the last fields of a struct if it got its field behind them, without a
// blank line between: their names are all shorter.
func (w *writer) realigns(c *carrier) bool {
	named := false
	for i := len(c.body.Fields.List) - 1; i >= 0; i-- {
		f, length := c.body.Fields.List[i], 0
		for _, name := range f.Names {
			length += len(name.Name) + len(", ")
		}
		if named = named || length > 0; length >= len(c.field)+len(", ") {
			return false
		}
		if i > 0 && w.p.line(c.body.Fields.List[i-1].End())+1 < w.p.line(f.Pos()) {
			break
		}
	}
	return named
}

// file makes the changes of a file. It is formatted if it was.
func (w *writer) file(path string) ([]byte, error) {
	out, err := edit.Apply(w.texts[path], w.edits[path])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if out, err = dropImports(out, w.texts[path]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// A file that gofmt would change stays as it is but for the edits: a patch must not reformat it.
	if before, err := format.Source(w.texts[path]); err != nil || !bytes.Equal(before, w.texts[path]) {
		return out, nil
	}
	return format.Source(out)
}
