package keeps

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file finds values that are no longer kept when the function returns. In doubt it assumes that they aren't.

// undone reports whether an event's value from a parameter is gone at the end: the field is set to something else, the
// element is deleted, or the goroutine that has got it is done.
func (f *function) undone(e event, param int) bool {
	if isCut(e) {
		return true
	}
	after := f.after(e.at)
	passesOn := e.gives
	switch i := e.at.(type) {
	case *ssa.Send, *ssa.Select:
		passesOn = true
	case *ssa.Store, *ssa.MapUpdate:
		if f.overwritten(e, param, after) {
			return true
		}
		if m, ok := i.(*ssa.MapUpdate); ok && f.deleted(m, after) {
			return true
		}
	}
	for b, first := range after {
		for n, i := range b.Instrs {
			if n < first || i == e.at {
				continue
			}
			if passesOn && f.waits(i) {
				return true
			}
			if c, ok := i.(ssa.CallInstruction); ok && f.clears(c, e) {
				return true
			}
		}
	}
	return f.deferredClear(e) || f.takenOut(e)
}

// after returns the blocks that may run after an instruction, each with the index of the first such instruction.
func (f *function) after(i ssa.Instruction) map[*ssa.BasicBlock]int {
	all := map[*ssa.BasicBlock]int{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		for _, succ := range b.Succs {
			if _, ok := all[succ]; !ok {
				all[succ] = 0
				visit(succ)
			}
		}
	}
	visit(i.Block())
	if _, loop := all[i.Block()]; !loop {
		all[i.Block()] = slices.Index(i.Block().Instrs, i) + 1
	}
	return all
}

// overwritten reports whether a field is set to something else, possibly by a literal that is called at the end.
func (f *function) overwritten(e event, param int, after map[*ssa.BasicBlock]int) bool {
	if e.field == nil {
		return false
	}
	sets := func(i ssa.Instruction) bool {
		st, ok := i.(*ssa.Store)
		return ok && i != e.at && shape.Holder(st.Addr) == e.field
	}
	for b, first := range after {
		for _, i := range b.Instrs[first:] {
			if !sets(i) {
				continue
			}
			refs := f.is(i.(*ssa.Store).Val)
			if isCut(event{at: i, field: e.field}) ||
				!slices.ContainsFunc(f.reach(refs, i), func(x summary.Sym) bool { return x.Param == param }) {
				return true
			}
		}
	}
	return inLiterals(f.fn, sets)
}

// isCut reports whether a field is set to the beginning of its old slice: the end is gone.
func isCut(e event) bool {
	st, ok := e.at.(*ssa.Store)
	if !ok || e.field == nil {
		return false
	}
	cut, ok := st.Val.(*ssa.Slice)
	if !ok || cut.High == nil {
		return false
	}
	old, ok := cut.X.(*ssa.UnOp)
	return ok && shape.Holder(old.X) == e.field
}

// deleted reports whether the element of a map is deleted.
func (f *function) deleted(m *ssa.MapUpdate, after map[*ssa.BasicBlock]int) bool {
	deletes := func(i ssa.Instruction) bool {
		c, ok := i.(ssa.CallInstruction)
		if !ok {
			return false
		}
		b, ok := c.Common().Value.(*ssa.Builtin)
		if !ok || b.Name() != "delete" {
			return ok && b.Name() == "clear"
		}
		return c.Common().Args[1] == m.Key || i.Parent() != f.fn
	}
	for b, first := range after {
		if slices.ContainsFunc(b.Instrs[first:], deletes) {
			return true
		}
	}
	return inLiterals(f.fn, deletes)
}

func inLiterals(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	for _, literal := range fn.AnonFuncs {
		for _, b := range literal.Blocks {
			if slices.ContainsFunc(b.Instrs, is) {
				return true
			}
		}
		if inLiterals(literal, is) {
			return true
		}
	}
	return false
}

// waits reports whether an instruction may wait until others are done.
func (f *function) waits(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		receives := func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly }
		return slices.ContainsFunc(i.States, receives)
	case ssa.CallInstruction:
		return std.Waits(code.CalleeName(i.Common()))
	}
	return false
}

// clears reports whether a callee sets the event's field to something else.
func (f *function) clears(c ssa.CallInstruction, e event) bool {
	s := f.of(c.Common())
	if s == nil {
		return false
	}
	return slices.ContainsFunc(s.Clears, func(x summary.Sym) bool {
		arg := code.Argument(c, x.Param)
		isThat := func(r ref) bool { return r.root == e.into.root && r.path == "" }
		return arg != nil && isField(x.Path) && x.Path == e.into.path && slices.ContainsFunc(f.is(arg), isThat)
	})
}

// deferredClear reports whether a deferred function clears the event's field, or takes its value.
func (f *function) deferredClear(e event) bool {
	for i := range api.Instrs(f.fn) {
		if d, ok := i.(*ssa.Defer); ok && (f.clears(d, e) || f.takes(d, e)) {
			return true
		}
	}
	return false
}

// takenOut reports whether each path from an event that is a call has a call of a method that empties something, as
// with push and pop.
func (f *function) takenOut(e event) bool {
	if _, ok := e.at.(ssa.CallInstruction); !ok {
		return false
	}
	has := map[*ssa.BasicBlock]bool{}
	for b, first := range f.after(e.at) {
		for _, i := range b.Instrs[first:] {
			if c, ok := i.(*ssa.Call); ok && f.takes(c, e) {
				if b == e.at.Block() {
					return true
				}
				has[b] = true
			}
		}
	}
	isReturn := func(b *ssa.BasicBlock) bool {
		_, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		return ok
	}
	return len(has) > 0 && !f.leads(e.at.Block(), has, isReturn)
}

// takes reports whether a call is of a method that takes something out of the root where the event keeps its value.
func (f *function) takes(i ssa.CallInstruction, e event) bool {
	c := i.Common()
	name := ""
	if c.IsInvoke() {
		name = c.Method.Name()
	} else if fn := c.StaticCallee(); fn != nil && fn.Signature.Recv() != nil {
		name = fn.Name()
	}
	recv := code.Argument(i, 0)
	return recv != nil && name != "" && empties(name) && slices.ContainsFunc(f.is(recv), func(r ref) bool {
		return r.root == e.into.root && e.into.root != nil
	})
}
