package state

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file drops values that no instruction uses any more, and the memory that only they lead to. That keeps the
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
	for i := range api.Instrs(fn) {
		d, ok := i.(*ssa.Defer)
		if !ok {
			continue
		}
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
	s.vals.keep(func(r *row[ssa.Value]) bool {
		if l.is(r.number, to) {
			return true
		}
		phi, ok := r.key.(*ssa.Phi)
		if _, computed := r.key.(ssa.Instruction); !computed || ok && phi.Block() == to {
			return true
		}
		return false
	})
	if s.ended && len(to.Preds) > 1 || slices.ContainsFunc(to.Preds, to.Dominates) {
		s.collect()
	}
}

// collect drops unreachable memory. It is a garbage collector, with live values and memory from before the call as
// roots: callers hold the latter.
func (s *State) collect() {
	s.Spend((len(s.vals.list) + len(s.cells.list)) / rowsPerStep)
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
	for n := range s.vals.list {
		reach(s.vals.list[n].value)
	}
	for n := range s.cells.list {
		if r := &s.cells.list[n]; r.key.Loc.Unknown {
			reach(r.value)
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range l.cells {
			v, _ := s.cells.get(c.number, &c.at)
			reach(v)
		}
	}
	s.cells.keep(func(r *row[*cell]) bool { return r.key.Loc.Unknown || reached[r.key.Loc] })
}
