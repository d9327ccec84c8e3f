package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/variable"
)

// This file has what becomes of each form of expression, as a person would write it. It must not depend on from
// where an arena comes.

// Each rewriting keeps the meaning: operands are evaluated once, in the same order, and the value has the same
// type. Where that takes two mentions of an operand, only a pure one is accepted; see pure.
//
//	&T{...}            arena.NewOf(a, T{...})
//	[]T{...}           arena.CopySlice(a, []T{...})
//	{...} in []*T{{}}  arena.NewOf(a, T{...})
//	new(T)             arena.New[T](a)
//	make([]T, n, m)    arena.MakeSlice[T](a, n, m)
//	append(s, x, y)    arena.Append(a, s, x, y)
//	string(b)          a.AllocBytesToString(b)
//	[]byte(s)          append(a.AllocBytesUninit(len(s))[:0], s...)
//	s + t + u          arena.Concat(a, s, t, u)
//	s += t             s = arena.Concat(a, s, t)
//	reflect.New(t)     reflect.NewAt(t, arena.KeyOf(t).New(a))
//	x := v; &x         x := arena.NewOf(a, v); x, see package variable

// A former rewrites one expression.
type former struct {
	*writer
	m     move
	mem   string // the arena
	edits []edit.Edit
}

// replace puts text in the place of the source between two positions.
func (w *former) replace(from, to token.Pos, text string) {
	w.edits = append(w.edits, edit.Edit{From: w.p.offset(from), To: w.p.offset(to), Text: text})
}

// insert adds text at a position. order decides among insertions at the same place: see edit.Edit.
func (w *former) insert(at token.Pos, text string, order int) {
	w.edits = append(w.edits, edit.Edit{From: w.p.offset(at), To: w.p.offset(at), Text: text, Order: order})
}

// around puts text before and after a node. operand says that the node is an operand of what is rewritten.
func (w *former) around(n ast.Node, before, after string, operand bool) {
	w.edits = append(w.edits, edit.Around(w.p.offset(n.Pos()), w.p.offset(n.End()), before, after, operand)...)
}

// lib returns the name of a function of package arena.
func (w *former) lib(name string) string { return w.arena(w.m.file.Path) + "." + name }

// form returns why an expression can't be written, "" if it was.
func (w *former) form() string {
	if w.m.expr == nil {
		return w.library(w.m.call)
	}
	switch n := w.m.expr.Node.(type) {
	case *ast.UnaryExpr: // &T{}
		if w.zero(n) {
			return ""
		}
		w.around(n, "", ")", false)
		w.replace(n.Pos(), n.Pos()+1, w.lib("NewOf")+"("+w.mem+", ")
		return ""
	case *ast.CompositeLit: // []T{}, or {} in []*T{{}}
		before := w.lib("CopySlice") + "(" + w.mem + ", "
		if n.Type == nil {
			t := w.m.file.Elided(n)
			if t == nil {
				return "its type is left out"
			}
			if isPointer(w.m.file.Info.TypeOf(n)) {
				w.around(n, w.lib("NewOf")+"("+w.mem+", "+w.source(t), ")", false)
				return ""
			}
			before += w.source(t)
		}
		w.around(n, before, ")", true)
		return w.converted(n, w.m.expr.Type)
	case *ast.BinaryExpr:
		return w.concat(n)
	case *ast.AssignStmt:
		return w.concatAssign(n)
	case *ast.CallExpr:
		return w.call(n)
	case *ast.Ident:
		return w.variable(n)
	}
	return "an arena has nothing of this form"
}

// large is the size in bytes from which on a value is set in place: NewOf would copy it by way of the stack.
const large = 1 << 10

// zero writes &T{} as a zero value, whose fields are set afterwards if the value is large and has a name, and reports
// whether it has.
func (w *former) zero(n *ast.UnaryExpr) bool {
	lit := ast.Unparen(n.X).(*ast.CompositeLit)
	call := w.lib("New") + "[" + w.source(lit.Type) + "](" + w.mem + ")"
	id, fielded := w.fielded[lit]
	c := w.p.carriers[typeKey(w.m.expr.Type)]
	filled := c != nil && w.p.needs[c] && !w.p.copies[n]
	if !fielded && (len(lit.Elts) > 0 || filled) {
		return false
	}
	if len(lit.Elts) == 0 {
		w.replace(n.Pos(), n.End(), call)
		return true
	}
	from := n.Pos()
	for _, e := range lit.Elts {
		field := e.(*ast.KeyValueExpr)
		w.replace(from, field.Key.Pos(), call+"\n"+id.Name+".")
		w.replace(field.Key.End(), field.Value.Pos(), " = ")
		from, call = field.End(), ""
	}
	w.replace(from, n.End(), "")
	return true
}

