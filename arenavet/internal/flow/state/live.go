package state

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file holds what is forgotten: values that no instruction uses any more, and
// with them what only they lead to. What a loop's earlier turn has left isn't this
// turn's; and the smaller a state, the less there is to look at. It is done on each
// edge between two blocks, since that is where it is known which values are left.

// A Live is the values that may be used in a block or after it, though they were not
// computed there, by their numbers and the block's. It is a matter of the code alone, and
// computed once.
type Live struct {
	numbers map[ssa.Value]int // of the function's values; those beyond are never live
	in      [][]uint64        // by block, of each number a bit

	locs, roots, fresh, inner int // see Places.Done
}

// LiveIn computes it: a value is live where a use of it can be reached, without
// passing where it is computed. In SSA form one can go backwards from each use
// until there, which takes as long as the result is large (Appel, Modern Compiler
// Implementation, 2nd edition, section 19.6). There is no need to go on until
// nothing changes, as with variables that are assigned more than once.
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
			case *ssa.Phi: // uses each value at the end of the block that it comes from
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

// use notes that a value is used in, or at the end of, a block: it is live in that,
// and in all blocks from which it is reached, up to the one that computes the
// value. Where it is live already the way was gone before.
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

// deferredOperands returns what deferred calls need when they are executed. In SSA
// form they are used where the defer statement is; here they are looked at at the
// end.
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

// Forget drops the values that aren't live at the beginning of a block, and, at that of a loop, and where
// ways meet behind the end of an arena, the memory that can't be reached any more. The block's own phis were
// computed on the way to it.
//
// It doesn't only save time. Without it what one turn of a loop has left dead in a
// variable would be joined with what the next turn puts there, and what a way has reclaimed, after it has
// cleared what led to it, with what is there on another.
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

// collect forgets memory that can't be reached. It is a garbage collector, with live values as roots, and
// what was there before the function began: callers have that.
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
