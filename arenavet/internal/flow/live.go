package flow

import "golang.org/x/tools/go/ssa"

// live is the values that may be used in a block or after it, though they were
// not computed there. Others are forgotten, and with them what only they lead
// to: what a loop's earlier turn has left isn't this turn's.
type live map[*ssa.BasicBlock]map[ssa.Value]bool

// liveIn computes it: a value is live where a use of it can be reached, without
// passing where it is computed.
func liveIn(fn *ssa.Function) live {
	l := live{}
	for _, b := range fn.Blocks {
		l[b] = map[ssa.Value]bool{}
	}
	deferred := deferredOperands(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Phi:
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

// use notes that a value is used in, or at the end of, a block.
func (l live) use(v ssa.Value, b *ssa.BasicBlock) {
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

// deferredOperands returns what deferred calls need when they are executed.
func deferredOperands(fn *ssa.Function) []ssa.Value {
	var vs []ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				for _, op := range d.Operands(nil) {
					if *op != nil {
						vs = append(vs, *op)
					}
				}
			}
		}
	}
	return vs
}

// forgetDead drops the values that aren't live at the beginning of a block, and
// the memory that can't be reached any more.
func (f *function) forgetDead(s *state, to *ssa.BasicBlock) {
	live := f.live[to]
	for v := range s.vals {
		if i, ok := v.(ssa.Instruction); ok && !live[v] {
			if phi, ok := i.(*ssa.Phi); !ok || phi.Block() != to {
				delete(s.vals, v)
			}
		}
	}
	reached := map[*loc]bool{}
	cells := map[*loc][]value{}
	var work []value
	for c, v := range s.cells {
		if c.loc.unknown {
			work = append(work, v)
		} else {
			cells[c.loc] = append(cells[c.loc], v)
		}
	}
	for _, v := range s.vals {
		work = append(work, v)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		f.spend(1 + len(v))
		for t := range v {
			if t.kind == ptr && !reached[t.loc] {
				reached[t.loc] = true
				work = append(work, cells[t.loc]...)
			}
		}
	}
	for c := range s.cells {
		if !c.loc.unknown && !reached[c.loc] {
			delete(s.cells, c)
		}
	}
}
