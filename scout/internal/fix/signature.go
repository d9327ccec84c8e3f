package fix

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/source"
)

// This file writes calls, signatures, and the functions that keep the old ones.

// A function that takes the arena is changed in one of three ways:
//
//	way is a carrier     the signature stays; a variable is added if the carrier is hidden somewhere
//	nothing keeps it     it gets a first parameter, and all its callers pass one
//	something keeps it   a twin gets the parameter, and the old name calls the twin with nil

// call passes the arena on, or nil.
func (w *writer) call(c *call) {
	if !w.p.needed[c.to] || c.to != w.p.unit && w.p.way[c.to] != nil {
		return
	}
	twin, passes := w.p.twin(c.to), w.p.passes(c)
	if twin && !passes {
		return
	}
	if c.by != nil {
		w.dispatch(c)
		return
	}
	// A caller that has no arena passes nil, which is the Go heap: its behaviour stays.
	arg := "nil"
	if passes {
		arg = w.mem(c.in, c.file, c.expr)
	}
	if len(c.expr.Args) > 0 {
		arg += ", "
	}
	at := w.p.offset(c.expr.Lparen) + 1
	w.add(c.file.Path, at, at, arg, edit.First)
	if twin {
		w.add(c.file.Path, w.p.offset(c.name.Pos()), w.p.offset(c.name.End()), w.twin(c.to), 0)
	}
}

// function changes a function's signature, or leaves the old one and makes a twin of it.
func (w *writer) function(f *function) {
	path, at := f.file.Path, w.p.offset(f.decl.Body.Lbrace)+1
	if w.p.way[f] == nil || f == w.p.unit {
		w.parameter(f)
		if w.p.twin(f) {
			begin := w.p.offset(f.decl.Pos())
			w.add(path, begin, begin, w.old(f), 0)
			w.add(path, w.p.offset(f.decl.Name.Pos()), w.p.offset(f.decl.Name.End()), w.twin(f), 0)
		}
	} else if b := w.p.way[f]; w.locals[f] {
		w.add(path, at, at, "\n\t"+w.name(f)+" := "+b.name+"."+b.carrier.field+"\n", edit.First)
	}
	if f != w.p.unit {
		return
	}
	for _, c := range w.p.fields() {
		if b := w.p.byUnit[c]; b != nil {
			text := "\n\t" + b.name + "." + c.field + " = " + w.name(f) + "\n"
			// The caller still has the struct afterwards. Its field must not point to an arena that is reset.
			if source.IsPointer(b.typ) {
				field := b.name + "." + c.field
				text = "\n\tdefer func(before *" + w.arena(path) + ".Arena) { " +
					field + " = before }(" + field + ")" + text
			}
			w.add(path, at, at, text, edit.First)
		}
	}
	if len(w.p.clears) > 0 {
		text := "\n\tif " + w.name(f) + " != nil { // the next call doesn't find what the arena had\n" +
			"\t\tdefer func() { " + strings.Join(w.p.clears, "; ") + " }()\n\t}\n"
		w.add(path, at, at, text, edit.First)
	}
}

// The parameter comes first, as a context does: it then stands in the same place in every function, and
// variadic ones need no exception.

// parameter adds the arena to a function's parameters. All of them have names, or none.
func (w *writer) parameter(f *function) {
	path, params := f.file.Path, f.decl.Type.Params
	text := w.name(f) + " *" + w.arena(path) + ".Arena"
	if len(params.List) > 0 {
		text += ", "
	}
	at := w.p.offset(params.Opening) + 1
	w.add(path, at, at, text, edit.First)
	for _, field := range params.List {
		// Parameters have names either all or not at all, so the others get blank ones.
		if len(field.Names) == 0 {
			at := w.p.offset(field.Pos())
			w.add(path, at, at, "_ ", edit.Last)
		}
	}
}

