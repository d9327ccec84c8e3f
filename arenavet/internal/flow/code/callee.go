// Package code answers questions about functions in SSA form: where loops are, which
// conditions lead to a block, which function is called, which types a field holds. What
// it says holds whatever the states are.
package code

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// CalleeName returns the full name of the function or method that is called, "" if
// that isn't known. That of an interface's method names the interface; that of an
// instance, the generic function.
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

// Shift is 1 if a call's receiver isn't among its Args, as for a method of an interface, and
// 0 otherwise: how far the numbers of arguments are shifted.
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

// IsDetach reports whether a function is one by which a handler leaves the arena of its
// request to others.
func IsDetach(name string) bool {
	return strings.HasSuffix(name, "http.Detach") && strings.HasPrefix(name, api.Path)
}

// Origin returns the generic function that a function is an instance of, or the
// function itself: all instances have the summary of their origin.
func Origin(fn *ssa.Function) *ssa.Function {
	if fn != nil && fn.Origin() != nil {
		return fn.Origin()
	}
	return fn
}

// ArenasOf returns what a call is given that stands for an arena.
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

// Argument returns the n-th argument of a call, the receiver first; nil if it has no such one.
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
