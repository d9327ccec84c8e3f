package fix

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file has the functions that the module declares, and their calls. Only calls of a function by its name are
// known: those through interfaces and function values are seen as uses that a signature must be kept for. It must
// not depend on what is moved.

// The graph answers two questions about a function: who calls it by name, and what else depends on its
// signature. The first set of calls can be rewritten to pass an arena. The second is the reason why a function
// keeps its old signature and gets a twin with the arena beside it.
//
// Invariant: a function whose keeps is "" is named by calls in calls lists only, so its signature may change
// freely.

// A function is one that the module declares.
type function struct {
	obj   *types.Func
	decl  *ast.FuncDecl
	file  *source.File
	fixed string  // why it can't be changed, "" if it can
	kept  bool    // only its body can be changed: the signature is goyacc's
	keeps string  // why there must be one of its signature as before, "" if a change would break nothing
	calls []*call // made by this function, or by a function literal in it
}

// A call is one of a function of the module, by its name.
type call struct {
	spot
	expr *ast.CallExpr
	name *ast.Ident
	file *source.File
	to   *function
	by   types.Type // the interface that it goes by, nil if it names to itself
}

// A spot is where something is in the source.
type spot struct {
	in       *function // nil outside of functions
	launched bool      // in a go statement, or within the function literal of one
	literal  bool      // in a function literal that isn't called where it is written
}

// A graph has the functions by their names, which are the same in all ways in which a package was read.
type graph struct {
	program   *source.Program
	owns      func(file string) bool     // whether a file is the module's
	functions map[string]*function       // by types.Func.FullName
	inFile    map[string][]*function     // by path, in the order of the file
	files     []*source.File             // of the module
	names     map[string]map[string]bool // all identifiers of a package, by its path
	launches  map[string][]*ast.GoStmt   // by file
	literals  map[string][]*ast.FuncLit  // by file, without those that are called where they are written
	copies    map[ast.Node]bool          // where structs are made that are copies of others
	inner     map[ast.Node]ast.Node      // T{} of &T{}
	tests     []*call                    // that test files make
	grammars  map[string]string          // of goyacc, by what it has generated of them
}

// read makes the graph of all files of a module that were loaded. All declarations are read before any use, since a use
// is noted at the function that it names.
func read(p *source.Program, owns func(string) bool) *graph {
	g := &graph{program: p, owns: owns, functions: map[string]*function{}, inFile: map[string][]*function{},
		names: map[string]map[string]bool{}, launches: map[string][]*ast.GoStmt{},
		literals: map[string][]*ast.FuncLit{}, copies: map[ast.Node]bool{}, inner: map[ast.Node]ast.Node{},
		grammars: map[string]string{}}
	for _, f := range p.Files() {
		if owns(f.Path) && f.Pkg != nil && f.Info != nil {
			g.files = append(g.files, f)
		}
	}
	for _, f := range g.files {
		if path := grammarOf(f); path != "" {
			g.grammars[f.Path] = path
		}
		g.declare(f)
	}
	// An interface may be met by any method of that name, so all such methods keep their signatures.
	abstract := g.abstract()
	for _, f := range g.files {
		g.use(f)
	}
	for _, f := range g.functions {
		// Exported methods keep their signatures already.
		if f.keeps == "" && f.obj.Signature().Recv() != nil && abstract[f.obj.Pkg().Path()+"."+f.obj.Name()] {
			f.keeps = "a method of an interface"
		}
	}
	g.ignored()
	return g
}

// declare notes what a file declares.
func (g *graph) declare(f *source.File) {
	// A package is read twice if it has tests. Both readings have the same path, and share one set of names.
	path := f.Pkg.Path()
	if g.names[path] == nil {
		g.names[path] = map[string]bool{}
	}
	maps.Copy(g.names[path], source.Names(f.Tree))
	here := map[ast.Node]bool{}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			g.launches[f.Path] = append(g.launches[f.Path], n)
		case *ast.CallExpr:
			here[n.Fun] = true
		case *ast.FuncLit:
			if !here[n] {
				g.literals[f.Path] = append(g.literals[f.Path], n)
			}
		}
		return true
	})
	for _, d := range f.Tree.Decls {
		decl, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj, ok := f.Info.Defs[decl.Name].(*types.Func)
		// Functions of test files are never changed: nobody ships them.
		if !ok || sites.OfTest(f.Path) {
			continue
		}
		fn := &function{obj: obj, decl: decl, file: f, fixed: cannot(f, decl), kept: g.grammars[f.Path] != ""}
		if fn.kept && fn.fixed == generated {
			fn.fixed = ""
		}
		if obj.Exported() {
			fn.keeps = "exported"
		}
		g.functions[obj.FullName()] = fn
		g.inFile[f.Path] = append(g.inFile[f.Path], fn)
	}
}

// generated is why a function can't be changed that some tool writes.
const generated = "it is generated code, and would be lost"

// cannot says why a function can't be changed.
func cannot(f *source.File, decl *ast.FuncDecl) string {
	switch {
	case ast.IsGenerated(f.Tree):
		return generated
	case decl.Body == nil:
		return "it has no body in Go"
	case decl.Recv == nil && (decl.Name.Name == "init" || decl.Name.Name == "main" && f.Pkg.Name() == "main"):
		return "nobody passes anything to func " + decl.Name.Name
	case decl.Name.Name == "_":
		return "it has no name"
	}
	// A directive such as //go:linkname or //export ties the signature to code that is not read here.
	if decl.Doc != nil {
		for _, c := range decl.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export ") {
				return "it has the directive " + c.Text
			}
		}
	}
	for _, i := range f.Tree.Imports {
		if i.Path.Value == `"C"` {
			return "its file uses cgo"
		}
	}
	return ""
}