// setLater finds the large literals that have a name, x := &T{...} in a block, and whose fields can be set afterwards.
func (w *writer) setLater() {
	for _, m := range w.p.moves {
		and, ok := m.node().(*ast.UnaryExpr)
		if !ok || m.expr.Size <= large {
			continue
		}
		lit, ok := ast.Unparen(and.X).(*ast.CompositeLit)
		assign, defines := w.parent(m.file, and).(*ast.AssignStmt)
		if !ok || !defines || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
			continue
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		_, block := w.parent(m.file, assign).(*ast.BlockStmt)
		if ok && block && id.Name != "_" && keyed(lit, id.Name) && !slices.ContainsFunc(m.file.Tree.Comments,
			func(c *ast.CommentGroup) bool { return lit.Pos() <= c.Pos() && c.Pos() < lit.End() }) {
			w.fielded[lit] = id
		}
	}
}

// keyed reports whether all elements of a literal name their fields, and none mentions a name.
func keyed(lit *ast.CompositeLit, name string) bool {
	ok := true
	for _, e := range lit.Elts {
		field, keyed := e.(*ast.KeyValueExpr)
		if !keyed {
			return false
		}
		ast.Inspect(field.Value, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			ok = ok && !(is && id.Name == name)
			return ok
		})
	}
	return ok
}

// variable makes a variable a pointer.
func (w *former) variable(id *ast.Ident) (why string) {
	if b := w.p.way[w.m.in]; b != nil && w.m.in != w.p.unit && w.m.file.Info.Defs[id] == b.obj {
		return "it has the arena itself"
	}
	words := variable.Words{Package: w.arena(w.m.file.Path), Arena: w.mem, Zero: w.zeros[id], Break: "\n"}
	if w.m.expr.Size > large {
		words.Type, _ = w.typeText(w.m.expr.Type)
	}
	w.edits, why = variable.Change(w.p.program.Fset, w.m.file, id, words)
	w.uses[w.m.file.Path] = append(w.uses[w.m.file.Path], w.edits...)
	return why
}

// call rewrites conversions and calls of builtin functions.
func (w *former) call(n *ast.CallExpr) string {
	if w.m.file.Info.Types[n.Fun].IsType() {
		return w.conversion(n)
	}
	fun, ok := n.Fun.(*ast.Ident)
	if !ok {
		return "an arena has nothing of this form"
	}
	switch fun.Name {
	case "new":
		if !w.m.file.Info.Types[n.Args[0]].IsType() {
			w.replace(fun.Pos(), n.Lparen+1, w.lib("NewOf")+"("+w.mem+", ")
			return ""
		}
		w.replace(fun.Pos(), n.Lparen+1, w.lib("New")+"[")
		w.replace(n.Rparen, n.Rparen+1, "]("+w.mem+")")
		return ""
	case "make":
		return w.make(n)
	case "append":
		return w.append(n)
	}
	return "an arena has nothing of this form"
}

// elem returns the text of a slice's elements' type.
func (w *former) elem(n ast.Expr, t types.Type) (string, string) {
	if a, ok := n.(*ast.ArrayType); ok && a.Len == nil {
		return w.source(a.Elt), ""
	}
	s, ok := t.Underlying().(*types.Slice)
	if _, param := types.Unalias(t).(*types.TypeParam); param || !ok {
		return "", "its type is a parameter"
	}
	return w.typeText(s.Elem())
}

// make rewrites make([]T, n) and make([]T, n, m). MakeSlice takes ints, and always a capacity.
func (w *former) make(n *ast.CallExpr) string {
	t := w.m.file.Info.TypeOf(n)
	elem, why := w.elem(n.Args[0], t)
	if why != "" {
		return why
	}
	for _, size := range n.Args[1:] {
		// With one size the length is written twice: as the capacity, too.
		if len(n.Args) == 2 && !pure(w.m.file.Info, size) {
			return "its length would be evaluated twice: give it a name"
		}
		if !w.isInt(size) {
			w.around(size, "int(", ")", true)
		}
	}
	w.replace(n.Fun.Pos(), n.Args[1].Pos(), w.lib("MakeSlice")+"["+elem+"]("+w.mem+", ")
	if len(n.Args) == 2 {
		again := w.source(n.Args[1])
		if !w.isInt(n.Args[1]) {
			again = "int(" + again + ")"
		}
		w.insert(n.Args[1].End(), ", "+again, edit.Last)
	}
	return w.converted(n, t)
}

