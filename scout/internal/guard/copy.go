package guard

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file makes a test's function of a benchmark's. It must not depend on where the copies are written.

// A funcCopy is the copy of one function.
type funcCopy struct {
	*guard
	decl   *ast.FuncDecl // that is copied
	fn     *ast.FuncDecl // the same, or the body of a loop in it
	file   *source.File
	mem    string // the arena
	edits  []edit.Edit
	resets map[ast.Node]bool // loops that reset it
	called map[*ast.Ident]bool
}

// copy returns the text of a function's copy.
func (g *guard) copy(fn *ast.FuncDecl, file *source.File) ([]byte, error) {
	c := &funcCopy{guard: g, decl: fn, fn: fn, file: file, resets: map[ast.Node]bool{},
		called: map[*ast.Ident]bool{}}
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
		twin := g.Twin
		doc = fmt.Sprintf("// %s fails if what %s allocates in its arena is used after its unit.\n", g.Test, twin)
		test := c.t(fn.Type.Params, used)
		c.replace(fn.Name.Pos(), fn.Name.End(), g.Test)
		mem := "arenatest.New(" + test + ")"
		if g.Lag {
			mem = "&[2]*" + g.lib + ".Arena{" + mem + ", " + mem + "}"
		}
		c.insert(fn.Body.Lbrace+1, "\n"+c.mem+" := "+mem+"\n", edit.First)
		c.insert(fn.Body.Rbrace, "if "+c.unit()+".UsedBytes() == 0 {\n"+test+".Error(\""+twin+
			" allocates nothing in its arena\")\n}\n", edit.Last)
	} else {
		c.replace(fn.Name.Pos(), fn.Name.End(), g.copies[fn])
		if g.way[fn] {
			comma := ", "
			if len(fn.Type.Params.List) == 0 {
				comma = ""
			}
			kind := " *"
			if g.Lag {
				kind = " *[2]*"
			}
			c.insert(fn.Type.Params.Opening+1, c.mem+kind+g.lib+".Arena"+comma, edit.First)
		}
	}
	c.body(used)
	from, to := g.Offset(fn.Pos()), g.Offset(fn.End())
	for i := range c.edits {
		c.edits[i].From -= from
		c.edits[i].To -= from
	}
	out, err := edit.Apply(g.texts[file.Path][from:to], c.edits)
	return append([]byte(doc), out...), err
}

// unit returns the arena of the next unit: the first of the two, if they take turns.
func (c *funcCopy) unit() string {
	if c.Lag {
		return c.mem + "[0]"
	}
	return c.mem
}

// t returns what a test calls what the benchmark calls b.
func (c *funcCopy) t(params *ast.FieldList, used map[string]bool) string {
	if len(params.List) == 1 && len(params.List[0].Names) == 1 {
		if name := params.List[0].Names[0].Name; used["t"] || name != "b" {
			return name
		}
	}
	return "t"
}

// replace puts text in the place of the source between two positions.
func (c *funcCopy) replace(from, to token.Pos, text string) {
	c.edits = append(c.edits, edit.Edit{From: c.Offset(from), To: c.Offset(to), Text: text})
}

// insert adds text at a position. order decides among insertions at the same place: see edit.Edit.
func (c *funcCopy) insert(at token.Pos, text string, order int) {
	c.edits = append(c.edits, edit.Edit{From: c.Offset(at), To: c.Offset(at), Text: text, Order: order})
}

// isB reports whether an expression is a *testing.B, or that type.
func isB(file *source.File, e ast.Expr) bool {
	t := file.Info.TypeOf(e)
	return t != nil && types.TypeString(t, nil) == "*testing.B"
}

// body changes what the benchmark does into what a test does.
func (c *funcCopy) body(used map[string]bool) {
	ast.Inspect(c.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && c.method(call, onlyB...) {
				c.replace(n.Pos(), n.End(), c.mentioned(call))
				return false
			}
		case *ast.ForStmt:
			c.loop(n)
			if call, ok := n.Cond.(*ast.CallExpr); ok && c.method(call, "Loop") && n.Init == nil {
				c.replace(n.Cond.Pos(), n.Cond.End(), "range "+runs)
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
			if isB(c.file, n) {
				c.replace(n.Pos(), n.End(), "*testing.T")
				return false
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "N" && isB(c.file, n.X) {
				c.replace(n.Pos(), n.End(), runs)
				return false
			}
		case *ast.AssignStmt:
			c.sink(n)
		case *ast.Ident:
			if to := c.callee(c.decl, n); to != nil && c.copies[to] != "" && !c.called[n] {
				c.value(n, to)
				return false
			}
			v, ok := c.file.Info.ObjectOf(n).(*types.Var)
			if ok && n.Name == "b" && !used["t"] && isB(c.file, n) && !v.IsField() {
				c.replace(n.Pos(), n.End(), "t")
			}
		}
		return true
	})
}

