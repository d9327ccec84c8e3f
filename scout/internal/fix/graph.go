package fix

import (
	"cmp"
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

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has the functions that the package declares, and their calls by name. Any other dependency on a function's
// signature is a reason to keep it. It must not depend on the moved expressions.

// A function is a function that the package declares.
type function struct {
	obj   *types.Func
	decl  *ast.FuncDecl
	file  *source.File
	fixed string  // why it can't be changed, "" if it can
	keeps string  // why its signature must stay, "" if only calls by name refer to it
	calls []*call // made by this function, or by a function literal in it
}

// A call is a call of a function of the package by its name.
type call struct {
	spot
	expr *ast.CallExpr
	name *ast.Ident
	file *source.File
	to   *function
}

// A spot describes the surroundings of a place in the source.
type spot struct {
	in       *function // nil outside of functions
	launched bool      // in a go statement, or a call that starts a goroutine
	literal  bool      // in a function literal that may be called later
}

// A graph has the functions by name; a name is the same in all variants of a package.
type graph struct {
	program   *source.Program
	functions map[string]*function   // by types.Func.FullName
	inFile    map[string][]*function // by path, in the order of the file
	files     []*source.File         // of the package and its tests
	texts     map[string][]byte      // of these files, by path
	names     map[string]bool        // all identifiers
	launches  map[string][]ast.Node  // by file
	literals  map[string][]ast.Node  // by file
}

// read makes the graph of all files of a folder. It reads declarations before uses, since a use is recorded at the
// function that it names.
func read(p *source.Program, dir string) (*graph, error) {
	g := &graph{program: p, functions: map[string]*function{}, inFile: map[string][]*function{},
		texts: map[string][]byte{}, names: map[string]bool{}, launches: map[string][]ast.Node{},
		literals: map[string][]ast.Node{}}
	for _, f := range p.Files() {
		if filepath.Dir(f.Path) != dir || f.Pkg == nil || f.Info == nil {
			continue
		}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		g.files, g.texts[f.Path] = append(g.files, f), text
		g.declare(f)
	}
	for _, f := range g.files {
		g.use(f)
	}
	g.named(dir)
	return g, nil
}

// Functions with these names run their argument on another goroutine or later; functions of these packages call theirs
// before they return.
var (
	starts = []string{"Go", "AfterFunc", "AddCleanup", "SetFinalizer"}
	prompt = []string{"slices", "sort", "strings", "bytes", "maps"}
)

// declare records a file's declarations.
func (g *graph) declare(f *source.File) {
	maps.Copy(g.names, source.Names(f.Tree))
	here := map[ast.Node]bool{} // function literals that are called where they are written
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			g.launches[f.Path] = append(g.launches[f.Path], n)
		case *ast.CallExpr:
			here[n.Fun] = true
			fn := f.Func(n)
			if fn != nil && slices.Contains(starts, fn.Name()) {
				g.launches[f.Path] = append(g.launches[f.Path], n)
			}
			for _, arg := range n.Args {
				here[arg] = fn != nil && fn.Pkg() != nil && slices.Contains(prompt, fn.Pkg().Path())
			}
		case *ast.FuncLit:
			if !here[n] {
				g.literals[f.Path] = append(g.literals[f.Path], n)
			}
		}
		return true
	})
	if sites.OfTest(f.Path) {
		return
	}
	unchanged := g.unchanged(f)
	for _, d := range f.Tree.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj, ok := f.Info.Defs[decl.Name].(*types.Func)
		if !ok {
			continue
		}
		fn := &function{obj: obj, decl: decl, file: f, fixed: cmp.Or(unchanged, cannot(f, decl))}
		if obj.Exported() {
			fn.keeps = "exported"
		}
		g.functions[obj.FullName()] = fn
		g.inFile[f.Path] = append(g.inFile[f.Path], fn)
	}
}

// unchanged returns the reason why a file must stay as it is, "" if it may change.
func (g *graph) unchanged(f *source.File) string {
	switch formatted, err := format.Source(g.texts[f.Path]); {
	case ast.IsGenerated(f.Tree):
		return "it is generated code, and would be lost"
	case err != nil || string(formatted) != string(g.texts[f.Path]):
		return "its file isn't as gofmt has it, and would change as a whole"
	case slices.ContainsFunc(f.Tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }):
		return "its file uses cgo"
	}
	return ""
}

// cannot returns the reason why a function in a changeable file can't be changed.
func cannot(f *source.File, decl *ast.FuncDecl) string {
	switch {
	case decl.Body == nil:
		return "it has no body in Go"
	case decl.Recv == nil && (decl.Name.Name == "init" || decl.Name.Name == "main" && f.Pkg.Name() == "main"):
		return "nobody passes anything to func " + decl.Name.Name
	case decl.Name.Name == "_":
		return "it has no name"
	}
	// A directive such as //go:linkname or //export ties the signature to code that isn't read here.
	if decl.Doc != nil {
		for _, c := range decl.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export ") {
				return "it has the directive " + c.Text
			}
		}
	}
	return ""
}

