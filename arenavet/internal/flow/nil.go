package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// This file holds what is known where an arena is nil: it is the heap then.

// isNil takes note, on an edge from a block, that the comparison with nil which
// has led there has found an arena to be nil: there is no such arena, nothing is
// in its memory, and it takes nothing back.
func (f *function) isNil(s *state, from *ssa.BasicBlock, edge int) {
	x := comparedWithNil(from, edge)
	if x == nil || !isHandle(x.Type()) {
		return
	}
	none := map[*root]bool{}
	for t := range f.value(s, x) {
		if t.kind == handle && t.path == "" {
			none[t.root] = true
		}
	}
	if len(none) == 0 {
		return
	}
	f.spend(len(s.vals) + len(s.cells))
	for k, v := range s.vals {
		set(s, k, without(v, none))
	}
	for c, v := range s.cells {
		s.cells[c] = without(v, none)
	}
}

// without returns what a value is if some arenas aren't any: the values that
// stand for them are nil pointers.
func without(v value, none map[*root]bool) value {
	gone := map[string]bool{}
	for t := range v {
		if t.kind == handle && none[t.root] {
			gone[t.path] = true
		}
	}
	for t := range v {
		if none[t.root] || t.kind == ptr && gone[t.path] {
			return v.only(func(t tag) bool { return !none[t.root] && (t.kind != ptr || !gone[t.path]) }).clone()
		}
	}
	return v
}

// comparedWithNil returns what must be nil for a block to be left by an edge.
func comparedWithNil(from *ssa.BasicBlock, edge int) ssa.Value {
	branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL && cond.Op != token.NEQ || (cond.Op == token.EQL) != (edge == 0) {
		return nil
	}
	if isNilConst(cond.Y) {
		return cond.X
	}
	if isNilConst(cond.X) {
		return cond.Y
	}
	return nil
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}
