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

// Always reports whether all ways through a function that return lead past an instruction, or past a
// loop in which each turn leads past it.
func Always(i ssa.Instruction, spend func(int)) bool {
	first := i.Parent().Blocks[0].Instrs[0]
	if i == first || !Returns(first, i, spend) {
		return true
	}
	for b := i.Block(); b != nil; b = b.Idom() {
		if l := LoopFrom(b); l != nil && l[i.Block()] && b.Instrs[0] != i {
			return !Leads(b.Instrs[len(b.Instrs)-1], b.Instrs[0], i, spend) && Always(b.Instrs[0], spend)
		}
	}
	return false
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
