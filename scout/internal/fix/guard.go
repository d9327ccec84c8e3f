package fix

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
	"time"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/testrun"
)

// This file writes the test that stays with a patch. It is made of the benchmark, whose units get a checked arena:
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
// Helpers between the benchmark and the unit are copied in the same way. It must not depend on how the arena travels.

// guardRuns is how many units the test runs where the benchmark runs many.
const guardRuns = "3"

// onlyB are the methods that a benchmark has and a test hasn't, and that can be left out.
var onlyB = []string{"ResetTimer", "ReportAllocs", "SetBytes", "StopTimer", "StartTimer", "ReportMetric"}

// A guard is such a test in the making.
type guard struct {
	*writer
	name  string // of the test
	bench *ast.FuncDecl
	funcs map[*types.Func]*ast.FuncDecl // of test files
	files map[*ast.FuncDecl]*source.File
	calls map[*ast.Ident]bool    // that are units
	way   map[*ast.FuncDecl]bool // the functions that are copied
	why   string
}

// guard returns the file of the test, or why there is none.
func (f *fixer) guard() (path string, text []byte, why string) {
	w := &writer{p: f.plan, texts: map[string][]byte{}, names: map[*function]string{}}
	g := &guard{writer: w, funcs: map[*types.Func]*ast.FuncDecl{}, files: map[*ast.FuncDecl]*source.File{},
		calls: map[*ast.Ident]bool{}, way: map[*ast.FuncDecl]bool{}}
	g.name = f.guardName()
	for _, c := range f.tests {
		g.calls[c.name] = g.calls[c.name] || c.to == f.unit
	}
	bench, _, _ := strings.Cut(f.Look.Benchmark, "/")
	for _, file := range f.files {
		if !isTest(file) || filepath.Dir(file.Path) != f.Look.Package.Dir {
			continue
		}
		for _, d := range file.Tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if obj, _ := file.Info.Defs[nameOf(fn)].(*types.Func); ok && obj != nil && fn.Body != nil {
				g.funcs[obj], g.files[fn] = fn, file
				if fn.Recv == nil && fn.Name.Name == bench {
					g.bench = fn
				}
			}
		}
	}
	if g.bench == nil || !g.find(g.bench, map[*ast.FuncDecl]bool{}) {
		return "", nil, "the benchmark doesn't call " + f.unit.name() + " by name"
	}
	path = filepath.Join(filepath.Dir(g.files[g.bench].Path), strings.ToLower(f.unit.obj.Name())+"_arena_test.go")
	if _, err := os.Stat(path); err == nil {
		return "", nil, filepath.Base(path) + " is there already"
	}
	text, err := g.write()
	if err != nil {
		g.why = clean(err.Error())
	}
	return path, text, g.why
}

// nameOf returns the name of a function, nil of none.
func nameOf(fn *ast.FuncDecl) *ast.Ident {
	if fn == nil {
		return nil
	}
	return fn.Name
}

