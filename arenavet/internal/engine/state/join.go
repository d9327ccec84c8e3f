package state

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file joins states where two paths meet, as dataflow analyses do (Kildall, POPL 1973). It must not depend on the
// paths.
//
// May facts are joined by union: values, cells, pending operations, arenas that ended on some path. Must facts are
// joined by intersection: arenas that ended on all paths. Both are monotone, so loops reach a fixed point.

// Join adds the state of another predecessor, and reports whether s has changed; then the code that follows is analyzed
// again. t stays as it is.
//
// Each part says for itself whether it has changed; all of them must be joined
// before any counts.
func (s *State) Join(t *State) bool {
	s.Spend(1 + (s.Size()+t.Size())/rowsPerStep)
	changed := s.joinVals(t)
	changed = s.joinCells(t) || changed
	changed = s.joinMarks(t) || changed
	changed = s.joinPending(t) || changed
	return s.joinEnds(t) || changed
}

// joinVals joins the results of instructions. A value in only one of the states was computed on one path only; after
// the join only a phi can use it, and phis are evaluated per edge.
func (s *State) joinVals(t *State) (changed bool) {
	for v, there := range t.vals {
		if x, news := s.joined(s.vals[v], there); news {
			s.vals[v], changed = x, true
		}
	}
	return changed
}

// joined joins two values, and reports whether the result isn't the first one.
func (s *State) joined(here, there Value) (Value, bool) {
	if here.same(there) {
		return here, false
	}
	s.Spend(1 + (len(here)+len(there))/rowsPerStep)
	return here.Join(there)
}

// joinCells joins memory. On the path whose state has no entry for a cell of unknown memory, the cell may still have
// its initial value:
//
//	func f(p *T, a *arena.Arena, c bool) {
//		if c {
//			p.x = New[T](a)   p.x: memory of a
//		}                         p.x: memory of a, or its initial value: {0 "*.x"}
//	}
//
// In memory that this function has made, a cell set on one path only holds that value. A cell cleared on one path
// is kept, with an empty value.
func (s *State) joinCells(t *State) (changed bool) {
	for c, here := range s.cells {
		if _, ok := t.cells[c]; !ok && c.Loc.Unknown {
			if x, news := here.Join(s.initial(c)); news {
				s.cells[c], changed = x, true
			}
		}
	}
	for c, there := range t.cells {
		here, known := s.cells[c]
		if !known && c.Loc.Unknown {
			here = s.initial(c)
		}
		x, news := s.joined(here, there)
		if x == nil {
			x = Value{}
		}
		if news || !known {
			s.cells[c], changed = x, true
		}
	}
	return changed
}

// joinMarks joins the sets of tags older than marks. A tag that is older on one of two paths counts as older: then
// Rewind ends less. The maps are shared with other states, so they are copied before the first change. A mark without
// older tags has an empty set.
func (s *State) joinMarks(t *State) bool {
	changed := false
	if s.before == nil && len(t.before) > 0 {
		s.before = map[ssa.Instruction]map[Tag]bool{}
	}
	for m, x := range t.before {
		old := s.before[m]
		for site := range x {
			if !old[site] {
				old = maps.Clone(old)
				if old == nil {
					old = map[Tag]bool{}
				}
				old[site] = true
				s.before[m], changed = old, true
			}
		}
		if old == nil {
			s.before[m] = map[Tag]bool{}
		}
	}
	return changed
}

// joinPending joins unfinished operations: other goroutines, and deferred calls. Deferred calls of one path only are
// taken to run in any case, after those of the other.
func (s *State) joinPending(t *State) bool {
	changed := false
	for p := range t.Pending {
		if !s.Pending[p] {
			s.Pending[p], changed = true, true
		}
	}
	for _, d := range t.Defers {
		if !slices.Contains(s.Defers, d) {
			s.Defers, changed = append(s.Defers, d), true
		}
	}
	s.ended = s.ended || t.ended
	if t.Waited && !s.Waited {
		s.Waited, changed = true, true
	}
	return changed
}

// joinEnds joins the ends of arenas for the summary: by union for ends on some path, by intersection for ends on all.
// The intersection starts with all ends of the first path.
func (s *State) joinEnds(t *State) bool {
	changed := false
	for k := range t.May {
		if !s.May[k] {
			if s.May == nil {
				s.May = map[summary.Kill]bool{}
			}
			s.May[k], changed = true, true
		}
	}
	// An end that the other path lacks is still in May.
	for k := range s.Must {
		if !t.Must[k] {
			delete(s.Must, k)
			changed = true
		}
	}
	return changed
}

// This part drops values that no instruction uses any more, and the memory that only they lead to. That keeps the
// leftovers of one loop iteration out of the next, and states small. It runs on each edge between two blocks, where the
// live values are known.