// abstract returns the names of the methods that the module's interfaces have, as "path.name". Only unexported methods
// are looked up, and no interface of another package has those.
func (g *graph) abstract() map[string]bool {
	found := map[string]bool{}
	for _, f := range g.files {
		for n := range ast.Preorder(f.Tree) {
			if t, ok := n.(*ast.InterfaceType); ok {
				for _, m := range t.Methods.List {
					for _, name := range m.Names {
						found[f.Pkg.Path()+"."+name.Name] = true
					}
				}
			}
		}
	}
	return found
}

// use notes the calls that a file's functions make. A function that the file uses in any other way keeps its
// signature.
func (g *graph) use(f *source.File) {
	// Inspect reaches a call before the name in it, so each name is known to be called or not when it is met.
	called := map[*ast.Ident]*ast.CallExpr{}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if name := f.Callee(c); name != nil {
				called[name] = c
			}
		}
		name, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj, ok := f.Info.Uses[name].(*types.Func)
		if !ok {
			return true
		}
		// Origin: all instances of a generic function are one declaration.
		to := g.functions[obj.Origin().FullName()]
		if to == nil {
			return true
		}
		c := called[name]
		switch {
		case sites.OfTest(f.Path):
			to.keep("tests call it")
			if c != nil {
				g.tests = append(g.tests, &call{expr: c, name: name, file: f, to: to})
			}
		// As in sort.Slice(s, less): the caller of the value passes the arguments of the old signature.
		case c == nil:
			to.keep("it is used as a value")
		// In f(g()) there is no place for another argument.
		case g.spread(f, c):
			to.keep(spreadOut)
		default:
			// The initial value of a variable is outside of functions.
			made := &call{spot: g.spot(f.Path, name.Pos()), expr: c, name: name, file: f, to: to}
			if made.in != nil {
				made.in.calls = append(made.in.calls, made)
			} else {
				to.keep("it is called outside of functions")
			}
		}
		return true
	})
}

// spreadOut is why a function keeps its signature that some call has the results of another for.
const spreadOut = "it is called with the results of another call"

// keep notes why the signature must stay. The first reason is the one that is shown.
func (f *function) keep(why string) {
	if f.keeps == "" {
		f.keeps = why
	}
}

// spread reports whether a call's arguments are the several results of another.
func (g *graph) spread(f *source.File, c *ast.CallExpr) bool {
	if len(c.Args) != 1 {
		return false
	}
	results, ok := f.Info.TypeOf(c.Args[0]).(*types.Tuple)
	return ok && results.Len() > 1
}

// at returns the function that a position is in.
func (g *graph) at(path string, pos token.Pos) *function {
	for _, f := range g.inFile[path] {
		if f.decl.Pos() <= pos && pos < f.decl.End() {
			return f
		}
	}
	return nil
}

// of returns the function that a call on a stack is in, be it in a function literal.
func (g *graph) of(call probe.Frame) *function {
	for _, f := range g.inFile[call.File] {
		if g.line(f.decl.Pos()) <= call.Line && call.Line <= g.line(f.decl.End()) {
			return f
		}
	}
	return nil
}

// line returns the line of a position in the file itself, whatever //line directives say: so do overlays
// count.
func (g *graph) line(pos token.Pos) int { return g.program.Fset.PositionFor(pos, false).Line }

// offset returns where a position is in the text of its file, in bytes.
func (g *graph) offset(pos token.Pos) int { return g.program.Fset.PositionFor(pos, false).Offset }

// spot returns where a position is.
func (g *graph) spot(path string, pos token.Pos) spot {
	return spot{g.at(path, pos), within(g.launches[path], pos), within(g.literals[path], pos)}
}

// within reports whether a position is in one of some nodes.
func within[N ast.Node](nodes []N, pos token.Pos) bool {
	return slices.ContainsFunc(nodes, func(n N) bool { return n.Pos() <= pos && pos < n.End() })
}

// ignored sees to it that functions which are named in files for other systems keep their signatures.
func (g *graph) ignored() {
	named := map[string]map[string]bool{} // by folder
	for _, path := range g.program.Ignored {
		if !g.owns(path) {
			continue
		}
		// Not typed, as it isn't built here: any mention of the name counts.
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		dir := filepath.Dir(path)
		if named[dir] == nil {
			named[dir] = map[string]bool{}
		}
		maps.Copy(named[dir], source.Names(tree))
	}
	for _, f := range g.functions {
		if named[filepath.Dir(f.file.Path)][f.obj.Name()] {
			f.keep("a file that isn't built here names it")
		}
	}
}

// beneath returns the functions that can be reached from unit by calls that are known, unit included. With launched it
// returns only those that may run on another goroutine than the unit.
func (g *graph) beneath(unit *function, launched bool) map[*function]bool {
	// A function may be reached both on the goroutine of the unit and on another one. The two are different
	// states, each visited once, so the walk ends on recursive calls as well.
	type state struct {
		f    *function
		away bool
	}
	seen := map[state]bool{}
	var visit func(s state)
	visit = func(s state) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, c := range s.f.calls {
			visit(state{c.to, s.away || c.launched})
		}
	}
	visit(state{unit, false})
	found := map[*function]bool{}
	for s := range seen {
		// With launched only those that some go statement leads to.
		if s.away || !launched {
			found[s.f] = true
		}
	}
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