// isInt reports whether an expression can be passed as an int.
func (w *former) isInt(e ast.Expr) bool {
	tv := w.m.file.Info.Types[e]
	return types.Identical(tv.Type, types.Typ[types.Int]) || tv.Value != nil
}

// append rewrites append(s, items...). arena.Append infers T from s, which fails where an item is of another
// type that converts to T, such as an interface: then T is written out.
func (w *former) append(n *ast.CallExpr) string {
	info := w.m.file.Info
	t := info.TypeOf(n)
	s, ok := t.Underlying().(*types.Slice)
	if _, param := types.Unalias(t).(*types.TypeParam); param || !ok {
		return "its type is a parameter"
	}
	if len(n.Args) < 2 || info.Types[n.Args[0]].IsNil() {
		return "nothing is appended"
	}
	if n.Ellipsis.IsValid() {
		if b, ok := info.TypeOf(n.Args[1]).Underlying().(*types.Basic); ok {
			// append(s, nil...) is legal, and appends nothing.
			if b.Kind() == types.UntypedNil {
				return "nothing is appended"
			}
			if !pure(info, n.Args[1]) {
				return "what is appended would be evaluated twice: give it a name"
			}
			// A string is appended to bytes: the builtin append stays, and room is made in the arena before.
			w.around(n.Args[0], w.lib("Grow")+"("+w.mem+", ", ", len("+w.source(n.Args[1])+"))", true)
			return w.converted(n, t)
		}
	}
	fun := w.lib("Append")
	for _, item := range n.Args[1:] {
		if it := info.TypeOf(item); !n.Ellipsis.IsValid() && !types.Identical(it, s.Elem()) &&
			!(isUntyped(it) && isBasic(s.Elem())) {
			elem, why := w.typeText(s.Elem())
			if why != "" {
				return why
			}
			fun = w.lib("Append") + "[" + elem + "]"
			break
		}
	}
	w.replace(n.Fun.Pos(), n.Lparen+1, fun+"("+w.mem+", ")
	return w.converted(n, t)
}

// isUntyped reports whether a constant has no type yet. It takes that of the elements.
func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 && b.Kind() != types.UntypedNil
}

// isBasic reports whether the type is a number, a string or a bool, or is defined as one.
func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// converted puts a conversion around what has no name any more, unless what it is assigned to has.
func (w *former) converted(n ast.Expr, t types.Type) string {
	if _, named := types.Unalias(t).(*types.Named); !named {
		return ""
	}
	if a, ok := w.parent(w.m.file, n).(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
		return ""
	}
	text, why := w.typeText(t)
	w.around(n, text+"(", ")", false)
	return why
}

// conversion rewrites string(bytes) and []byte(string).
func (w *former) conversion(n *ast.CallExpr) string {
	info := w.m.file.Info
	t, arg := info.TypeOf(n), n.Args[0]
	switch from := info.TypeOf(arg); {
	case source.IsString(t) && source.IsByteSlice(from):
		// The result has the predeclared type string: the conversion itself can go.
		if source.IsPlainString(t) {
			w.replace(n.Pos(), n.Lparen+1, w.mem+".AllocBytesToString(")
		} else {
			w.around(arg, w.mem+".AllocBytesToString(", ")", true)
		}
	case source.IsByteSlice(t) && source.IsString(from):
		if !pure(info, arg) {
			return "its operand would be evaluated twice: give it a name"
		}
		before := "append(" + w.mem + ".AllocBytesUninit(len(" + w.source(arg) + "))[:0], "
		if _, named := types.Unalias(t).(*types.Named); named {
			w.around(arg, before, "...)", true)
		} else {
			w.replace(n.Pos(), n.Lparen+1, before)
			w.insert(arg.End(), "...", edit.Last)
		}
	default:
		return "an arena has nothing of this form"
	}
	return ""
}

// concat rewrites a sum of strings of the predeclared type.
func (w *former) concat(n *ast.BinaryExpr) string {
	if !source.IsPlainString(w.m.file.Info.TypeOf(n)) {
		return "its type isn't string itself"
	}
	w.around(n, w.lib("Concat")+"("+w.mem+", ", ")", false)
	var visit func(e ast.Expr)
	visit = func(e ast.Expr) {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return
		}
		if sum != n {
			w.done[sum] = true // a part of this one
		}
		visit(sum.X)
		w.replace(sum.X.End(), sum.OpPos+1, ",")
	}
	visit(n)
	return ""
}

