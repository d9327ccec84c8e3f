// Package code answers questions about functions in SSA form: loops, conditions of blocks, callees, types in fields.
// The answers don't depend on states.
package code

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// CalleeName returns the full name of the called function or method, "" if unknown. The name of an interface's method
// has the interface; the name of an instance is the generic function's.
func CalleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	fn := Origin(c.StaticCallee())
	if fn == nil {
		return ""
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return fn.Name()
}

// Shift is 1 if a call's receiver isn't among its Args, as for a method of an interface, and 0 otherwise: the offset of
// its argument numbers.
func Shift(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 1
	}
	return 0
}

// Scrubs reports whether a call that makes an arena or a Pool has the option WithScrub.
func Scrubs(c *ssa.CallCommon) bool {
	if len(c.Args) == 0 || !c.Signature().Variadic() {
		return false
	}
	o := defuse.OptionsOf(c.Args[len(c.Args)-1])
	return defuse.Has(o.Calls, "WithScrub") || defuse.Has(o.Maybe, "WithScrub")
}

// IsDetach reports whether a function is one by which a handler hands its request's arena over.
func IsDetach(name string) bool {
	return strings.HasSuffix(name, "http.Detach") && strings.HasPrefix(name, api.Path)
}

// Origin returns the generic function of an instance, or the function itself: all instances have the summary of their
// origin.
func Origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// ArenasOf returns the arguments of a call that stand for arenas.
func ArenasOf(c *ssa.CallCommon) (list []ssa.Value) {
	for _, x := range c.Args {
		if state.IsHandle(x.Type()) {
			list = append(list, x)
		}
	}
	if c.IsInvoke() && state.IsHandle(c.Value.Type()) {
		list = append(list, c.Value)
	}
	return list
}

// Argument returns the n-th argument of a call, the receiver first; nil if there is none.
func Argument(i ssa.CallInstruction, n int) ssa.Value {
	c := i.Common()
	if c.IsInvoke() {
		if n == 0 {
			return c.Value
		}
		n--
	}
	if n < 0 || n >= len(c.Args) {
		return nil
	}
	return c.Args[n]
}
