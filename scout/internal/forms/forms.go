// Package forms rewrites each form of expression, as a person would write it. It must not depend on the arena's origin,
// nor on the reason for moving an expression.
package forms

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/variable"
)

// Each rewriting keeps the meaning: operands are evaluated once, in the same order, and the value has the same type. If
// that takes two mentions of an operand, only a pure one is accepted; see pure.
//
//	&T{...}            arena.NewOf(a, T{...})
//	[]T{...}           arena.CopySlice(a, []T{...})
//	{...} in []*T{{}}  arena.NewOf(a, T{...})
//	new(T)             arena.New[T](a)
//	x as an any        arena.Box(a, x)
//	x as an I          arena.Box(a, x).(I)
//	f(x, y) of ...T    f(arena.CopySlice(a, []T{x, y})...)
//	make([]T, n, m)    arena.MakeSlice[T](a, n, m)
//	append(s, x, y)    arena.Append(a, s, x, y)
//	string(b)          a.AllocBytesToString(b)
//	[]byte(s)          append(a.AllocBytesUninit(len(s))[:0], s...)
//	s + t + u          arena.Concat(a, s, t, u)
//	s += t             s = arena.Concat(a, s, t)
//	reflect.New(t)     reflect.NewAt(t, arena.KeyOf(t).New(a))
//	x := v; &x         x := arena.NewOf(a, v); x, see package variable

// A Former rewrites one expression, or one call of a library. All Formers of a program share Done and Uses.
type Former struct {
	Program *source.Program
	File    *source.File
	Text    []byte                 // of the file
	Arena   string                 // the arena
	Package func() string          // the file's name for package arena
	JSON    func() string          // the file's name for package arenajson
	Break   string                 // separates two statements
	Done    map[ast.Node]bool      // rewritten within another expression
	Uses    map[string][]edit.Edit // of variables that have become pointers, by path
	Edits   []edit.Edit
}

func (w *Former) offset(at token.Pos) int { return w.Program.Fset.PositionFor(at, false).Offset }

// replace replaces the source between two positions.
func (w *Former) replace(from, to token.Pos, text string) {
	w.Edits = append(w.Edits, edit.Edit{From: w.offset(from), To: w.offset(to), Text: text})
}

// insert adds text at a position. order decides among insertions at the same place: see edit.Edit.
func (w *Former) insert(at token.Pos, text string, order int) {
	w.Edits = append(w.Edits, edit.Edit{From: w.offset(at), To: w.offset(at), Text: text, Order: order})
}

// around puts text before and after a node, at a level of edit.Around.
func (w *Former) around(n ast.Node, before, after string, level int) {
	w.Edits = append(w.Edits, edit.Around(w.offset(n.Pos()), w.offset(n.End()), before, after, level)...)
}

// lib returns the name of a function of package arena.
func (w *Former) lib(name string) string { return w.Package() + "." + name }

// source returns a node's text, with the edits of variables that moved to the arena.
func (w *Former) source(n ast.Node) string {
	from, to := w.offset(n.Pos()), w.offset(n.End())
	text := w.Text[from:to]
	var edits []edit.Edit
	for _, e := range w.Uses[w.File.Path] {
		if from <= e.From && e.To <= to && e.From < e.To {
			edits = append(edits, edit.Edit{From: e.From - from, To: e.To - from, Text: e.Text})
		}
	}
	changed, err := edit.Apply(text, edits)
	if err != nil {
		return string(text) // the edits of the file fail as well
	}
	return string(changed)
}

// typeText returns a type in source form at a node, or the reason why it can't.
func (w *Former) typeText(at ast.Node, t types.Type) (text, why string) {
	text, why = w.File.TypeText(t)
	// Unexported types of another package have no name there, and a variable may hide a package.
	tv, err := types.Eval(w.Program.Fset, w.File.Pkg, at.Pos(), text)
	if why == "" && (err != nil || !types.Identical(tv.Type, t)) {
		why = text + " can't be written there"
	}
	return text, why
}