// concatAssign rewrites s += t as an assignment, in which s is written twice.
func (w *former) concatAssign(n *ast.AssignStmt) string {
	left := n.Lhs[0]
	if !source.IsPlainString(w.m.file.Info.TypeOf(left)) {
		return "its type isn't string itself"
	}
	if !pure(w.m.file.Info, left) {
		return "what is added to would be evaluated twice"
	}
	w.replace(n.TokPos, n.TokPos+2, "= "+w.lib("Concat")+"("+w.mem+", "+w.source(left)+",")
	w.around(n.Rhs[0], "", ")", true)
	return ""
}

// library rewrites a call of a function of the standard library that arenas have too.
func (w *former) library(n *ast.CallExpr) string {
	fun := n.Fun.(*ast.SelectorExpr)
	name := sites.Short(w.m.finding.Lib)
	if method, ok := methods[name]; ok {
		w.replace(fun.Pos(), fun.End(), w.mem+"."+method)
	} else if function, ok := functions[name]; ok {
		t := w.m.file.Info.TypeOf(n)
		if _, named := types.Unalias(t).(*types.Named); named {
			return "it has a type of its own"
		}
		w.replace(fun.Pos(), n.Lparen+1, w.lib(function)+"("+w.mem+", ")
	} else if name == "reflect.New" {
		arg := n.Args[0]
		if !pure(w.m.file.Info, arg) {
			return "its type would be evaluated twice: give it a name"
		}
		w.replace(fun.Sel.Pos(), fun.Sel.End(), "NewAt")
		w.insert(arg.End(), ", "+w.lib("KeyOf")+"("+w.source(arg)+").New("+w.mem+")", edit.Last)
	} else {
		return "an arena has no such function"
	}
	if more := alsoPassed[name]; more != "" {
		w.insert(n.Args[len(n.Args)-1].End(), more, edit.Last)
	}
	return ""
}

// What stands in the place of functions of the standard library: methods of arenas, functions that take one, and the
// arguments that they have behind those of the function.
var (
	methods = map[string]string{
		"strings.Clone": "AllocString", "strings.Repeat": "Repeat", "strings.Replace": "Replace",
		"strings.ReplaceAll": "Replace", "strings.ToLower": "ToLower", "strings.ToUpper": "ToUpper",
		"strings.Map": "Map", "fmt.Sprintf": "Sprintf", "io.ReadAll": "ReadAll",
	}
	functions  = map[string]string{"strings.Join": "Join", "slices.Clone": "CopySlice", "bytes.Clone": "CopySlice"}
	alsoPassed = map[string]string{"strings.ReplaceAll": ", -1", "io.ReadAll": ", 0"}
)

// pure reports whether an expression may be written twice: it calls nothing, and costs next to nothing.
func pure(info *types.Info, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return pure(info, e.X)
	case *ast.StarExpr:
		return pure(info, e.X)
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s != nil && s.Kind() != types.FieldVal {
			return false
		}
		return pure(info, e.X)
	case *ast.BinaryExpr:
		// A sum of strings allocates.
		return !source.IsString(info.TypeOf(e)) && pure(info, e.X) && pure(info, e.Y)
	case *ast.IndexExpr:
		return pure(info, e.X) && pure(info, e.Index)
	case *ast.SliceExpr:
		for _, part := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			if part != nil && !pure(info, part) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		// rv.Type().Elem() looks up what is there.
		if method, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && len(e.Args) == 0 {
			f, ok := info.Uses[method.Sel].(*types.Func)
			return ok && f.Pkg() != nil && f.Pkg().Path() == "reflect" &&
				slices.Contains([]string{"Type", "Elem", "Key"}, f.Name()) && pure(info, method.X)
		}
		fun, _ := ast.Unparen(e.Fun).(*ast.Ident)
		// len and cap, and conversions between numbers, neither allocate nor have effects.
		size := fun != nil && info.Types[e.Fun].IsBuiltin() && (fun.Name == "len" || fun.Name == "cap")
		number := info.Types[e.Fun].IsType() && isBasic(info.TypeOf(e)) && !source.IsString(info.TypeOf(e))
		return len(e.Args) == 1 && (size || number) && pure(info, e.Args[0])
	}
	return false
}