// find reports whether a function calls the unit, itself or by another one of the tests, and notes those that do.
func (g *guard) find(fn *ast.FuncDecl, seen map[*ast.FuncDecl]bool) bool {
	if seen[fn] {
		return g.way[fn]
	}
	seen[fn] = true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if g.calls[id] {
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

// write writes the file: the copies of all functions on the way, with the imports that they need.
func (g *guard) write() ([]byte, error) {
	var body bytes.Buffer
	imports := map[string]string{`"testing"`: "", `"` + arenaModule + `/arenatest"`: ""}
	inOrder := func(a, b *ast.FuncDecl) int { return int(a.Pos() - b.Pos()) }
	for _, fn := range slices.SortedFunc(maps.Keys(g.way), inOrder) {
		if !g.way[fn] {
			continue
		}
		file := g.files[fn]
		if g.texts[file.Path] == nil {
			text, err := os.ReadFile(file.Path)
			if err != nil {
				return nil, err
			}
			g.texts[file.Path] = text
		}
		for _, i := range file.Tree.Imports {
			if i.Name != nil {
				imports[i.Path.Value] = i.Name.Name
			} else if pkg, ok := file.Info.Implicits[i].(*types.PkgName); ok && !named(i.Path.Value, pkg.Name()) {
				imports[i.Path.Value] = pkg.Name()
			} else {
				imports[i.Path.Value] = ""
			}
		}
		if fn != g.bench {
			imports[`"`+arenaModule+`"`] = ""
		}
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
	var own []string
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		spec := "\t" + strings.TrimSpace(imports[path]+" "+path) + "\n"
		if strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
			own = append(own, spec)
			continue
		}
		head.WriteString(spec)
	}
	head.WriteString("\n" + strings.Join(own, "") + ")\n")
	return used(append(head.Bytes(), body.Bytes()...))
}

// named reports whether a package has the name that the last part of its path has.
func named(path, name string) bool { return filepath.Base(strings.Trim(path, `"`)) == name }

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

// A guardCopy is the copy of one function.
type guardCopy struct {
	*guard
	fn    *ast.FuncDecl
	file  *source.File
	mem   string // the arena
	edits []edit.Edit
}

// copy returns the text of a function's copy.
func (g *guard) copy(fn *ast.FuncDecl, file *source.File) ([]byte, error) {
	c := &guardCopy{guard: g, fn: fn, file: file}
	used := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, name := range []string{"a", "mem", "unitArena"} {
		if c.mem == "" && !used[name] {
			c.mem = name
		}
	}
	doc := ""
	if fn == g.bench {
		twin := g.twin(g.p.unit)
		doc = fmt.Sprintf("// %s fails if something that %s has allocated in its arena is still used when the\n"+
			"// arena is reset, or if nothing is there.\n", g.name, twin)
		test := c.t(fn.Type.Params, used)
		c.replace(fn.Name.Pos(), fn.Name.End(), g.name)
		c.insert(fn.Body.Lbrace+1, "\n"+c.mem+" := arenatest.New("+test+")\n", first)
		c.insert(fn.Body.Rbrace, "if "+c.mem+".UsedBytes() == 0 {\n"+test+".Error(\""+twin+
			" allocates nothing in its arena\")\n}\n", last)
	} else {
		comma := ", "
		if len(fn.Type.Params.List) == 0 {
			comma = ""
		}
		c.replace(fn.Name.Pos(), fn.Name.End(), fn.Name.Name+"Arena")
		c.insert(fn.Type.Params.Opening+1, c.mem+" *arena.Arena"+comma, first)
		doc = "// " + fn.Name.Name + "Arena is " + fn.Name.Name + " in an arena.\n"
	}
	c.body(used)
	from, to := g.p.offset(fn.Pos()), g.p.offset(fn.End())
	for i := range c.edits {
		c.edits[i].From -= from
		c.edits[i].To -= from
	}
	out, err := edit.Apply(g.texts[file.Path][from:to], c.edits)
	return append([]byte(doc), out...), err
}

// t returns what a test calls what the benchmark calls b.
func (c *guardCopy) t(params *ast.FieldList, used map[string]bool) string {
	if len(params.List) == 1 && len(params.List[0].Names) == 1 {
		if name := params.List[0].Names[0].Name; used["t"] || name != "b" {
			return name
		}
	}
	return "t"
}

// replace puts text in the place of the source between two positions.
func (c *guardCopy) replace(from, to token.Pos, text string) {
	c.edits = append(c.edits, edit.Edit{From: c.p.offset(from), To: c.p.offset(to), Text: text})
}

// insert adds text at a position. order decides among insertions at the same place: see edit.Edit.
func (c *guardCopy) insert(at token.Pos, text string, order int) {
	c.edits = append(c.edits, edit.Edit{From: c.p.offset(at), To: c.p.offset(at), Text: text, Order: order})
}

// isB reports whether an expression is a *testing.B.
func (c *guardCopy) isB(e ast.Expr) bool {
	t := c.file.Info.TypeOf(e)
	return t != nil && types.TypeString(t, nil) == "*testing.B"
}

// body changes what the benchmark does into what a test does.
func (c *guardCopy) body(used map[string]bool) {
	ast.Inspect(c.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && c.method(call, onlyB...) {
				c.replace(n.Pos(), n.End(), "")
				return false
			}
		case *ast.ForStmt:
			c.loop(n)
			if call, ok := n.Cond.(*ast.CallExpr); ok && c.method(call, "Loop") && n.Init == nil {
				c.replace(n.Cond.Pos(), n.Cond.End(), "range "+guardRuns)
				c.bodyOf(n.Body, used)
				return false
			}
		case *ast.RangeStmt:
			c.loop(n)
		case *ast.CallExpr:
			if c.method(n, "RunParallel", "Elapsed", "Loop") {
				c.why = "the benchmark runs in parallel, or measures by itself"
			}
			c.call(n)
		case *ast.StarExpr:
			if c.isB(n) {
				c.replace(n.Pos(), n.End(), "*testing.T")
				return false
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "N" && c.isB(n.X) {
				c.replace(n.Pos(), n.End(), guardRuns)
				return false
			}
		case *ast.AssignStmt:
			c.sink(n)
		case *ast.Ident:
			v, ok := c.file.Info.ObjectOf(n).(*types.Var)
			if ok && n.Name == "b" && !used["t"] && c.isB(n) && !v.IsField() {
				c.replace(n.Pos(), n.End(), "t")
			}
		}
		return true
	})
}

