package code

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file answers questions about control flow and loops.

// Leads reports whether control may get from one instruction to another without passing a third.
func Leads(from, to, without ssa.Instruction, spend func(int)) bool {
	return To(to, without, spend)(from)
}

// To is Leads for many starting instructions.
func To(to, without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	return leads(map[*ssa.BasicBlock]int{to.Block(): slices.Index(to.Block().Instrs, to)}, without, spend)
}

// ToReturn returns a function that reports whether control may get from an instruction to a return without passing
// another.
func ToReturn(without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	returns := map[*ssa.BasicBlock]int{}
	for _, b := range without.Parent().Blocks {
		last := len(b.Instrs) - 1
		if r, ok := b.Instrs[last].(*ssa.Return); ok && r != without {
			returns[b] = last
		}
	}
	return leads(returns, without, spend)
}

// leads is To for several targets, given by their indices in blocks. It walks backwards through the blocks once:
// functions with many calls use it for each pair of them.
func leads(to map[*ssa.BasicBlock]int, without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	// within reports whether control gets from the n-th instruction of a block to its target, or else to the block's
	// end.
	within := func(b *ssa.BasicBlock, n int) (there, on bool) {
		end := len(b.Instrs)
		if without != nil && without.Block() == b {
			if at := slices.Index(b.Instrs, without); at >= n {
				end = at
			}
		}
		goal, ok := to[b]
		return ok && n <= goal && goal <= end, end == len(b.Instrs)
	}
	begins, first := map[*ssa.BasicBlock]bool{}, []*ssa.BasicBlock{} // control gets to a target from their beginning
	for b := range to {
		if there, _ := within(b, 0); there {
			first = append(first, b)
		}
	}
	build.Walk(begins, first, func(b *ssa.BasicBlock) []*ssa.BasicBlock {
		spend(1)
		return slices.DeleteFunc(slices.Clone(b.Preds), func(p *ssa.BasicBlock) bool {
			_, on := within(p, 0)
			return !on
		})
	})
	return func(from ssa.Instruction) bool {
		b := from.Block()
		there, on := within(b, slices.Index(b.Instrs, from)+1)
		return there || on && slices.ContainsFunc(b.Succs, func(next *ssa.BasicBlock) bool { return begins[next] })
	}
}

// Always reports whether all paths to a return pass an instruction, or a loop in which each iteration passes it.
func Always(i ssa.Instruction, spend func(int)) bool {
	first := i.Parent().Blocks[0].Instrs[0]
	if i == first || !ToReturn(i, spend)(first) {
		return true
	}
	for b := i.Block(); b != nil; b = b.Idom() {
		if l := LoopFrom(b); l != nil && l[i.Block()] && b.Instrs[0] != i {
			return !Leads(b.Instrs[len(b.Instrs)-1], b.Instrs[0], i, spend) && Always(b.Instrs[0], spend)
		}
	}
	return false
}

// A Loop is the set of its blocks.
type Loop map[*ssa.BasicBlock]bool

// LoopFrom returns the loop whose head is a block, nil if there is none. It has one end for each edge back to its head:
// the end of its body, and each continue.
func LoopFrom(b *ssa.BasicBlock) Loop {
	var ends []*ssa.BasicBlock
	for _, p := range b.Preds {
		if b.Dominates(p) {
			ends = append(ends, p)
		}
	}
	if ends == nil {
		return nil
	}
	l := Loop{b: true}
	build.Walk(l, ends, build.Preds)
	return l
}

// IsLeftTo reports whether one of some blocks is after the loop.
func (l Loop) IsLeftTo(list []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool {
		return !l[b] && slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return l[p] })
	})
}
