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
func Leads(from, to, without ssa.Instruction, spend func(int)) (leads bool) {
	w := defuse.Walk[struct{}]{Visit: func(i ssa.Instruction, s struct{}) (struct{}, bool) {
		spend(1)
		leads = leads || i == to
		return s, !leads && i != without
	}}
	w.Behind(from, struct{}{})
	return leads
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