// bodyOf goes on in the body of a loop.
func (c *guardCopy) bodyOf(body *ast.BlockStmt, used map[string]bool) {
	inner := *c
	inner.fn = &ast.FuncDecl{Name: ast.NewIdent("_"), Type: &ast.FuncType{}, Body: body}
	inner.body(used)
	c.edits = inner.edits
}

// method reports whether a call is one of these methods of a benchmark.
func (c *guardCopy) method(call *ast.CallExpr, names ...string) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && c.isB(s.X) && slices.Contains(names, s.Sel.Name)
}

// loop resets the arena before each unit, where the benchmark itself goes round.
func (c *guardCopy) loop(n ast.Node) {
	rounds, body := false, (*ast.BlockStmt)(nil)
	switch n := n.(type) {
	case *ast.ForStmt:
		body = n.Body
		if n.Cond != nil {
			ast.Inspect(n.Cond, func(x ast.Node) bool {
				s, ok := x.(*ast.SelectorExpr)
				rounds = rounds || ok && c.isB(s.X) && (s.Sel.Name == "N" || s.Sel.Name == "Loop")
				return true
			})
		}
	case *ast.RangeStmt:
		body = n.Body
		s, ok := n.X.(*ast.SelectorExpr)
		rounds = ok && c.isB(s.X) && s.Sel.Name == "N"
	}
	if rounds {
		c.insert(body.Lbrace+1, "\n"+c.mem+".Reset()\n", last)
	}
}

// call passes the arena to the unit, and to the copies of functions that lead there.
func (c *guardCopy) call(n *ast.CallExpr) {
	id := callee(c.file, n)
	if id == nil {
		return
	}
	name := ""
	if c.calls[id] {
		name = c.twin(c.p.unit)
	} else if to := c.callee(c.fn, id); to != nil && c.way[to] {
		name = to.Name.Name + "Arena"
	}
	if name == "" {
		return
	}
	comma := ", "
	if len(n.Args) == 0 {
		comma = ""
	}
	c.replace(id.Pos(), id.End(), name)
	c.insert(n.Lparen+1, c.mem+comma, first)
}

// sink drops what the benchmark stores in a variable of the package, so that the compiler keeps the call: it would keep
// the result beyond its unit.
func (c *guardCopy) sink(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN {
		return
	}
	for _, left := range n.Lhs {
		id, ok := left.(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := c.file.Info.Uses[id].(*types.Var)
		switch {
		case !ok || v.Parent() != c.file.Pkg.Scope():
		case len(n.Rhs) == 1 && c.file.Info.Types[n.Rhs[0]].IsNil(): // sink = nil
			c.replace(n.Pos(), n.End(), "")
		default:
			c.replace(id.Pos(), id.End(), "_")
		}
	}
}

// guardLimit is how long the test may take.
const guardLimit = 2 * time.Minute

// guarded adds the test to the patch if it passes.
func (f *fixer) guarded(files map[string][]byte, r *Result) {
	path, text, why := f.guard()
	if why == "" {
		all := maps.Clone(files)
		all[path] = text
		f.say("running the test that stays")
		build := testrun.Build{Overlay: all, Modfile: f.Modfile, Output: f.binary("guard")}
		err := testrun.Compile(f.Look.Package, build)
		if err == nil {
			run := testrun.Run{Binary: f.binary("guard"), Dir: f.Look.Package.Dir, Test: "^" + f.guardName() + "$",
				Flags: []string{"-test.v"}, Limit: guardLimit}
			_, err = run.Do()
		}
		if err == nil {
			files[path], r.Guard = text, f.guardName()
			return
		}
		why = clean(err.Error())
	}
	r.NoGuard = why
}

// guardName returns the name of the test.
func (f *fixer) guardName() string {
	twin := (&writer{p: f.plan}).twin(f.unit)
	return "Test" + strings.ToUpper(twin[:1]) + twin[1:]
}
