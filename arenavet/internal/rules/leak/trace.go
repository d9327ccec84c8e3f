package leak

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// An end is how an instruction ends the duty to give an arena back.
type end uint8

const (
	none     end = iota
	given        // it puts the arena back, frees it, or defers that
	kept         // it stores the arena, or passes it to somebody who may do any of this
	returned     // it returns it to the caller
)

// A trace follows a value within a function.
type trace struct {
	c    *checker
	is   map[ssa.Value]bool // aliases of the value
	ends map[ssa.Instruction]end
	todo []ssa.Value
}

// follow traces a value, which is a parameter, a captured variable, or the result of a call.
func (c *checker) follow(v ssa.Value) *trace {
	t := c.trace()
	if f, ok := v.(*ssa.FreeVar); ok && isVariable(f.Type()) {
		t.variable(f)
	} else {
		t.add(v)
	}
	t.run()
	return t
}

func (c *checker) trace() *trace {
	return &trace{c: c, is: map[ssa.Value]bool{}, ends: map[ssa.Instruction]end{}}
}

func (t *trace) run() {
	for len(t.todo) > 0 {
		v := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		for _, use := range api.Uses(v) {
			t.c.Guard.Spend(1)
			t.use(v, use)
		}
	}
}

// isVariable reports whether t is a pointer to a variable that holds a watched value, such as closures capture, and not
// such a value itself.
func isVariable(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && watched(p.Elem()) && api.TypeOf(t) == api.None
}

func (t *trace) add(v ssa.Value) {
	if !t.is[v] && v.Referrers() != nil {
		t.is[v] = true
		t.todo = append(t.todo, v)
	}
}

// use handles one use of a value.
func (t *trace) use(v ssa.Value, use ssa.Instruction) {
	switch use := use.(type) {
	case *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Extract:
		t.add(use.(ssa.Value))
	case *ssa.FieldAddr:
		if isHandle(use.Type().(*types.Pointer).Elem()) {
			t.field(use)
		}
	case *ssa.UnOp:
		if holds(v.Type()) != api.None { // a copy
			t.ends[use] = kept
		}
	case *ssa.BinOp, *ssa.DebugRef:
	case *ssa.Store:
		if use.Val != v {
			break
		}
		if cell, ok := use.Addr.(*ssa.Alloc); ok && isVariable(cell.Type()) {
			t.variable(cell)
		} else if field, ok := use.Addr.(*ssa.FieldAddr); ok && isNew(field.X) && isHandle(v.Type()) {
			t.add(field.X) // who gets the struct has the value
		} else {
			t.ends[use] = kept
		}
	case *ssa.Return:
		t.ends[use] = returned
	case *ssa.MakeClosure:
		t.closure(use, v)
	case ssa.CallInstruction:
		if e := t.call(use.Common(), v); e != none {
			t.ends[use] = e
		}
		if f := api.Callee(use.Common()); f != nil && f.Verb == api.NewContext && use.Value() != nil {
			t.add(use.Value()) // the context leads to the arena
		}
	default: // map updates, sends, ...
		t.ends[use] = kept
	}
}

// variable handles the uses of a variable that may hold the value.
func (t *trace) variable(v ssa.Value) {
	if t.is[v] {
		return
	}
	t.is[v] = true
	for _, use := range api.Uses(v) {
		switch use := use.(type) {
		case *ssa.UnOp:
			if use.Op == token.MUL {
				t.add(use)
			}
		case *ssa.MakeClosure:
			t.closure(use, v)
		case *ssa.Store:
			if use.Val == v {
				t.ends[use] = kept
			}
		case *ssa.DebugRef, *ssa.FieldAddr:
		default:
			t.ends[use] = kept
		}
	}
}

// isNew reports whether a value is a struct that the function has made.
func isNew(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && holds(a.Type()) != api.None
}

// field handles a field of a struct that holds the value, like a constructor's: what is loaded from there is the value.
func (t *trace) field(at *ssa.FieldAddr) {
	for _, use := range api.Uses(at) {
		switch use := use.(type) {
		case *ssa.UnOp:
			t.add(use)
		case *ssa.DebugRef:
		case *ssa.Store:
			if !isNew(at.X) {
				t.ends[use] = kept
			}
		default:
			t.ends[use] = kept
		}
	}
}

// closure handles a closure that captures the value. If it gives the value back, it does so where it is called or
// deferred; with other uses, at an unknown time.
func (t *trace) closure(closure *ssa.MakeClosure, v ssa.Value) {
	fn := closure.Fn.(*ssa.Function)
	takes := false
	if fn.Parent() == nil { // a method value
		call := ssa.CallCommon{Value: closure}
		takes = api.Callee(&call) == nil || t.call(&call, v) != none
	} else {
		for i, b := range closure.Bindings {
			takes = takes || b == v && len(t.c.follow(fn.FreeVars[i]).ends) > 0
		}
	}
	if !takes {
		return
	}
	for _, use := range api.Uses(closure) {
		if call, ok := use.(ssa.CallInstruction); ok && call.Common().Value == closure {
			t.ends[use] = given
			t.deferred(call, v)
		} else {
			t.ends[closure] = kept
		}
	}
}

// deferred handles a closure that gives a variable back: if it is deferred, it has the variable's last value.
func (t *trace) deferred(call ssa.CallInstruction, variable ssa.Value) {
	_, isDefer := call.(*ssa.Defer)
	for _, use := range api.Uses(variable) {
		if st, ok := use.(*ssa.Store); ok && isDefer && t.is[st.Val] && call.Block().Dominates(st.Block()) {
			t.ends[st] = given
		}
	}
}

// call returns how a call ends the duty for the value, which is one of its arguments.
func (t *trace) call(call *ssa.CallCommon, v ssa.Value) end {
	if f := api.Callee(call); f != nil {
		if gives(f) && api.Arg(call, f.From) == v {
			return given
		}
		return none
	}
	fn := call.StaticCallee()
	if fn == nil {
		if call.IsInvoke() && call.Value == v || call.Value == v {
			return none
		}
		if b := api.Builtin(call); b != "" && b != "append" {
			return none
		}
		return kept
	}
	var takes uint64
	if d := t.c.Callee(call); d != nil {
		takes = d.Takes
	}
	for i, arg := range call.Args {
		if arg == v && (i >= 64 || takes>>i&1 != 0 || !t.c.known(fn, i)) {
			return kept
		}
	}
	return none
}

// gives reports whether a function gives its first argument back.
func gives(f *api.Func) bool {
	return f.Verb == api.Put || f.Verb == api.Free || f.Name == "Shared.Reset"
}

// known reports whether a function's effect on a parameter is known: for an arena it is, since then the function's
// package was analyzed, and for functions that are known to keep nothing.
func (c *checker) known(fn *ssa.Function, param int) bool {
	fn = api.Origin(fn)
	if c.Of(fn) != nil {
		return true
	}
	if fn.Parent() != nil || fn.Object() == nil || fn.Object().Pkg() == nil {
		return false
	}
	if t := paramType(fn.Signature, param); t != nil && api.TypeOf(t) != api.None {
		return true
	}
	switch fn.Object().Pkg().Path() {
	case "fmt", "log", "runtime":
		return true
	}
	return false
}

// paramType returns the type of a parameter, counted with the receiver first.
func paramType(sig *types.Signature, i int) types.Type {
	if recv := sig.Recv(); recv != nil {
		if i == 0 {
			return recv.Type()
		}
		i--
	}
	if i < sig.Params().Len() {
		return sig.Params().At(i).Type()
	}
	return nil
}