// A Live is the set of values, by block, that the block or a later one may use though they were computed elsewhere. It
// depends on the code alone and is computed once.
type Live struct {
	numbers map[ssa.Value]int // of the function's values; larger ones are never live
	in      [][]uint64        // by block, one bit per number
}

// LiveIn computes liveness: a value is live where one of its uses is reachable without passing its definition. In SSA
// form one walk backwards from each use to the definition is enough, in time proportional to the result (Appel, Modern
// Compiler Implementation, 2nd edition, section 19.6). It needs no iteration to a fixed point, unlike variables with
// several assignments.
func LiveIn(fn *ssa.Function) *Live {
	l := &Live{numbers: map[ssa.Value]int{}, in: make([][]uint64, len(fn.Blocks))}
	l.number(fn)
	words := len(l.numbers)/64 + 1
	all := make([]uint64, words*len(fn.Blocks))
	for n := range l.in {
		l.in[n], all = all[:words], all[words:]
	}
	deferred := deferredOperands(fn)
	var ops []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Phi: // uses each value at the end of its predecessor block
				for n, v := range i.Edges {
					l.use(v, b.Preds[n])
				}
				continue
			case *ssa.RunDefers:
				for _, v := range deferred {
					l.use(v, b)
				}
			}
			ops = i.Operands(ops[:0])
			for _, op := range ops {
				if *op != nil {
					l.use(*op, b)
				}
			}
		}
	}
	return l
}

// number gives numbers to a function's values.
func (l *Live) number(fn *ssa.Function) {
	add := func(v ssa.Value) { l.numbers[v] = len(l.numbers) }
	for _, v := range fn.Params {
		add(v)
	}
	for _, v := range fn.FreeVars {
		add(v)
	}
	for i := range api.Instrs(fn) {
		if v, ok := i.(ssa.Value); ok {
			add(v)
		}
	}
}

// is reports whether a value is live at the beginning of a block.
func (l *Live) is(number int, b *ssa.BasicBlock) bool {
	in := l.in[b.Index]
	return number < 64*len(in) && in[number/64]&(1<<(number%64)) != 0
}

// use records a use of a value in a block, or at its end: the value is live there and in all predecessors back to its
// definition. Blocks in which it is live already were visited before.
func (l *Live) use(v ssa.Value, b *ssa.BasicBlock) {
	def, ok := v.(ssa.Instruction)
	if !ok || def.Block() == nil || def.Block() == b {
		return // parameters and the like live forever
	}
	number, ok := l.numbers[v]
	if !ok || l.is(number, b) {
		return
	}
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == def.Block() || l.is(number, b) {
			continue
		}
		l.in[b.Index][number/64] |= 1 << (number % 64)
		work = append(work, b.Preds...)
	}
}

// deferredOperands returns the operands of deferred calls. SSA form has their uses at the defer statement; here they
// are needed at the end.
func deferredOperands(fn *ssa.Function) []ssa.Value {
	var vs []ssa.Value
	for d := range api.Of[*ssa.Defer](fn) {
		for _, op := range d.Operands(nil) {
			if *op != nil {
				vs = append(vs, *op)
			}
		}
	}
	return vs
}

// Forget drops the values that aren't live at the beginning of a block. At loop heads, and where paths meet after the
// end of an arena, it also drops unreachable memory. The block's own phis were computed on the edge.
//
// It saves time, and it is needed: otherwise a dead value that one iteration left in a variable would be joined with
// the next iteration's, and memory that one path has reclaimed and made unreachable with the same memory on another.
func (s *State) Forget(l *Live, to *ssa.BasicBlock) {
	maps.DeleteFunc(s.vals, func(v ssa.Value, _ Value) bool {
		phi, ok := v.(*ssa.Phi)
		_, computed := v.(ssa.Instruction)
		return computed && !l.is(l.numbers[v], to) && (!ok || phi.Block() != to)
	})
	if s.ended && len(to.Preds) > 1 || slices.ContainsFunc(to.Preds, to.Dominates) {
		s.collect()
	}
}

// collect drops unreachable memory. It is a garbage collector, with live values and memory from before the call as
// roots: callers hold the latter.
func (s *State) collect() {
	s.Spend(s.Size() / rowsPerStep)
	var work []*Loc
	reached := map[*Loc]bool{}
	reach := func(v Value) {
		for n := range v {
			if l := v[n].node.Loc; l != nil && !l.Unknown && !reached[l] {
				reached[l] = true
				work = append(work, l)
			}
		}
	}
	for _, v := range s.vals {
		reach(v)
	}
	for c, v := range s.cells {
		if c.Loc.Unknown {
			reach(v)
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, path := range l.Paths {
			reach(s.cells[Cell{l, path}])
		}
	}
	maps.DeleteFunc(s.cells, func(c Cell, _ Value) bool { return !c.Loc.Unknown && !reached[c.Loc] })
}