// use records the calls that a file's functions make. A function with any other use keeps its signature.
func (g *graph) use(f *source.File) {
	// Inspect reaches a call before the name in it, so each name is already known as called or not.
	called := map[*ast.Ident]*ast.CallExpr{}
	for n := range ast.Preorder(f.Tree) {
		if c, ok := n.(*ast.CallExpr); ok {
			if name := f.Callee(c); name != nil {
				called[name] = c
			}
		}
		name, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		obj, ok := f.Info.Uses[name].(*types.Func)
		if !ok {
			continue
		}
		// Origin: all instances of a generic function are one declaration.
		to := g.functions[obj.Origin().FullName()]
		if to == nil {
			continue
		}
		switch c := called[name]; {
		case sites.OfTest(f.Path):
			to.keep("tests call it")
		// As in sort.Slice(s, less): the caller of the value passes the arguments of the old signature.
		case c == nil:
			to.keep("it is used as a value")
		// In f(g()) there is no place for another argument.
		case spread(f, c):
			to.keep("it is called with the results of another call")
		default:
			// The initial value of a variable is outside of functions.
			made := &call{spot: g.spot(f.Path, name.Pos()), expr: c, name: name, file: f, to: to}
			if made.in != nil {
				made.in.calls = append(made.in.calls, made)
			} else {
				to.keep("it is called outside of functions")
			}
		}
	}
}

// keep records why the signature must stay. The first reason is shown.
func (f *function) keep(why string) {
	if f.keeps == "" {
		f.keeps = why
	}
}

// spread reports whether a call's arguments are the several results of another.
func spread(f *source.File, c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	results, ok := f.Info.TypeOf(c.Args[0]).(*types.Tuple)
	return ok && results.Len() > 1
}

// named makes functions keep their signatures if they may implement an interface, or if files for other systems name
// them. Those files aren't typed here: any mention of the name counts.
func (g *graph) named(dir string) {
	abstract, elsewhere := map[string]bool{}, map[string]bool{}
	for _, f := range g.files {
		for n := range ast.Preorder(f.Tree) {
			if t, ok := n.(*ast.InterfaceType); ok {
				maps.Copy(abstract, source.Names(t.Methods))
			}
		}
	}
	for _, path := range g.program.Ignored {
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil && filepath.Dir(path) == dir {
			maps.Copy(elsewhere, source.Names(tree))
		}
	}
	for _, f := range g.functions {
		if f.obj.Signature().Recv() != nil && abstract[f.obj.Name()] {
			f.keep("a method of an interface")
		}
		if elsewhere[f.obj.Name()] {
			f.keep("a file that isn't built here names it")
		}
	}
}

// of returns the function around a line of a file, even if the line is in a function literal. Lines are those of the
// file itself, regardless of //line directives, as in overlays.
func (g *graph) of(call probe.Frame) *function {
	for _, f := range g.inFile[call.File] {
		if g.line(f.decl.Pos()) <= call.Line && call.Line <= g.line(f.decl.End()) {
			return f
		}
	}
	return nil
}

func (g *graph) line(pos token.Pos) int { return g.program.Fset.PositionFor(pos, false).Line }

// offset returns the byte offset of a position in its file.
func (g *graph) offset(pos token.Pos) int { return g.program.Fset.PositionFor(pos, false).Offset }

// spot returns the spot of a position.
func (g *graph) spot(path string, pos token.Pos) spot {
	within := func(n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }
	s := spot{nil, slices.ContainsFunc(g.launches[path], within), slices.ContainsFunc(g.literals[path], within)}
	for _, f := range g.inFile[path] {
		if within(f.decl) {
			s.in = f
		}
	}
	return s
}

// beneath returns the functions that are reachable from unit by known calls, unit included. With launched it returns
// only those that may run on another goroutine.
func (g *graph) beneath(unit *function, launched bool) map[*function]bool {
	type state struct { // a function may be reached in both
		f    *function
		away bool
	}
	seen, found := map[state]bool{}, map[*function]bool{}
	var visit func(s state)
	visit = func(s state) {
		if seen[s] {
			return
		}
		seen[s] = true
		if s.away || !launched {
			found[s.f] = true
		}
		for _, c := range s.f.calls {
			visit(state{c.to, s.away || c.launched})
		}
	}
	visit(state{unit, false})
	return found
}

// name returns a function's name as people write it: Parse, (*Parser).parse.
func (f *function) name() string {
	recv := f.obj.Signature().Recv()
	if recv == nil {
		return f.obj.Name()
	}
	t, _, _ := strings.Cut(types.TypeString(recv.Type(), func(*types.Package) string { return "" }), "[")
	if strings.HasPrefix(t, "*") {
		t = "(" + t + ")"
	}
	return t + "." + f.obj.Name()
}
