package code

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds what is known of the turns of a loop: that a value is another one in each,
// and that a loop waits.

// Leads reports whether control may come from one instruction to another without passing a third.
func Leads(from, to, without ssa.Instruction, spend func(int)) bool {
	return leads(from, func(i ssa.Instruction) bool { return i == to }, without, spend)
}

// Returns reports whether control may come from an instruction to a return without passing another.
func Returns(from, without ssa.Instruction, spend func(int)) bool {
	isReturn := func(i ssa.Instruction) bool {
		_, ok := i.(*ssa.Return)
		return ok && i != without
	}
	return leads(from, isReturn, without, spend)
}

func leads(from ssa.Instruction, to func(ssa.Instruction) bool, without ssa.Instruction, spend func(int)) (leads bool) {
	w := defuse.Walk[struct{}]{Visit: func(i ssa.Instruction, s struct{}) (struct{}, bool) {
		spend(1)
		leads = leads || to(i)
		return s, !leads && i != without
	}}
	w.Behind(from, struct{}{})
	return leads
}

// Always reports whether all ways through a function that return lead past an instruction.
func Always(i ssa.Instruction, spend func(int)) bool {
	first := i.Parent().Blocks[0].Instrs[0]
	return i == first || !Returns(first, i, spend)
}

// A Loop is its blocks.
type Loop map[*ssa.BasicBlock]bool

// LoopFrom returns the loop that begins with a block, nil if there is none. It has as many
// ends as there are ways back to its beginning: that of its body, and each continue.
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

// IsLeftTo reports whether one of some blocks is behind the loop.
func (l Loop) IsLeftTo(list []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool {
		return !l[b] && slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return l[p] })
	})
}
