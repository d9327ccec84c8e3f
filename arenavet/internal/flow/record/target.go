package record

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file finds the functions that a call may call. It must not depend on their effects.
//
// A named function is found. A function in a variable is found in the variable's value, which may have several. A
// method of an interface is found if a value was converted to the interface just before, or if the interface's target
// is known. Otherwise it is unknown.

// A Target is a function that a call may call.
type Target struct {
	Fn      *ssa.Function
	Closure *ssa.MakeClosure // or nil
	Bound   bool             // the closure is a method value: it has captured the receiver
}

// Hidden is the number of arguments that the target takes and the caller doesn't see.
func (t Target) Hidden() int {
	if t.Bound {
		return 1
	}
	return 0
}

// All returns the values that a target's summary numbers: its arguments, then its captured variables. Missing ones are
// unknown. A method value has captured its first argument.
func (t Target) All(s *state.State, args []state.Value) []state.Value {
	bs := s.Bindings(t.Closure)
	if params := len(t.Fn.Params) - t.Hidden(); params >= 0 && len(args) != params && len(t.Fn.Blocks) > 0 {
		args = append(slices.Clone(args), make([]state.Value, params)...)[:params]
	}
	if t.Bound {
		return append(bs, args...)
	}
	return append(args[:len(args):len(args)], bs...)
}

// TargetsOf returns the functions that a value may be.
func TargetsOf(v state.Value) []Target {
	var ts []Target
	for t := range v.All() {
		if !t.Is(state.Func) {
			continue
		}
		switch x := t.Func.(type) {
		case *ssa.Function:
			ts = append(ts, TargetOf(x, nil))
		case *ssa.MakeClosure:
			ts = append(ts, TargetOf(x.Fn.(*ssa.Function), x))
		}
	}
	return ts
}

// TargetOf returns the target for a function and its closure, or nil. A method value's code is a wrapper, which has no
// summary: its method has.
func TargetOf(fn *ssa.Function, m *ssa.MakeClosure) Target {
	// The code of a literal has a parent; that of a method value is a wrapper around the method.
	if obj, ok := fn.Object().(*types.Func); ok && m != nil && fn.Parent() == nil {
		if method := fn.Prog.FuncValue(obj.Origin()); method != nil {
			return Target{method, m, true}
		}
	}
	return Target{fn, m, false}
}

// Given returns the value that a go statement passes as the target's n-th parameter, or one of its captured variables,
// which follow the parameters; nil if that is unknown, or a global.
func (t Target) Given(i ssa.CallInstruction, n int) ssa.Value {
	if t.Closure != nil {
		if captured := n - len(t.Fn.Params); !t.Bound && captured >= 0 {
			return t.Closure.Bindings[captured]
		}
		if t.Bound && n == 0 {
			return t.Closure.Bindings[0]
		}
		n -= t.Hidden()
	}
	if _, ok := i.(*ssa.Go); ok {
		return code.Argument(i, n)
	}
	return nil
}
