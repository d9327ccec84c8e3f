package fix

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
)

// This file writes the unit, calls, signatures, and the functions that keep the old ones. A function that takes the
// arena is changed in one of three ways:
//
//	its way is a field   the signature stays; a variable is added if the carrier is hidden somewhere
//	nothing keeps it     it gets a first parameter, and all its callers pass one
//	something keeps it   a twin gets the parameter, and the old name calls the twin with nil

// call passes the arena on, or nil.
func (w *writer) call(c *call) {
	twin, passes := w.twin(c.to), w.passes(c)
	if !w.takes(c.to) || twin && !passes {
		return
	}
	arg := "nil" // the Go heap, as before
	if passes {
		arg = w.mem(c.spot, c.expr)
	}
	if len(c.expr.Args) > 0 {
		arg += ", "
	}
	w.add(c.file.Path, c.expr.Lparen+1, c.expr.Lparen+1, arg, edit.First)
	if twin {
		w.add(c.file.Path, c.name.Pos(), c.name.End(), w.twinName(c.to), 0)
	}
}

// function changes a function that has the arena.
func (w *writer) function(f *function) {
	path, body := f.file.Path, f.decl.Body.Lbrace+1
	switch b := w.way[f]; {
	case f == w.unit:
		w.begin(f)
	case b == nil:
		w.parameter(f)
		if w.twin(f) {
			w.add(path, f.decl.Pos(), f.decl.Pos(), w.old(f), 0)
			w.add(path, f.decl.Name.Pos(), f.decl.Name.End(), w.twinName(f), 0)
		}
	case w.hidden[f]:
		w.add(path, body, body, "\n\t"+w.local(f)+" := "+b.name+"."+b.carrier.field+"\n", edit.First)
	}
}

// begin makes the unit take an arena from a Pool, give it back at its end, and fill the fields of the carriers that it
// receives: these are nil again after the unit.
func (w *writer) begin(f *function) {
	path, body, a := f.file.Path, f.decl.Body.Lbrace+1, w.local(f)
	lib := w.imported(path, arenaModule)
	name := strings.ToLower(f.obj.Name()[:1]) + f.obj.Name()[1:] + "Arenas"
	pool := unused(w.names, "arenas", name)
	start := f.decl.Pos()
	if f.decl.Doc != nil {
		start = f.decl.Doc.Pos()
	}
	w.add(path, start, start, fmt.Sprintf("// %s lends the memory of each %s. Values stay valid for as long as "+
		"something points to them.\nvar %[1]s = %[3]s.NewPool(%[3]s.WithName(%[4]q))\n\n", pool, f.name(), lib,
		f.obj.Pkg().Name()+"."+f.obj.Name()), edit.First)
	text := fmt.Sprintf("\n\t%s := %s.Get()\n\tdefer %[2]s.Put(%[1]s)\n", a, pool)
	if w.harness != "" {
		text = fmt.Sprintf("\n\t%s := %s.Get(%s)\n\tdefer %[2]s.Put(%[3]s, %[1]s)\n", a,
			w.imported(path, w.harness), pool)
	}
	for _, c := range w.fields() {
		b, given := w.byUnit[c]
		field := b.name + "." + c.field
		if given && b.pointer {
			text += fmt.Sprintf("\tdefer func(before *%s.Arena) { %s = before }(%[2]s)\n", lib, field)
		}
		if given {
			text += "\t" + field + " = " + a + "\n"
		}
	}
	w.add(path, body, body, text, edit.First)
}

// parameter adds the arena as a function's first parameter, so that variadic ones need no exception.
func (w *writer) parameter(f *function) {
	path, params := f.file.Path, f.decl.Type.Params
	text := w.local(f) + " *" + w.imported(path, arenaModule) + ".Arena"
	if len(params.List) > 0 {
		text += ", "
	}
	w.add(path, params.Opening+1, params.Opening+1, text, edit.First)
	for _, field := range params.List {
		// Either all parameters have names or none, so the others get blank ones.
		if len(field.Names) == 0 {
			w.add(path, field.Pos(), field.Pos(), "_ ", edit.Last)
		}
	}
}

// twinName returns the name of a function's twin, which takes the arena: unexported, as only the package itself calls
// it.
func (w *writer) twinName(f *function) string {
	base := strings.ToLower(f.obj.Name()[:1]) + f.obj.Name()[1:]
	ending := "Arena"
	if base != f.obj.Name() && w.functions[strings.TrimSuffix(f.obj.FullName(), f.obj.Name())+base] != nil {
		ending = "InArena" // the function of that name may have a twin, too
	}
	return unused(w.names, base+ending, base+"WithArena")
}

// old returns a function of the old name and signature, which calls the twin. It goes before the function that becomes
// the twin, under the function's own comment.
func (w *writer) old(f *function) string {
	var b strings.Builder
	twin, call := w.twinName(f), ""
	b.WriteString("func ")
	if r := f.decl.Recv; r != nil && len(r.List) == 1 {
		call = "recv"
		if names := r.List[0].Names; len(names) == 1 && names[0].Name != "_" {
			call = names[0].Name
		}
		fmt.Fprintf(&b, "(%s %s) ", call, w.text(f.file, r.List[0].Type))
		call += "."
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
	params, args := f.decl.Type.Params, f.args()
	b.WriteString(string(w.texts[f.file.Path][w.offset(params.Opening) : w.offset(params.Closing)+1]))
	ret := ""
	if r := f.decl.Type.Results; r != nil && len(r.List) > 0 {
		ret = "return "
		b.WriteString(" " + w.text(f.file, r))
	}
	fmt.Fprintf(&b, " {\n\t%s%s(%s)\n}\n\n", ret, call, strings.Join(append([]string{"nil"}, args...), ", "))
	return b.String()
}

// args returns the arguments with which a function passes its parameters on, nil if some have no name.
func (f *function) args() []string {
	args := []string{}
	for _, field := range f.decl.Type.Params.List {
		dots := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			dots = "..." // passed on as a slice
		}
		for _, name := range field.Names {
			args = append(args, name.Name+dots)
		}
		if len(field.Names) == 0 || slices.Contains(args, "_"+dots) {
			return nil
		}
	}
	return args
}
