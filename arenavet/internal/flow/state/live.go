package state

import "golang.org/x/tools/go/ssa"

// This file holds what is forgotten: values that no instruction uses any more, and
// with them what only they lead to. What a loop's earlier turn has left isn't this
// turn's; and the smaller a state, the less there is to look at. It is done on each
// edge between two blocks, since that is where it is known which values are left.

// Live is the values that may be used in a block or after it, though they were not
// computed there. It is a matter of the code alone, and computed once.
type Live map[*ssa.BasicBlock]map[ssa.Value]bool

// LiveIn computes it: a value is live where a use of it can be reached, without
// passing where it is computed. In SSA form one can go backwards from each use
// until there, which takes as long as the result is large (Appel, Modern Compiler
// Implementation, 2nd edition, section 19.6). There is no need to go on until
// nothing changes, as with variables that are assigned more than once.
func LiveIn(fn *ssa.Function) Live {
	l := Live{}
	for _, b := range fn.Blocks {
		l[b] = map[ssa.Value]bool{}
	}
	deferred := deferredOperands(fn)
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
			for _, op := range i.Operands(nil) {
				if *op != nil {
					l.use(*op, b)
				}
			}
		}
	}
	return l
}

// use notes that a value is used in, or at the end of, a block: it is live in that,
// and in all blocks from which it is reached, up to the one that computes the
// value. Where it is live already the way was gone before.
func (l Live) use(v ssa.Value, b *ssa.BasicBlock) {
	def, ok := v.(ssa.Instruction)
	if !ok || def.Block() == nil {
		return // parameters and the like live forever
	}
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == def.Block() || l[b][v] {
			continue
		}
		l[b][v] = true
		work = append(work, b.Preds...)
	}
}

// deferredOperands returns what deferred calls need when they are executed. In SSA
// form they are used where the defer statement is; here they are looked at at the
// end.
func deferredOperands(fn *ssa.Function) []ssa.Value {
	var vs []ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
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
	}
	return vs
}

// Forget drops the values that aren't live at the beginning of a block, and the
// memory that can't be reached any more. The block's own phis were computed on the
// way to it.
//
// That isn't only thrift. Without it what one turn of a loop has left dead in a
// variable would be joined with what the next turn puts there.
func (s *State) Forget(l Live, to *ssa.BasicBlock) {
	live := l[to]
	for v := range s.Vals {
		if i, ok := v.(ssa.Instruction); ok && !live[v] {
			if phi, ok := i.(*ssa.Phi); !ok || phi.Block() != to {
				delete(s.Vals, v)
			}
		}
	}
	s.reach()
	for c := range s.Cells {
		if !c.Loc.Unknown && c.Loc.reached != s.turn {
			delete(s.Cells, c)
		}
	}
}

// reach marks the memory that something leads to, as reached in this turn: values,
// and what was there before the function began. It is the mark phase of a garbage
// collector, with live values as roots. It is done on each edge, so that Locs
// themselves keep what it needs to know of them, and no map.
func (s *State) reach() {
	s.turn++
	work := s.work[:0]
	// What was there before the function began is always reached: callers have it.
	for c, v := range s.Cells {
		switch l := c.Loc; {
		case l.Unknown:
			work = append(work, v)
		case l.listed != s.turn:
			l.listed, l.holds = s.turn, append(l.holds[:0], v)
		default:
			l.holds = append(l.holds, v)
		}
	}
	for _, v := range s.Vals {
		work = append(work, v)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		s.Spend(1 + len(v))
		for _, e := range v {
			l := e.node.Loc
			if e.node.Kind != Ptr || l.reached == s.turn {
				continue
			}
			l.reached = s.turn
			if l.listed == s.turn {
				work = append(work, l.holds...)
			}
		}
	}
	s.work = work
}