// old returns the text that goes before a function that becomes a twin: a function of the old name and signature,
// which calls the twin, and the twin's comment. The function's own comment stays where it is, with the old name.
func (w *writer) old(f *function) string {
	var b strings.Builder
	twin, call := w.twin(f), ""
	b.WriteString("func ")
	if r := f.decl.Recv; r != nil && len(r.List) == 1 {
		if names := r.List[0].Names; len(names) == 1 && names[0].Name != "_" {
			b.WriteString(w.text(f.file, r) + " ")
			call = names[0].Name + "."
		} else {
			b.WriteString("(recv " + w.text(f.file, r.List[0].Type) + ") ")
			call = "recv."
		}
	}
	b.WriteString(f.obj.Name())
	call += twin
	if t := f.decl.Type.TypeParams; t != nil {
		b.WriteString(w.text(f.file, t))
		var params []string
		for _, field := range t.List {
			for _, name := range field.Names {
				params = append(params, name.Name)
			}
		}
		call += "[" + strings.Join(params, ", ") + "]"
	}
	params, args := w.params(f)
	b.WriteString("(" + params + ")")
	ret := ""
	if r := f.decl.Type.Results; r != nil && len(r.List) > 0 {
		ret = "return "
		b.WriteString(" " + w.text(f.file, r))
	}
	b.WriteString(" {\n\t")
	// In the proof the old function makes an arena for each unit, so that the callers need no change.
	mem := "nil"
	if w.harness != "" && f == w.p.unit {
		var names []string
		for _, v := range f.states() {
			names = append(names, v.Name())
		}
		fmt.Fprintf(&b, "zzarena, zzend := %s.Unit(%s)\n\tdefer zzend()\n\t", harnessName, strings.Join(names, ", "))
		mem = "zzarena"
		at := w.p.offset(f.file.Tree.Name.End())
		w.add(f.file.Path, at, at, "; import "+harnessName+" \""+w.harness+"\"", 0)
	}
	b.WriteString(ret + call + "(" + strings.Join(append([]string{mem}, args...), ", ") + ")\n}\n\n")
	// A name of the package's own needs no comment more than the function's.
	if ast.IsExported(twin) {
		more := ""
		switch {
		case f == w.p.unit && w.p.lag:
			more = ", which has its results until another " + twin + " has ended"
		case f == w.p.unit:
			more = ", which has its results"
		}
		fmt.Fprintf(&b, "// %s is like %s with an arena%s. Nil is the Go heap.\n", twin, f.obj.Name(), more)
	}
	return b.String()
}

// params returns a function's parameters, each with a name, and what passes them on.
func (w *writer) params(f *function) (string, []string) {
	var params, args []string
	for i, field := range f.decl.Type.Params.List {
		t, dots := w.text(f.file, field.Type), ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			// A variadic parameter is passed on as the slice that it is.
			dots = "..."
		}
		var list []string
		for j, name := range field.Names {
			list = append(list, name.Name)
			if name.Name == "_" {
				// A blank parameter can't be passed on, so it gets a name in the function that keeps the
				// signature.
				list[j] = fmt.Sprintf("p%d_%d", i, j)
			}
		}
		if len(list) == 0 {
			list = []string{fmt.Sprintf("p%d", i)}
		}
		params = append(params, strings.Join(list, ", ")+" "+t)
		for _, name := range list {
			args = append(args, name+dots)
		}
	}
	return strings.Join(params, ", "), args
}

// taken sets the field of a struct that is taken from a pool, with a statement behind.
func (w *writer) taken(c *carrier, m creation, n *ast.TypeAssertExpr) {
	path, mem := m.file.Path, w.mem(m.in, m.file, n)
	switch stmt := m.file.Parent(n).(type) {
	case *ast.AssignStmt:
		id, ok := stmt.Lhs[0].(*ast.Ident)
		if _, block := m.file.Parent(stmt).(*ast.BlockStmt); ok && block && id.Name != "_" {
			at := w.p.offset(stmt.End())
			w.add(path, at, at, "\n"+id.Name+"."+c.field+" = "+mem, edit.Last)
			return
		}
	case *ast.ReturnStmt:
		if len(stmt.Results) == 1 {
			from, to := w.p.offset(stmt.Pos()), w.p.offset(n.Pos())
			w.add(path, from, to, "pooled := ", 0)
			at := w.p.offset(n.End())
			w.add(path, at, at, "\npooled."+c.field+" = "+mem+"\nreturn pooled", edit.Last)
			return
		}
	}
	// Its field is nil then, and what its methods allocate is on the heap, as it was.
}

// back clears the field of a struct that goes back into a pool.
func (w *writer) back(c *carrier, p put) {
	clear := p.name + "." + c.field + " = nil\n"
	at := w.p.offset(p.stmt.Pos())
	if _, deferred := p.stmt.(*ast.DeferStmt); deferred {
		from, to := w.p.offset(p.call.Pos()), w.p.offset(p.call.End())
		w.add(p.file.Path, from, from, "func() {\n"+clear, edit.First)
		w.add(p.file.Path, to, to, "\n}()", edit.Last)
		return
	}
	w.add(p.file.Path, at, at, clear, edit.First)
}
