package fix

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
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
	key := c.in.obj.Pkg().Path() + " " + types.TypeString(c.by, nil) + " " + c.name.Name
	d := w.dispatchers[key]
	if d == nil {
		d = &dispatcher{name: dispatcherOf(c.name.Name), first: c}
		taken := func(other *dispatcher) bool { return other.name == d.name }
		for w.p.graph.names[c.in.obj.Pkg().Path()][d.name] || slices.ContainsFunc(w.inOrder, taken) {
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
	w.edits[c.file.Path] = append(w.edits[c.file.Path], edit.Around(w.p.offset(fun.Pos()), w.p.offset(c.expr.End()),
		d.name+"("+w.mem(c.in, c.file, c.expr)+", ", "", 0)...)
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
		text := func(t types.Type) string { s, _ := file.TypeText(t); return s }
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
		at := w.p.offset(d.first.in.decl.End())
		w.add(file.Path, at, at, b.String(), edit.Last)
	}
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
