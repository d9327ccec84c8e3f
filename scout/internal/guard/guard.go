// Package guard writes the test that stays with a patch. It must not depend on how the arena travels.
package guard

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// The test is made of the benchmark, whose units get a checked arena:
//
//	func BenchmarkParse(b *testing.B) {          func TestParseArena(t *testing.T) {
//		text := read(b, "x.txt")                     a := arenatest.New(t)
//		b.ReportAllocs()                             text := read(t, "x.txt")
//		for b.Loop() {                               for range 3 {
//			sink = Parse(text)                               a.Reset()
//		}                                                _ = ParseArena(a, text)
//	}                                                }
//	                                                 ...
//
// Helpers between the benchmark and the unit are copied in the same way.

// arenaModule has package arena.
const arenaModule = "github.com/harena-go/arena"

// runs is how many units the test runs where the benchmark runs many.
const runs = "4"

// onlyB are the methods that a benchmark has and a test hasn't, and that can be left out.
var onlyB = []string{"ResetTimer", "ReportAllocs", "SetBytes", "StopTimer", "StartTimer", "ReportMetric"}

// A Unit says of what a test is written.
type Unit struct {
	Name, Func string // as the source has it, and without its type
	Twin       string // what takes the arena
	Test       string // the name for the test
	Lag        bool   // results are used until the next unit has ended
	Benchmark  string
	Dir        string // of the benchmark's package
	Files      []*source.File
	Calls      map[*ast.Ident]bool        // that are units
	Used       map[string]map[string]bool // all identifiers of a package, by its path
	Offset     func(token.Pos) int        // in its file
}

// A guard is such a test in the making.
type guard struct {
	Unit
	bench   *ast.FuncDecl
	funcs   map[*types.Func]*ast.FuncDecl // of test files of the benchmark's package
	files   map[*ast.FuncDecl]*source.File
	texts   map[string][]byte        // the files as they are, by path
	way     map[*ast.FuncDecl]bool   // that lead to the unit: their copies take the arena
	copies  map[*ast.FuncDecl]string // all that are copied, and the copies' names
	rounds  bool                     // some loop of these goes round as often as the benchmark says
	imports map[string]bool          // the lines of the import declaration
	lib     string                   // what package arena is called
	why     string
}

// Write returns the file of the test, or why there is none.
func Write(u Unit) (path string, text []byte, why string) {
	g := &guard{Unit: u, funcs: map[*types.Func]*ast.FuncDecl{}, files: map[*ast.FuncDecl]*source.File{},
		texts: map[string][]byte{}, way: map[*ast.FuncDecl]bool{}, copies: map[*ast.FuncDecl]string{},
		imports: map[string]bool{}}
	if g.declared(); g.bench == nil || !g.find(g.bench, map[*ast.FuncDecl]bool{}) {
		return "", nil, "the benchmark doesn't call " + u.Name + " by name"
	}
	path = filepath.Join(filepath.Dir(g.files[g.bench].Path), strings.ToLower(u.Func)+"_arena_test.go")
	if _, err := os.Stat(path); err == nil {
		return "", nil, filepath.Base(path) + " is there already"
	}
	text, err := g.write()
	if err != nil {
		g.why = err.Error()
	}
	return path, text, g.why
}

// declared notes what the benchmark's package declares in test files. A folder may have two such packages: what one has
// can't be copied into the other.
func (g *guard) declared() {
	name, _, _ := strings.Cut(g.Benchmark, "/")
	all := map[*types.Func]*ast.FuncDecl{}
	for _, file := range g.Files {
		if !sites.OfTest(file.Path) || filepath.Dir(file.Path) != g.Dir {
			continue
		}
		for _, d := range file.Tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			obj, ok := file.Info.Defs[fn.Name].(*types.Func)
			if !ok {
				continue
			}
			all[obj], g.files[fn] = fn, file
			if fn.Recv == nil && (fn.Name.Name == name || "Benchmark"+fn.Name.Name == name) { // see testrun.Loop
				g.bench = fn
			}
		}
	}
	for obj, fn := range all {
		if g.bench != nil && g.files[fn].Tree.Name.Name == g.files[g.bench].Tree.Name.Name {
			g.funcs[obj] = fn
		}
	}
}

// find reports whether a function calls the unit, itself or by another one of the tests, and notes those that do.
func (g *guard) find(fn *ast.FuncDecl, seen map[*ast.FuncDecl]bool) bool {
	if seen[fn] {
		return g.way[fn]
	}
	seen[fn] = true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if g.Calls[id] {
				g.way[fn] = true
			} else if to := g.callee(fn, id); to != nil && g.find(to, seen) {
				g.way[fn] = true
			}
		}
		return true
	})
	return g.way[fn]
}

