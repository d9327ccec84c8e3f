// Package code answers questions about functions in SSA form: where loops are, which
// conditions lead to a block, which function is called, which types a field holds. What
// it says holds whatever the states are.
package code

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
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

// Scrubs reports whether a call has the option WithScrub: the options are stored to
// an array, which is passed as a slice.
func Scrubs(c *ssa.CallCommon) bool {
	return slices.ContainsFunc(c.Args, func(a ssa.Value) bool {
		options, ok := a.(*ssa.Slice)
		if !ok {
			return false
		}
		return slices.ContainsFunc(api.Uses(options.X), func(r ssa.Instruction) bool {
			x, ok := r.(*ssa.IndexAddr)
			return ok && slices.ContainsFunc(api.Uses(x), func(r ssa.Instruction) bool {
				st, ok := r.(*ssa.Store)
				return ok && isScrub(st.Val)
			})
		})
	})
}

func isScrub(v ssa.Value) bool {
	if x, ok := v.(*ssa.ChangeInterface); ok {
		return isScrub(x.X)
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	k := api.Callee(c.Common())
	return k != nil && k.Name == "WithScrub"
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
