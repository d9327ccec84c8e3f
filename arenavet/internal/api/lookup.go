package api

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

var byName = map[string]*Func{}

func init() {
	for name, f := range table {
		f.Name = name
		byName[name] = &f
	}
}

// All returns the table, by name.
func All() map[string]*Func { return byName }

// Lookup returns the entry of a function or method of package arena, and nil for everything else.
func Lookup(obj types.Object) *Func {
	fn, ok := obj.(*types.Func)
	if !ok || fn.Pkg() == nil {
		return nil
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case Path:
	case TestPath:
		return byName["arenatest."+name]
	default:
		way, ok := strings.CutPrefix(fn.Pkg().Path(), Path+"/")
		if !ok {
			return nil
		}
		if recv := typeOfMethod(fn); recv != "" {
			name = recv + "." + name
		}
		return byName[strings.TrimPrefix(way, "contrib/")+"."+name]
	}
	recv := typeOfMethod(fn)
	if recv == "" {
		return byName[name]
	}
	if f := byName[recv+"."+name]; f != nil {
		return f
	}
	if recv == "Arena" && fn.Signature().TypeParams().Len() > 0 {
		return byName[name]
	}
	return nil
}

// StaticCallee returns the called function, if known: for an instance, its generic function.
func StaticCallee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil || fn.Origin() == nil {
		return fn
	}
	return fn.Origin()
}

// Callee returns the entry of the called function, if it is known to be one of package arena's.
func Callee(c *ssa.CallCommon) *Func {
	if c.IsInvoke() {
		return Lookup(c.Method)
	}
	fn := StaticCallee(c)
	if fn == nil {
		return nil
	}
	if fn.Object() == nil {
		return nil
	}
	return Lookup(fn.Object())
}

// Arg returns the argument with a number of Func, or nil if there is none. It handles method values, such as a.Reset,
// and calls through interfaces.
func Arg(c *ssa.CallCommon, i int) ssa.Value {
	if i < 0 {
		return nil
	}
	if receiver := receiver(c); receiver != nil {
		if i == 0 {
			return receiver
		}
		i--
	}
	if i < len(c.Args) {
		return c.Args[i]
	}
	return nil
}

// receiver returns the receiver of a call if it isn't among the arguments.
func receiver(c *ssa.CallCommon) ssa.Value {
	if c.IsInvoke() {
		return c.Value
	}
	if closure, ok := c.Value.(*ssa.MakeClosure); ok {
		fn := closure.Fn.(*ssa.Function)
		if fn.Parent() == nil && fn.Object() != nil && len(closure.Bindings) == 1 { // a method value
			return closure.Bindings[0]
		}
	}
	return nil
}

// typeOfMethod returns the name of a method's receiver type, or "" for a function.
func typeOfMethod(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return "?"
}