// Expr rewrites an expression. It returns the reason if it can't, "" otherwise.
func (w *Former) Expr(e source.Expr) string {
	switch n := e.Node.(type) {
	case *ast.UnaryExpr: // &T{}
		if w.zero(n) {
			return ""
		}
		w.around(n, "", ")", 0)
		w.replace(n.Pos(), n.Pos()+1, w.lib("NewOf")+"("+w.Arena+", ")
		return ""
	case *ast.CompositeLit: // []T{}, or {} in []*T{{}}
		typ := ""
		if n.Type == nil {
			t := w.File.Elided(n)
			if t == nil {
				return "its type is left out"
			}
			typ = w.source(t)
		}
		switch t := w.File.Info.TypeOf(n); t.Underlying().(type) {
		case *types.Pointer:
			w.around(n, w.lib("NewOf")+"("+w.Arena+", "+typ, ")", 0)
			return ""
		case *types.Slice:
			why := w.converted(n, t) // outside of the call
			w.around(n, w.lib("CopySlice")+"("+w.Arena+", "+typ, ")", 0)
			return why
		}
	case *ast.BinaryExpr:
		return w.concat(n)
	case *ast.AssignStmt:
		return w.concatAssign(n)
	case *ast.CallExpr:
		return w.call(n)
	case *ast.ParenExpr:
		after, why := ")", ""
		if !types.Identical(e.As.Underlying(), source.Any) {
			after, why = w.typeText(n, e.As)
			after = ").(" + after + ")"
		}
		w.around(n, w.lib("Box")+"("+w.Arena+", ", after, 1)
		return why
	case *ast.Ident:
		return w.variable(n, e)
	}
	return "an arena has nothing of this form"
}

// large is the size in bytes from which on a variable is set in place: NewOf would copy it through the stack.
const large = 1 << 10

// zero writes &T{} as the zero value of a struct, and reports whether it is one.
func (w *Former) zero(n *ast.UnaryExpr) bool {
	lit := ast.Unparen(n.X).(*ast.CompositeLit)
	_, fields := w.File.Info.TypeOf(lit).Underlying().(*types.Struct) // an empty map or slice isn't the zero value
	typ := w.source(lit.Type)
	if len(lit.Elts) > 0 || !fields || strings.Contains(typ, "\n") {
		return false
	}
	w.replace(n.Pos(), n.End(), w.lib("New")+"["+typ+"]("+w.Arena+")")
	return true
}

// variable makes a variable a pointer.
func (w *Former) variable(id *ast.Ident, e source.Expr) (why string) {
	words := variable.Words{Package: w.Package(), Arena: w.Arena, Break: w.Break}
	if e.Size > large {
		words.Type, _ = w.typeText(id, e.Type)
	}
	w.Edits, why = variable.Change(w.Program.Fset, w.File, id, words)
	w.Uses[w.File.Path] = append(w.Uses[w.File.Path], w.Edits...)
	return why
}

// call rewrites conversions and calls of builtin functions.
func (w *Former) call(n *ast.CallExpr) string {
	if w.File.Info.Types[n.Fun].IsType() {
		return w.conversion(n)
	}
	if last, t := w.File.Variadic(n); len(last) > 0 {
		text, why := w.typeText(n, t)
		from, to := w.offset(last[0].Pos()), w.offset(last[len(last)-1].End())
		w.Edits = append(w.Edits, edit.Around(from, to, w.lib("CopySlice")+"("+w.Arena+", "+text+"{", "})...", 2)...)
		return why
	}
	fun, ok := n.Fun.(*ast.Ident)
	if !ok {
		return "an arena has nothing of this form"
	}
	switch fun.Name {
	case "new":
		if !w.File.Info.Types[n.Args[0]].IsType() {
			w.replace(fun.Pos(), n.Lparen+1, w.lib("NewOf")+"("+w.Arena+", ")
			return ""
		}
		w.replace(fun.Pos(), n.Lparen+1, w.lib("New")+"[")
		w.replace(n.Rparen, n.Rparen+1, "]("+w.Arena+")")
		return ""
	case "make":
		return w.make(n)
	case "append":
		return w.append(n)
	}
	return "an arena has nothing of this form"
}

// elem returns the text of a slice's element type.
func (w *Former) elem(n ast.Expr, t types.Type) (string, string) {
	if a, ok := n.(*ast.ArrayType); ok && a.Len == nil {
		return w.source(a.Elt), ""
	}
	s, ok := t.Underlying().(*types.Slice)
	if _, param := types.Unalias(t).(*types.TypeParam); param || !ok {
		return "", "its type is a parameter"
	}
	return w.typeText(n, s.Elem())
}

