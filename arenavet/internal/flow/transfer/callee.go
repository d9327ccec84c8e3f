package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file determines a call's operands and possible callees, before its effects.

// args returns the values of a call's operands, the receiver first.
func (f *interpreter) args(s *state.State, c *ssa.CallCommon) []state.Value {
	args := make([]state.Value, 0, len(c.Args)+code.Shift(c))
	if c.IsInvoke() {
		args = append(args, s.Of(c.Value))
	}
	for _, a := range c.Args {
		args = append(args, s.Of(a))
	}
	return args
}

// targets returns the known functions that a call may call. A call of a literal, func() {...}(), is one of a named
// function with a closure.
func (f *interpreter) targets(s *state.State, c *ssa.CallCommon) []record.Target {
	if c.IsInvoke() {
		return f.Program.Methods(c.Value, s.Of(c.Value), c.Method.Name())
	}
	if fn := c.StaticCallee(); fn != nil {
		m, _ := c.Value.(*ssa.MakeClosure)
		return []record.Target{record.TargetOf(fn, m)}
	}
	return record.TargetsOf(s.Of(c.Value))
}

// applySummaries takes a state past the call of functions with summaries, and reports whether there is one.
func (f *interpreter) applySummaries(s *state.State, i ssa.CallInstruction, args []state.Value,
	deferred bool) (state.Value, bool) {
	v, ok := f.ApplyTargets(s, i, f.targets(s, i.Common()), args, deferred)
	if c := i.Common(); !ok && c.IsInvoke() {
		if sum := f.Program.Fact(c.Method); sum != nil { // an interface's: the stores that all known methods have
			f.UsedArgs(s, i, c, args)
			return f.Apply(s, i, sum, args, deferred), true
		}
	}
	return v, ok
}
