// Package variable turns a variable that would be moved to the heap, since its address is taken, into a pointer to a
// value of an arena. It must not depend on the reason for moving it.
package variable

import (
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// The rewritten forms of a declaration, and of the uses:
//
//	x := v                  x := arena.NewOf(a, v)
//	var x T                 x := arena.New[T](a)
//	var x T = v             var x = arena.NewOf[T](a, v)
//	x, err := f()           xValue, err := f(); x := arena.NewOf(a, xValue)
//	func f(x T) {           func f(xValue T) { x := arena.NewOf(a, xValue)
//	for _, x := range s {   for _, xValue := range s { x := arena.NewOf(a, xValue)
//
//	&x      x         x.f     x.f
//	x       *x        x[i]    (*x)[i], but x[i] if x is an array
//
// The variable is made anew where it was before: each time that its declaration is executed.

// Words are the arena's names in the source.
type Words struct {
	Package string // of New and NewOf
	Arena   string // their first argument
	Type    string // of a variable too large for passing it to NewOf, else ""
	Break   string // separates two statements
}

// newOf returns the call of NewOf up to the value. t is the type, "" if the value has it.
func (w Words) newOf(t string) string {
	if t != "" {
		t = "[" + t + "]"
	}
	return w.Package + ".NewOf" + t + "(" + w.Arena + ", "
}

// new returns the call of New.
func (w Words) new(t string) string { return w.Package + ".New[" + t + "](" + w.Arena + ")" }

// A change is the rewriting of one variable.
type change struct {
	Words
	fset    *token.FileSet
	info    *types.Info
	v       *types.Var
	parents map[*ast.Ident][]ast.Node // parents of the declaration and each use, the innermost first
	uses    []*ast.Ident              // in source order
	names   map[string]bool           // used in the function
	edits   []edit.Edit
	taken   bool   // the address is taken, by & or a closure
	why     string // reason against the change, "" for none
}

// Change returns the edits that move a function's variable, which an identifier declares, or the reason for none.
func Change(fset *token.FileSet, f *source.File, id *ast.Ident, w Words) (edits []edit.Edit, why string) {
	c := &change{Words: w, fset: fset, info: f.Info, parents: map[*ast.Ident][]ast.Node{}}
	c.v, _ = f.Info.Defs[id].(*types.Var)
	for _, d := range f.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= id.Pos() && id.Pos() < fn.End() {
			c.names = source.Names(fn)
			c.read(fn, id)
		}
	}
	if c.v == nil || c.parents[id] == nil {
		return nil, "it isn't declared in a function"
	}
	c.declare(id, c.parents[id])
	for _, use := range c.uses {
		c.use(use, c.parents[use])
	}
	switch {
	case c.why != "":
		return nil, c.why
	case !c.taken:
		return nil, "its address isn't taken"
	}
	return c.edits, ""
}

// read finds the uses.
func (c *change) read(fn *ast.FuncDecl, decl *ast.Ident) {
	var stack []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok {
			if used := c.info.Uses[id] == c.v; used || id == decl {
				c.parents[id] = slices.Clone(stack)
				slices.Reverse(c.parents[id])
				if used {
					c.uses = append(c.uses, id)
				}
			}
		}
		stack = append(stack, n)
		return true
	})
}

// replace replaces the source between two positions.
func (c *change) replace(from, to token.Pos, text string) {
	c.edits = append(c.edits, edit.Edit{From: c.offset(from), To: c.offset(to), Text: text})
}

// insert adds text at a position. order decides among insertions at the same place: see edit.Edit.
func (c *change) insert(at token.Pos, text string, order int) {
	c.edits = append(c.edits, edit.Edit{From: c.offset(at), To: c.offset(at), Text: text, Order: order})
}

// offset returns the byte offset of a position in its file.
func (c *change) offset(pos token.Pos) int { return c.fset.PositionFor(pos, false).Offset }

// Orders of insertions: at the beginning of a body behind the statement that gets the arena, and behind a statement in
// front of the next one.
const (
	begin  = -1<<40 + 1
	behind = 1 << 41
)

