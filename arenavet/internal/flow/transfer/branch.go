package transfer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file takes states from one block to the next: it uses the conditions of branches, and drops dead values.

// along takes a state along the n-th edge from a block, and reports whether the successor must be analyzed again. The
// state itself stays as it is for the other edges; the last one may change it.
//
// The order matters. A branch condition is about the values at its block. Phis read these, too, and are bound before
// dead values are dropped. Dropped values must not count as stored anew by a loop.
func (f *interpreter) along(s *state.State, from, to *ssa.BasicBlock, n int) bool {
	if n < len(from.Succs)-1 {
		s = s.Clone()
	}
	if l := f.loops[from]; l != nil && !l[to] {
		f.Wait(s)
	}
	for _, e := range f.elementLoops[from] {
		if e.blocks[from] && e.head != from {
			f.setInTurn(s, e)
		}
		if !e.blocks[to] {
			f.setInAll(s, e)
		}
	}
	f.notSent(s, from, n)
	f.isNil(s, from, n)
	f.isEmpty(s, from, n)
	news := false
	for _, e := range f.elementLoops[to] {
		if e.head == to && e.blocks[from] {
			news = f.setInTurn(s, e) || news
		}
	}
	f.bindPhis(s, from, to, n)
	s.Forget(f.Live, to)
	f.replacedInLoop(s, from, to)
	// The first state to reach a block becomes its state; further ones are joined with it.
	if old := f.in[to]; old != nil {
		return old.Join(s) || news
	}
	f.in[to] = s
	return true
}

// bindPhis gives the phis of a block the values of an edge. They change all at once: one may be an operand of another,
// as in a loop with a, b = b, a.
func (f *interpreter) bindPhis(s *state.State, from, to *ssa.BasicBlock, n int) {
	edge := incoming(from, to, n)
	phis := map[ssa.Value]state.Value{}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if x := phi.Edges[edge]; !state.IsHandle(phi.Type()) || !f.Paths.Depends(phi) {
			phis[phi] = s.Of(x)
		}
	}
	for phi, v := range phis {
		s.Bind(phi, v)
	}
}

// incoming returns the index of an edge among the block's predecessors. Both edges of a branch may lead to one block:
// then they are in the same order there.
func incoming(from, to *ssa.BasicBlock, n int) int {
	edge := -1
	for i, p := range to.Preds {
		if p != from {
			continue
		}
		edge = i
		if len(from.Succs) == 2 && from.Succs[0] == to && from.Succs[1] == to && n == 1 {
			continue
		}
		break
	}
	return edge
}

// replacedInLoop assumes that a loop over a container sets all its elements anew, though the loop may not run at all:
//
//	for {
//		for i := range list { list[i] = New[T](a) }
//		use(list)
//		a.Reset()
//	}
//
// A store to an element is weak. So after the inner loop list has the dead memory of the outer loop's previous
// iteration, joined with the new memory. Without this rule each program that reuses a slice would get a finding.
func (f *interpreter) replacedInLoop(s *state.State, from, to *ssa.BasicBlock) {
	if to.Dominates(from) { // the edge back to the beginning of a loop
		f.noteReplaced(s, to)
	}
	for k := range f.anew[to] {
		if v := s.In(k.cell); v.Death(k.tag) != nil {
			s.Set(k.cell, revived(v, k.tag))
		}
	}
}

// noteReplaced records the memory in containers that is alive at the end of a loop. The same memory is revived if it is
// dead in the state at the loop's head.
func (f *interpreter) noteReplaced(s *state.State, loop *ssa.BasicBlock) {
	anew := f.anew[loop]
	if anew == nil {
		anew = map[storedTag]bool{}
		f.anew[loop] = anew
	}
	for c, v := range s.Cells() {
		for t, d := range v.All() {
			// Only memory that is alive at the end of an iteration, in one of many places, and not recorded yet.
			if d != nil || t.Kind != state.Mem || !state.Several(c.Path) || anew[storedTag{c, t}] {
				continue
			}
			// From now on, also in states that reach the loop's head from elsewhere.
			anew[storedTag{c, t}] = true
			if old := f.in[loop].In(c); old.Death(t) != nil {
				f.in[loop].Set(c, revived(old, t))
			}
		}
	}
}

// revived returns the value with a tag alive.
func revived(v state.Value, t state.Tag) state.Value {
	return v.Replace(state.Just(t, nil))
}

// isNil removes an arena that a comparison with nil, on this edge, has found to be nil: it is the heap, has no memory
// and reclaims nothing. The other edge learns nothing.
func (f *interpreter) isNil(s *state.State, from *ssa.BasicBlock, edge int) {
	x := code.ComparedWithNil(from, edge)
	if x == nil || !state.IsHandle(x.Type()) {
		return
	}
	none := map[*state.Root]bool{}
	for t := range s.Of(x).All() {
		if t.Is(state.Handle) {
			none[t.Root] = true
		}
	}
	if len(none) > 0 {
		s.Without(none)
	}
}

// isEmpty clears a variable or a field that the condition, on this edge, has found to be nil or to have a length of 0.
func (f *interpreter) isEmpty(s *state.State, from *ssa.BasicBlock, edge int) {
	branch := build.Branch(from)
	if branch == nil {
		return
	}
	load, ok := code.EmptyIf(branch.Cond, edge == 0).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return
	}
	var at []state.Cell
	for t := range s.Of(load.X).All() {
		if t.Kind == state.Ptr {
			at = append(at, state.Cell{Loc: t.Loc, Path: t.Off})
		}
	}
	if _, isMap := load.Type().Underlying().(*types.Map); !isMap && len(at) == 1 && !state.Several(at[0].Path) {
		s.Set(at[0], state.Value{})
	}
}

// notSent drops the sends of a select statement that this edge excludes: the edge is the first or second one of a
// branch on the chosen case, and another case was chosen, or the only sending case wasn't.
func (f *interpreter) notSent(s *state.State, from *ssa.BasicBlock, edge int) {
	sel, taken := selected(from)
	if sel == nil {
		return
	}
	sends := 0
	for _, st := range sel.States {
		if st.Dir == types.SendOnly {
			sends++
		}
	}
	isSend := sel.States[taken].Dir == types.SendOnly
	if edge == 0 && !isSend || edge == 1 && isSend && sends == 1 {
		f.Hide(s, sel)
	}
}

// selected returns the select statement and the number of the case that the branch at the end of a block tests: in SSA
// form a comparison of the statement's first result with a constant.
func selected(from *ssa.BasicBlock) (*ssa.Select, int64) {
	branch := build.Branch(from)
	if branch == nil {
		return nil, 0
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL {
		return nil, 0
	}
	taken, isExtract := cond.X.(*ssa.Extract)
	number, isConst := cond.Y.(*ssa.Const)
	if !isExtract || !isConst || taken.Index != 0 {
		return nil, 0
	}
	sel, ok := taken.Tuple.(*ssa.Select)
	if !ok {
		return nil, 0
	}
	return sel, number.Int64()
}
