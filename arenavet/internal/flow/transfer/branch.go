package transfer

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds what happens between two blocks: what the way that was taken
// tells, and what was forgotten at the other end.

// along takes a state along an edge, the n-th that leaves a block, and reports whether
// the successor must be looked at again. The state itself stays as it is for the
// other edges; the last one may have it.
//
// The order matters. What a branch tells is told of the values at its block; phis
// read these, too, and are bound before what isn't live any more is dropped; and
// what is dropped can't be found to be stored anew by a loop.
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
	// The first state to come to a block is what is known there; each further one is
	// joined with it.
	if old := f.in[to]; old != nil {
		return old.Join(s) || news
	}
	f.in[to] = s
	return true
}

// bindPhis gives the phis of a block the values that an edge brings. They change
// all at once: one may be an operand of another, as in a loop with a, b = b, a.
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

// incoming returns the number of an edge among those that lead to a block. Both
// edges of a branch may lead to one: then they are in the same order there.
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

// replacedInLoop takes elements of containers that a loop sets anew to be set anew,
// though it may be that the loop isn't executed at all:
//
//	for {
//		for i := range list { list[i] = New[T](a) }
//		use(list)
//		a.Reset()
//	}
//
// A store to an element is weak, and so the inner loop is left with what the last
// turn of the outer one has left in list, which is dead, joined with what is alive.
// Without this rule that would be a finding in each program that reuses a slice.
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

// noteReplaced notes what is alive in containers at the end of a loop. What has
// come to its beginning dead is reclaimed there, too.
func (f *interpreter) noteReplaced(s *state.State, loop *ssa.BasicBlock) {
	anew := f.anew[loop]
	if anew == nil {
		anew = map[storedTag]bool{}
		f.anew[loop] = anew
	}
	for c, v := range s.Cells() {
		for t, d := range v.All() {
			// Only memory that is alive at the end of a turn, in one of many places,
			// and not noted yet.
			if d != nil || t.Kind != state.Mem || !state.Several(c.Path) || anew[storedTag{c, t}] {
				continue
			}
			// From now on, also in states that come to the beginning of the loop from
			// elsewhere.
			anew[storedTag{c, t}] = true
			if old := f.in[loop].In(c); old.Death(t) != nil {
				f.in[loop].Set(c, revived(old, t))
			}
		}
	}
}

// revived is a value in which a tag is alive.
func revived(v state.Value, t state.Tag) state.Value {
	return v.Replace(state.Just(t, nil))
}

// isNil takes note, on an edge from a block, that the comparison with nil which has
// led there has found an arena to be nil: there is no such arena, nothing is in its
// memory, and it reclaims nothing. It is the heap then. On the other edge nothing
// is learned.
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

// isEmpty forgets what is in a variable or a field, on an edge from a block, that the condition
// which has led there has found to be nil, or to have a length of 0.
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

// notSent forgets what a select statement hasn't sent on an edge from a block,
// the first or second one of a branch by which case was taken: that of another
// case, or not that of the only one that sends.
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

// selected returns the select statement, and the number of the case, that the
// branch at the end of a block asks for: in SSA form that is a comparison of the
// statement's first result with a constant.
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