// fresh returns a name that the function doesn't use.
func (c *change) fresh() string {
	name := c.v.Name() + "Value"
	for i := 2; c.names[name]; i++ {
		name = c.v.Name() + "Value" + strconv.Itoa(i)
	}
	c.names[name] = true
	return name
}

// pointer returns the statement that makes the variable from the renamed value.
func (c *change) pointer(name string) string {
	if c.Type != "" {
		return c.v.Name() + " := " + c.new(c.Type) + c.Break + "*" + c.v.Name() + " = " + name
	}
	return c.v.Name() + " := " + c.newOf("") + name + ")"
}

// declare changes the declaration.
func (c *change) declare(id *ast.Ident, in []ast.Node) {
	switch n := in[0].(type) {
	case *ast.AssignStmt:
		if _, loop := in[1].(*ast.ForStmt); loop { // each iteration has a copy of it
			c.why = "it is a variable of a loop"
		} else if i := slices.Index(n.Lhs, ast.Expr(id)); len(n.Lhs) != len(n.Rhs) || isComm(n, in[1]) {
			c.among(id, in, c.pointer)
		} else if c.Type != "" && len(n.Lhs) == 1 && slices.Contains(list(in[1]), ast.Stmt(n)) {
			c.replace(n.TokPos, n.Rhs[i].Pos(), ":= "+c.new(c.Type)+c.Break+"*"+id.Name+" = ")
		} else {
			c.around(n.Rhs[i], c.newOf(""))
		}
	case *ast.ValueSpec:
		c.spec(n, id, in)
	case *ast.RangeStmt:
		c.copied(id, n.Body)
	case *ast.Field:
		// For a parameter or a receiver; results have no value yet.
		switch fn := in[2].(type) {
		case *ast.FuncDecl:
			if fn.Recv != in[1] || len(fn.Recv.List) != 1 {
				c.why = "it is no parameter"
				return
			}
			c.copied(id, fn.Body)
		case *ast.FuncType:
			switch outer := in[3].(type) {
			case *ast.FuncDecl:
				c.copied(id, outer.Body)
			case *ast.FuncLit:
				c.copied(id, outer.Body)
			}
			if fn.Params != in[1] {
				c.why = "it is a result"
			}
		}
	}
	if len(c.edits) == 0 && c.why == "" {
		c.why = "it is declared in a way that has no other form"
	}
}

// isComm reports whether a statement is the communication of a select statement's case.
func isComm(n ast.Stmt, in ast.Node) bool {
	clause, ok := in.(*ast.CommClause)
	return ok && clause.Comm == n
}

// around puts the call of NewOf around a value.
func (c *change) around(value ast.Expr, before string) {
	c.edits = append(c.edits, edit.Around(c.offset(value.Pos()), c.offset(value.End()), before, ")", 1)...)
}

// copied renames a parameter or a loop's variable, and makes the variable from it at the beginning of the body.
func (c *change) copied(id *ast.Ident, body *ast.BlockStmt) {
	name, after := c.fresh(), ""
	if len(body.List) > 0 && c.fset.Position(body.List[0].Pos()).Line == c.fset.Position(body.Lbrace).Line {
		after = c.Break
	}
	c.replace(id.Pos(), id.End(), name)
	c.insert(body.Lbrace+1, c.Break+c.pointer(name)+after, begin)
}

// among renames a variable that a statement sets among others, and adds a statement behind it.
func (c *change) among(id *ast.Ident, in []ast.Node, then func(name string) string) {
	stmt := in[0].(ast.Stmt)
	if !slices.Contains(list(in[1]), stmt) {
		c.why = "it is set within a statement"
		return
	}
	name := c.fresh()
	c.replace(id.Pos(), id.End(), name)
	c.insert(stmt.End(), c.Break+then(name), behind)
}