// callee returns the test's function that an identifier in a function names, nil if it names none.
func (g *guard) callee(in *ast.FuncDecl, id *ast.Ident) *ast.FuncDecl {
	obj, ok := g.files[in].Info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	return g.funcs[obj.Origin()]
}

// copied notes what is copied with a function: those that lead to the unit, and those that take a *testing.B, which a
// test hasn't.
func (g *guard) copied(fn *ast.FuncDecl) {
	if g.copies[fn] != "" {
		return
	}
	g.copies[fn] = fn.Name.Name + "OfTest"
	if g.way[fn] {
		g.copies[fn] = fn.Name.Name + "Arena"
	}
	for names := g.Used[g.files[fn].Pkg.Path()]; names[g.copies[fn]]; {
		g.copies[fn] += "2"
	}
	c := &funcCopy{guard: g, decl: fn, fn: fn, file: g.files[fn]}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			g.rounds = g.rounds || g.way[fn] && c.rounds(n)
		case *ast.Ident:
			to := g.callee(fn, n)
			if to != nil && (g.way[to] || slices.ContainsFunc(to.Type.Params.List, func(f *ast.Field) bool {
				return isB(g.files[to], f.Type)
			})) {
				g.copied(to)
			}
		}
		return true
	})
}

// write writes the file: the copies of all functions on the way, with the imports that they need.
func (g *guard) write() ([]byte, error) {
	g.copied(g.bench)
	g.lib = "arena"
	for fn := range g.copies {
		if file := g.files[fn]; file.Pkg.Scope().Lookup("arena") != nil || file.Uses("arena") {
			g.lib = "harena"
		}
	}
	if len(g.copies) > 1 || g.Lag {
		g.imports[importLine(g.lib, "arena", arenaModule)] = true
	}
	g.imports[importLine("arenatest", "arenatest", arenaModule+"/arenatest")] = true
	g.imports[importLine("testing", "testing", "testing")] = true
	var body bytes.Buffer
	inOrder := func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) }
	for _, fn := range slices.SortedFunc(maps.Keys(g.copies), inOrder) {
		file := g.files[fn]
		if g.texts[file.Path] == nil {
			text, err := os.ReadFile(file.Path)
			if err != nil {
				return nil, err
			}
			g.texts[file.Path] = text
		}
		g.importsOf(fn, file)
		text, err := g.copy(fn, file)
		if err != nil {
			return nil, err
		}
		body.WriteString("\n")
		body.Write(text)
		body.WriteString("\n")
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "package %s\n\nimport (\n", g.files[g.bench].Tree.Name.Name)
	var own string
	byPath := func(a, b string) int { return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) }
	for _, line := range slices.SortedFunc(maps.Keys(g.imports), byPath) {
		if path := line[strings.Index(line, `"`):]; strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			own += line
			continue
		}
		head.WriteString(line)
	}
	head.WriteString("\n" + own + ")\n")
	return used(append(head.Bytes(), body.Bytes()...))
}

// importLine returns an import of a package that has a name, which the last part of its path may not have, under
// another or the same.
func importLine(as, name, path string) string {
	if as == name && filepath.Base(path) == name {
		as = ""
	}
	return "\t" + strings.TrimSpace(as+` "`+path+`"`) + "\n"
}

// importsOf adds the imports that a function needs, with the names that they have in its file.
func (g *guard) importsOf(fn *ast.FuncDecl, file *source.File) {
	selected := map[*ast.Ident]bool{} // x of y.x, which no import with a dot is for
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.Ident:
			switch obj := file.Info.Uses[n].(type) {
			case nil:
			case *types.PkgName:
				g.imports[importLine(obj.Name(), obj.Imported().Name(), obj.Imported().Path())] = true
			default:
				pkg := obj.Pkg()
				if !selected[n] && pkg != nil && pkg != file.Pkg && obj.Parent() == pkg.Scope() {
					g.imports[importLine(".", "", pkg.Path())] = true
				}
			}
		}
		return true
	})
}

// used leaves out the imports that a file doesn't use, and formats it.
func used(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Clone(tree.Imports) {
		name, path := "", strings.Trim(i.Path.Value, `"`)
		if i.Name != nil {
			name = i.Name.Name
		}
		if name != "." && name != "_" && !astutil.UsesImport(tree, path) {
			astutil.DeleteNamedImport(fset, tree, name, path)
		}
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, tree)
	return out.Bytes(), err
}
