package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file has calls by an interface. The stacks say which methods they have reached; where such a method takes the
// arena, a function stands in the place of the call that asks what the interface holds:
//
//	left.BinaryOp(op, right)     dispatchBinaryOp(a, left, op, right)
//
//	func dispatchBinaryOp(a *arena.Arena, v Object, p0 Token, p1 Object) (Object, error) {
//		switch v := v.(type) {
//		case *Int:
//			return v.binaryOpArena(a, p0, p1)
//		}
//		return v.BinaryOp(p0, p1)
//	}
//
// A type that no stack has shown is called as before, and allocates on the heap.

// dispatches adds the calls by interfaces that are on stacks of what was moved.
func (g *graph) dispatches(done []trial.Done) {
	for _, d := range done {
		for _, s := range d.Finding.Sites {
			for i := len(s.Path) - 1; i > 0; i-- {
				from, to := g.of(s.Path[i]), g.of(s.Path[i-1])
				if from == nil || to == nil || to.fixed != "" || to.kept || to.obj.Signature().Recv() == nil ||
					slices.ContainsFunc(from.calls, func(c *call) bool { return c.to == to }) {
					continue
				}
				if c := g.byInterface(from, to, s.Path[i].Line); c != nil {
					from.calls = append(from.calls, c)
					to.keep("called by interface")
				}
			}
		}
	}
}

// byInterface returns the one call of a method of an interface in a line that may have reached a method, nil if
// there are several or none.
func (g *graph) byInterface(from, to *function, line int) (found *call) {
	if typeKey(to.obj.Signature().Recv().Type()) == "" || to.obj.Signature().RecvTypeParams().Len() > 0 {
		return nil
	}
	n := 0
	ast.Inspect(from.decl.Body, func(node ast.Node) bool {
		expr, ok := node.(*ast.CallExpr)
		if !ok || line < g.line(expr.Pos()) || g.line(expr.End()) < line || g.spread(from.file, expr) {
			return true
		}
		fun, ok := expr.Fun.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != to.obj.Name() {
			return true
		}
		s := from.file.Info.Selections[fun]
		if s == nil || s.Kind() != types.MethodVal || !types.IsInterface(s.Recv()) {
			return true
		}
		if _, param := types.Unalias(s.Recv()).(*types.TypeParam); param || !types.Identical(s.Type(),
			withoutReceiver(to.obj.Signature())) || !nameable(from.file, to.obj.Signature(), s.Recv()) {
			return true
		}
		n++
		found = &call{expr: expr, name: fun.Sel, file: from.file, from: from, to: to,
			launched: g.launched(from.file.Path, expr.Pos()), by: s.Recv()}
		return true
	})
	if n != 1 {
		return nil
	}
	return found
}

// nameable reports whether a file can write the types of a dispatcher, and whether the interface may hold the method's
// receiver: that of a method which another struct embeds is no case.
func nameable(file *source.File, s *types.Signature, by types.Type) bool {
	_, why := (&former{m: move{file: file}}).typeText(types.NewTuple(append(slices.Collect(s.Params().Variables()),
		append(slices.Collect(s.Results().Variables()), s.Recv(), types.NewVar(0, nil, "", by))...)...))
	t := s.Recv().Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	_, literal := types.Unalias(by).(*types.Interface)
	return why == "" && ok && !literal && (named.Obj().Exported() || named.Obj().Pkg() == file.Pkg) &&
		types.Implements(s.Recv().Type(), by.Underlying().(*types.Interface))
}

// withoutReceiver returns the signature of a method as a function's.
func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// A dispatcher is the function in the place of calls by an interface, of one package.
type dispatcher struct {
	name  string
	first *call       // whose file has it
	to    []*function // the methods that take the arena
}

// dispatcherOf returns the name of the dispatcher for a method.
func dispatcherOf(method string) string { return "dispatch" + strings.ToUpper(method[:1]) + method[1:] }