// list returns the statements of a block or a clause.
func list(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// spec changes var x T and var x = v.
func (c *change) spec(n *ast.ValueSpec, id *ast.Ident, in []ast.Node) {
	i := slices.Index(n.Names, id)
	switch {
	case len(n.Names) > 1 && (n.Type != nil || len(n.Values) != len(n.Names)):
		c.why = "it is declared together with others: give it a line of its own"
	case len(n.Values) > 0 && n.Type != nil:
		t := c.text(n.Type)
		c.replace(id.End(), n.Type.End(), "")
		c.around(n.Values[i], c.newOf(t))
	case len(n.Values) > 0:
		c.around(n.Values[i], c.newOf(""))
	default:
		value := c.new(c.text(n.Type))
		decl := in[1].(*ast.GenDecl)
		if decl.Lparen.IsValid() {
			c.replace(id.End(), n.Type.End(), " = "+value)
			return
		}
		c.replace(decl.Pos(), decl.End(), id.Name+" := "+value)
	}
}

// text returns a type in source form, with the tags of its fields.
func (c *change) text(n ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, c.fset, n); err != nil {
		c.why = err.Error()
	}
	return b.String()
}

// use rewrites a use.
func (c *change) use(id *ast.Ident, in []ast.Node) {
	for _, n := range in {
		// A closure made after the variable shares it. A closure that declares the variable doesn't.
		if fn, ok := n.(*ast.FuncLit); ok && !(fn.Pos() <= c.v.Pos() && c.v.Pos() < fn.End()) {
			c.taken = true
		}
	}
	text := "*" + id.Name
	switch n := in[0].(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.taken = true
			c.replace(n.Pos(), n.Pos()+1, "")
			return
		}
	case *ast.SelectorExpr:
		c.taken = c.taken || c.pointed(n, in[1:])
		_, pointer := types.Unalias(c.v.Type()).Underlying().(*types.Pointer)
		if !pointer && !types.IsInterface(c.v.Type()) {
			return
		}
		text = "(" + text + ")"
	case *ast.IndexExpr:
		if n.X == id {
			if _, array := c.v.Type().Underlying().(*types.Array); array {
				c.taken = c.taken || c.addressed(n, in[1:])
				return
			}
			text = "(" + text + ")"
		}
	case *ast.SliceExpr:
		if n.X == id {
			if _, array := c.v.Type().Underlying().(*types.Array); array {
				c.taken = true
				return
			}
			text = "(" + text + ")"
		}
	case *ast.CallExpr:
		if n.Fun == id {
			text = "(" + text + ")"
		}
	case *ast.TypeAssertExpr:
		text = "(" + text + ")"
	case *ast.BinaryExpr:
		if n.Op == token.QUO && n.Y == id { // /* would begin a comment
			text = "(" + text + ")"
		}
	case *ast.ParenExpr:
		if and, ok := in[1].(*ast.UnaryExpr); ok && and.Op == token.AND {
			c.taken = true
			c.replace(and.Pos(), and.Pos()+1, "")
			return
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && slices.Contains(n.Lhs, ast.Expr(id)) {
			c.among(id, in, func(name string) string { return "*" + id.Name + " = " + name })
			return
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE && (n.Key == id || n.Value == id) {
			c.why = "it is set within a statement"
			return
		}
	}
	c.replace(id.Pos(), id.End(), text)
}

// pointed reports whether a selection takes the variable's address: by a method with a pointer receiver, or as part of
// a field's address.
func (c *change) pointed(n *ast.SelectorExpr, in []ast.Node) bool {
	s := c.info.Selections[n]
	if s == nil || s.Kind() == types.FieldVal {
		return c.addressed(n, in)
	}
	_, pointer := types.Unalias(s.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	return pointer && !s.Indirect()
}

// addressed reports whether the address of a part of a variable is taken: of x.f.g, x[i], or a slice of it.
func (c *change) addressed(part ast.Node, in []ast.Node) bool {
	for i, n := range in {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			return n.Op == token.AND
		case *ast.SliceExpr:
			return n.X == part
		case *ast.SelectorExpr:
			if c.info.Selections[n].Kind() != types.FieldVal {
				return c.pointed(n, in[i+1:])
			}
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if n.X != part {
				return false
			}
		default:
			return false
		}
		part = n
	}
	return false
}
