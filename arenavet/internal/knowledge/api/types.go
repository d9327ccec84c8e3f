// Package api describes package arena to the analyzers: its types, and the effect of each of its functions on memory.
// The package is recognised by its import path and never imported.
package api

import (
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The import paths of the packages in the table.
const (
	Path     = "github.com/harena-go/arena"
	TestPath = Path + "/arenatest"
	JSONPath = Path + "/arenajson"
)

// Inside reports whether a package is the arena package itself or a part of it, which implements the rules and isn't
// bound by them; or one that, like the decoders of arenajson, stores memory of the caller's arena in values that it
// keeps for later, and reclaims it itself.
func Inside(pkg *types.Package) bool {
	path, _, _ := strings.Cut(pkg.Path(), " ")
	return path == Path || path == TestPath || path == JSONPath ||
		strings.HasPrefix(path, Path+"/internal/") || strings.HasPrefix(path, JSONPath+"/internal/")
}

// A Type is a type of package arena that matters for lifetimes.
type Type uint8

const (
	None Type = iota
	Arena
	Pool
	Shared
	Typed
	Mark
	Option // also PoolOption
)

var typeNames = map[string]Type{
	"Arena": Arena, "Pool": Pool, "Shared": Shared, "Typed": Typed, "TypeAllocator": Typed, "Mark": Mark,
	"Option": Option, "PoolOption": Option,
}

// TypeOf returns the Type of t, or of t's target.
func TypeOf(t types.Type) Type {
	if n := Named(t); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == Path {
		return typeNames[n.Obj().Name()]
	}
	return None
}

// Named returns the named type that a type, or its target, is; nil if it has no name.
func Named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// IsNamed reports whether a type, or its target, is the named type.
func IsNamed(t types.Type, path, name string) bool {
	n := Named(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

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

// Origin returns the generic function of an instance, or the function itself: all instances have its summary.
func Origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// StaticCallee returns the called function, if known: for an instance, its generic function.
func StaticCallee(c *ssa.CallCommon) *ssa.Function { return Origin(c.StaticCallee()) }

// Callee returns the entry of the called function, if it is known to be one of package arena's.
func Callee(c *ssa.CallCommon) *Func {
	if c.IsInvoke() {
		return Lookup(c.Method)
	}
	if fn := StaticCallee(c); fn != nil {
		return Lookup(fn.Object())
	}
	return nil
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
	if named := Named(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return "?"
}

// Builtin returns the name of the built-in function that a call calls, "" if it calls another function.
func Builtin(c *ssa.CallCommon) string {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	return ""
}

// IsBuiltin reports whether an instruction calls the built-in function with a name.
func IsBuiltin(i ssa.Instruction, name string) bool {
	c, ok := i.(ssa.CallInstruction)
	return ok && Builtin(c.Common()) == name
}

// CallsBuiltin reports whether a function calls the built-in function with a name.
func CallsBuiltin(fn *ssa.Function, name string) bool {
	for c := range Calls(fn) {
		if Builtin(c.Common()) == name {
			return true
		}
	}
	return false
}

// Uses returns the instructions that use a value: none for package-level variables, functions and constants, whose uses
// SSA doesn't list.
func Uses(v ssa.Value) []ssa.Instruction {
	if list := v.Referrers(); list != nil {
		return *list
	}
	return nil
}

// Operand returns the first operand of an instruction.
func Operand(v ssa.Value) ssa.Value { return *v.(ssa.Instruction).Operands(nil)[0] }

// Instrs returns the instructions of a function.
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] { return Of[ssa.Instruction](fn) }

// Calls returns the calls of a function, and its go and defer statements.
func Calls(fn *ssa.Function) iter.Seq[ssa.CallInstruction] { return Of[ssa.CallInstruction](fn) }

// Of returns the instructions of a kind in a function.
func Of[I ssa.Instruction](fn *ssa.Function) iter.Seq[I] {
	return func(yield func(I) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if x, ok := i.(I); ok && !yield(x) {
					return
				}
			}
		}
	}
}
