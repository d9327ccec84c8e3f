// Package transfer takes states through one function: past its instructions and calls, and from block to block, until
// they stay the same.
package transfer

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/apply"
	"github.com/harena-go/arena/arenavet/internal/engine/code"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// This file analyzes one function, block by block. It must not depend on the effects of instructions.

// Run takes states through a function, as long as its guard allows it, and records the results.
func Run(rec *record.Function) {
	newInterpreter(rec).run()
}

// maxVisits bounds the visits to a block. States only grow, so only functions that take too many steps anyway reach it.
const maxVisits = 100

// run visits blocks until no state changes: a block in the worklist is passed with the state at its beginning, and its
// successors whose states change enter the list. They are visited in the order of execution, so most predecessors come
// first. A loop is repeated when its end is reached, before the code after it: so inner loops are done first, and a
// loop with many cases isn't repeated after each.
func (f *interpreter) run() {
	f.loops = f.WaitingLoops()
	f.findElementLoops()
	f.in[f.Fn.Blocks[0]] = f.entry()
	rank := ranks(f.Fn)
	work := []*ssa.BasicBlock{f.Fn.Blocks[0]}
	visits := map[*ssa.BasicBlock]int{}
	for last := 0; len(work) > 0; {
		n := next(work, rank, last)
		b := work[n]
		last = rank[b.Index]
		work = slices.Delete(work, n, n+1)
		// Doesn't return: guard.Run gives the function up.
		if visits[b]++; visits[b] > maxVisits {
			f.Program.Guard.Stop()
		}
		s := f.pass(b)
		for n, succ := range b.Succs {
			// A block may be both successors, by two edges: each brings values for its phis.
			if f.along(s, b, succ, n) && !slices.Contains(work, succ) {
				work = append(work, succ)
			}
		}
	}
	f.judge()
}

// ranks returns the order of execution of blocks, by their numbers: a reverse postorder. In SSA form the code after a
// statement often has a smaller number than parts of the statement. The search takes the last successor first, which
// for loops is the exit, so the body gets the smaller rank.
func ranks(fn *ssa.Function) []int {
	rank, next := make([]int, len(fn.Blocks)), len(fn.Blocks)
	seen := make([]bool, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for _, succ := range slices.Backward(b.Succs) {
			if !seen[succ.Index] {
				visit(succ)
			}
		}
		next--
		rank[b.Index] = next
	}
	visit(fn.Blocks[0])
	return rank
}

// next returns the index of the next block in a list, after one with rank last: the first that follows, unless that is
// after the end of a loop whose beginning is in the list.
func next(work []*ssa.BasicBlock, rank []int, last int) int {
	follows, begins := -1, -1
	for n, b := range work {
		if r := rank[b.Index]; r >= last && (follows < 0 || r < rank[work[follows].Index]) {
			follows = n
		}
	}
	for n, b := range work {
		r := rank[b.Index]
		if r >= last || begins >= 0 && r < rank[work[begins].Index] {
			continue
		}
		isIn := func(p *ssa.BasicBlock) bool { return rank[p.Index] >= rank[work[follows].Index] }
		if follows < 0 || !slices.ContainsFunc(b.Preds, isIn) {
			begins = n
		}
	}
	if begins >= 0 {
		return begins
	}
	return follows
}

// entry returns the state at the beginning: parameters and captured variables have their names for callers; captured
// variables count as further parameters.
func (f *interpreter) entry() *state.State {
	s := state.New(f.Places)
	for i, p := range f.Fn.Params {
		s.Bind(p, s.Opaque(fmt.Sprintf("param %d", i), &summary.Sym{Param: i}, p.Type(), p.Name()))
	}
	for i, v := range f.Fn.FreeVars {
		s.Bind(v, s.Opaque(fmt.Sprintf("free %d", i), &summary.Sym{Param: len(f.Fn.Params) + i}, v.Type(), v.Name()))
	}
	f.receives(s)
	return s
}

// pass takes the state at the beginning of a block past the block. That state stays as it is, to be joined with later
// ones.
func (f *interpreter) pass(b *ssa.BasicBlock) *state.State {
	s := f.in[b].Clone()
	for _, i := range b.Instrs {
		f.Spend(1)
		f.step(s, i)
	}
	return s
}

// judge passes all blocks once more, now that their states are final, and keeps the findings and the summary. Earlier
// ones, from states that weren't final, are dropped.
func (f *interpreter) judge() {
	f.Judging = true
	f.Found, f.Summary, f.Left = finding.Set{}, &summary.Summary{}, false
	f.Out, f.Kept, f.Given = map[summary.Flow]bool{}, map[summary.Store]bool{}, map[summary.Call]bool{}
	for _, b := range f.Fn.Blocks {
		if f.in[b] != nil {
			f.pass(b)
		}
	}
	f.Summary.Results = f.Results()
	f.Summary.Stores = slices.Collect(maps.Keys(f.Kept))
	f.Summary.Calls = slices.Collect(maps.Keys(f.Given))
}

func newInterpreter(rec *record.Function) *interpreter {
	f := &interpreter{
		Applier: apply.New(rec),
		in:      map[*ssa.BasicBlock]*state.State{},
		anew:    map[*ssa.BasicBlock]map[storedTag]bool{},
	}
	f.RunDeferred = func(s *state.State, d *ssa.Defer) { f.call(s, d, true) }
	return f
}

// This part takes states from one block to the next: it uses the conditions of branches, and drops dead values.

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
		if phi, ok := i.(*ssa.Phi); !ok {
			break
		} else if to.Dominates(from) && changes(phi, phi.Edges[edge]) {
			if r := s.Resolve(s.Of(phi), phi); r != nil && r.Kind == state.AnyOf {
				s.RenewMade(phi, r)
			}
		}
	}
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

// changes reports whether the variable of an arena has another one in each iteration of a loop.
func changes(phi *ssa.Phi, next ssa.Value) bool {
	inner, ok := next.(*ssa.Phi)
	perhaps := ok && inner.Block() != phi.Block() && slices.Contains(inner.Edges, ssa.Value(phi))
	return state.IsHandle(phi.Type()) && next != phi && !perhaps
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