// bodyOf goes on in the body of a loop.
func (c *funcCopy) bodyOf(body *ast.BlockStmt, used map[string]bool) {
	inner := *c
	inner.fn = &ast.FuncDecl{Name: ast.NewIdent("_"), Type: &ast.FuncType{}, Body: body}
	inner.body(used)
	c.edits = inner.edits
}

// method reports whether a call is one of these methods of a benchmark.
func (c *funcCopy) method(call *ast.CallExpr, names ...string) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && isB(c.file, s.X) && slices.Contains(names, s.Sel.Name)
}

// mentioned returns what stands in the place of a call that is left out: the compiler refuses variables that nothing
// else mentions.
func (c *funcCopy) mentioned(call *ast.CallExpr) (text string) {
	ast.Inspect(call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || isB(c.file, id) {
			return true
		}
		v, ok := c.file.Info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != c.file.Pkg.Scope() && !c.elsewhere(v, call) {
			text += "_ = " + id.Name + "\n"
		}
		return true
	})
	return text
}

// elsewhere reports whether a variable is used outside of a node.
func (c *funcCopy) elsewhere(v *types.Var, in ast.Node) (found bool) {
	ast.Inspect(c.decl, func(n ast.Node) bool {
		if n == in {
			return false
		}
		id, ok := n.(*ast.Ident)
		found = found || ok && c.file.Info.Uses[id] == v
		return true
	})
	return found
}

// rounds reports whether a loop is the benchmark's own: for b.Loop(), for range b.N.
func (c *funcCopy) rounds(n ast.Node) (found bool) {
	var cond ast.Expr
	switch n := n.(type) {
	case *ast.ForStmt:
		cond = n.Cond
	case *ast.RangeStmt:
		cond = n.X
	}
	if cond == nil {
		return false
	}
	ast.Inspect(cond, func(x ast.Node) bool {
		s, ok := x.(*ast.SelectorExpr)
		found = found || ok && isB(c.file, s.X) && (s.Sel.Name == "N" || s.Sel.Name == "Loop")
		return true
	})
	return found
}

// loop resets the arena before each unit, where the benchmark itself goes round.
func (c *funcCopy) loop(n ast.Node) {
	if c.mem != "" && c.way[c.decl] && c.rounds(n) {
		c.reset(n)
	}
}

// reset resets the arena where the body of a loop begins.
func (c *funcCopy) reset(loop ast.Node) {
	body := loopBody(loop)
	if !c.resets[loop] {
		c.resets[loop] = true
		text := "\n" + c.unit() + ".Reset()\n"
		if c.Lag {
			text = "\n" + c.mem + "[0], " + c.mem + "[1] = " + c.mem + "[1], " + c.mem + "[0]" + text
		}
		c.insert(body.Lbrace+1, text, edit.Last)
	}
}

// aroundUnit resets the arena in the innermost loop around a unit, if the benchmark's own loop isn't seen:
// bench(b.N, text) has it somewhere.
func (c *funcCopy) aroundUnit(id *ast.Ident) {
	path, _ := astutil.PathEnclosingInterval(c.file.Tree, id.Pos(), id.End())
	for _, n := range path {
		if body := loopBody(n); body != nil && body.Pos() < id.Pos() {
			c.reset(n)
			return
		}
	}
}

// loopBody returns the body of a loop, nil of all else.
func loopBody(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// call passes the arena to the unit, and to the copies of functions that lead there.
func (c *funcCopy) call(n *ast.CallExpr) {
	id := c.file.Callee(n)
	if id == nil {
		return
	}
	c.called[id] = true
	name, takes := "", true
	if c.Calls[id] {
		name = c.Twin
	} else if to := c.callee(c.decl, id); to != nil {
		name, takes = c.copies[to], c.way[to]
	}
	if name == "" {
		return
	}
	if !c.guard.rounds && takes {
		c.aroundUnit(id)
	}
	c.replace(id.Pos(), id.End(), name)
	if takes {
		comma := ", "
		if len(n.Args) == 0 {
			comma = ""
		}
		mem := c.mem
		if c.Calls[id] {
			mem = c.unit()
		}
		c.insert(n.Lparen+1, mem+comma, edit.First)
	}
}

// value is the use of a function that is copied as one: b.Run("x", benchX).
func (c *funcCopy) value(id *ast.Ident, to *ast.FuncDecl) {
	arg := ""
	if c.way[to] {
		arg = c.mem + ", "
	}
	c.replace(id.Pos(), id.End(), "func(t *testing.T) { "+c.copies[to]+"("+arg+"t) }")
}

// sink drops what the benchmark stores in a variable of the package, so that the compiler keeps the call: it would keep
// the result beyond its unit.
func (c *funcCopy) sink(n *ast.AssignStmt) {
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