// make rewrites make([]T, n) and make([]T, n, m). MakeSlice takes ints, and always a capacity.
func (w *Former) make(n *ast.CallExpr) string {
	t := w.File.Info.TypeOf(n)
	elem, why := w.elem(n.Args[0], t)
	if why != "" {
		return why
	}
	for _, size := range n.Args[1:] {
		// With one size the length is written twice: as the capacity, too.
		if len(n.Args) == 2 && !pure(w.File.Info, size) {
			return "its length would be evaluated twice: give it a name"
		}
		if !w.isInt(size) {
			w.around(size, "int(", ")", 1)
		}
	}
	w.replace(n.Fun.Pos(), n.Args[1].Pos(), w.lib("MakeSlice")+"["+elem+"]("+w.Arena+", ")
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
func (w *Former) isInt(e ast.Expr) bool {
	tv := w.File.Info.Types[e]
	return types.Identical(tv.Type, types.Typ[types.Int]) || tv.Value != nil
}

// append rewrites append(s, items...). arena.Append infers T from s, which fails if an item has another type that
// converts to T, such as an interface: then T is written out.
func (w *Former) append(n *ast.CallExpr) string {
	info := w.File.Info
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
			// A string is appended to bytes: the builtin append stays, and Grow makes room in the arena first.
			w.around(n.Args[0], w.lib("Grow")+"("+w.Arena+", ", ", len("+w.source(n.Args[1])+"))", 1)
			return w.converted(n, t)
		}
	}
	fun := w.lib("Append")
	for _, item := range n.Args[1:] {
		if it := info.TypeOf(item); !n.Ellipsis.IsValid() && !types.Identical(it, s.Elem()) &&
			!(isUntyped(it) && isBasic(s.Elem())) {
			elem, why := w.typeText(n, s.Elem())
			if why != "" {
				return why
			}
			fun = w.lib("Append") + "[" + elem + "]"
			break
		}
	}
	w.replace(n.Fun.Pos(), n.Lparen+1, fun+"("+w.Arena+", ")
	return w.converted(n, t)
}

// isUntyped reports whether a constant is untyped. It takes the type of the elements.
func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 && b.Kind() != types.UntypedNil
}

// isBasic reports whether the type's underlying type is a number, a string or a bool.
func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// converted adds a conversion to a named type, unless an assignment converts the value.
func (w *Former) converted(n ast.Expr, t types.Type) string {
	if _, named := types.Unalias(t).(*types.Named); !named {
		return ""
	}
	if a, ok := w.File.Parent(n).(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
		return ""
	}
	text, why := w.typeText(n, t)
	w.around(n, text+"(", ")", 0)
	return why
}

// conversion rewrites string(bytes) and []byte(string).
func (w *Former) conversion(n *ast.CallExpr) string {
	info := w.File.Info
	t, arg := info.TypeOf(n), n.Args[0]
	switch from := info.TypeOf(arg); {
	case source.IsString(t) && source.IsByteSlice(from):
		// The result has the predeclared type string: the conversion itself can go.
		if source.IsPlainString(t) {
			w.replace(n.Pos(), n.Lparen+1, w.Arena+".AllocBytesToString(")
		} else {
			w.around(arg, w.Arena+".AllocBytesToString(", ")", 1)
		}
	case source.IsByteSlice(t) && source.IsString(from):
		if !pure(info, arg) {
			return "its operand would be evaluated twice: give it a name"
		}
		before := "append(" + w.Arena + ".AllocBytesUninit(len(" + w.source(arg) + "))[:0], "
		if _, named := types.Unalias(t).(*types.Named); named {
			w.around(arg, before, "...)", 1)
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
func (w *Former) concat(n *ast.BinaryExpr) string {
	if !source.IsPlainString(w.File.Info.TypeOf(n)) {
		return "its type isn't string itself"
	}
	w.around(n, w.lib("Concat")+"("+w.Arena+", ", ")", 0)
	var visit func(e ast.Expr)
	visit = func(e ast.Expr) {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return
		}
		if sum != n {
			w.Done[sum] = true // a part of this one
		}
		visit(sum.X)
		w.replace(sum.X.End(), sum.OpPos+1, ",")
	}
	visit(n)
	return ""
}

// concatAssign rewrites s += t as an assignment, in which s is written twice.
func (w *Former) concatAssign(n *ast.AssignStmt) string {
	left := n.Lhs[0]
	if !source.IsPlainString(w.File.Info.TypeOf(left)) {
		return "its type isn't string itself"
	}
	if !pure(w.File.Info, left) {
		return "what is added to would be evaluated twice"
	}
	w.replace(n.TokPos, n.TokPos+2, "= "+w.lib("Concat")+"("+w.Arena+", "+w.source(left)+",")
	w.around(n.Rhs[0], "", ")", 1)
	return ""
}

// pure reports whether an expression may be written twice: it has no calls, and costs next to nothing.
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
		// rv.Type().Elem() only reads values.
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