// dispatch calls the dispatcher instead of the method.
func (w *writer) dispatch(c *call) {
	key := c.from.obj.Pkg().Path() + " " + types.TypeString(c.by, nil) + " " + c.name.Name
	d := w.dispatchers[key]
	if d == nil {
		d = &dispatcher{name: dispatcherOf(c.name.Name), first: c}
		taken := func(other *dispatcher) bool { return other.name == d.name }
		for w.p.graph.names[c.from.obj.Pkg().Path()][d.name] || slices.ContainsFunc(w.inOrder, taken) {
			d.name += "2"
		}
		w.dispatchers[key], w.inOrder = d, append(w.inOrder, d)
	}
	if !slices.Contains(d.to, c.to) {
		d.to = append(d.to, c.to)
	}
	if w.dispatched[c.expr] {
		return
	}
	w.dispatched[c.expr] = true
	fun := c.expr.Fun.(*ast.SelectorExpr)
	at := w.p.offset(fun.Pos())
	w.add(c.file.Path, at, at, d.name+"("+w.mem(c.from, c.file, c.expr)+", ", edit.First)
	comma := ""
	if len(c.expr.Args) > 0 {
		comma = ", "
	}
	w.add(c.file.Path, w.p.offset(fun.X.End()), w.p.offset(c.expr.Lparen)+1, comma, 0)
}

// dispatchersText adds the dispatchers, each behind the function with its first call.
func (w *writer) dispatchersText() {
	for _, d := range w.inOrder {
		file, s := d.first.file, d.first.to.obj.Signature()
		text := func(t types.Type) string { return w.typeIn(file, t) }
		var params, args, results []string
		for i := range s.Params().Len() {
			name, t := fmt.Sprintf("p%d", i), text(s.Params().At(i).Type())
			if s.Variadic() && i == s.Params().Len()-1 {
				params, args = append(params, name+" ..."+strings.TrimPrefix(t, "[]")), append(args, name+"...")
				continue
			}
			params, args = append(params, name+" "+t), append(args, name)
		}
		for r := range s.Results().Variables() {
			results = append(results, text(r.Type()))
		}
		ret, result := "", strings.Join(results, ", ")
		if len(results) > 0 {
			ret = "return "
		}
		if len(results) > 1 {
			result = "(" + result + ")"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "\n\nfunc %s(%s) %s {\n\tswitch v := v.(type) {\n", d.name, strings.Join(append([]string{
			"a *" + w.arena(file.Path) + ".Arena", "v " + text(d.first.by)}, params...), ", "), result)
		call := func(name string, args []string) {
			fmt.Fprintf(&b, "\t\t%sv.%s(%s)\n", ret, name, strings.Join(args, ", "))
		}
		for _, to := range d.to {
			fmt.Fprintf(&b, "\tcase %s:\n", text(to.obj.Signature().Recv().Type()))
			call(w.twin(to), append([]string{"a"}, args...))
		}
		if ret == "" {
			b.WriteString("\tdefault:\n")
			call(d.first.name.Name, args)
			b.WriteString("\t}\n}")
		} else {
			b.WriteString("\t}\n")
			call(d.first.name.Name, args)
			b.WriteString("}")
		}
		at := w.p.offset(d.first.from.decl.End())
		w.add(file.Path, at, at, b.String(), edit.Last)
	}
}

// typeIn returns a type as a file would write it.
func (w *writer) typeIn(file *source.File, t types.Type) string {
	text, _ := (&former{writer: w, m: move{file: file}}).typeText(t)
	return text
}

// leaveDispatched leaves the methods as they were that a dispatcher of a name is for.
func (p *plan) leaveDispatched(name, why string) (left bool) {
	for _, f := range p.functions {
		for _, c := range f.calls {
			if c.by != nil && strings.HasPrefix(name, dispatcherOf(c.name.Name)) && p.without[c.to] == "" {
				p.without[c.to], left = why, true
			}
		}
	}
	return left
}
