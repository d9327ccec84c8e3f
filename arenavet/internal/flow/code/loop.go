package code

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds what is known of the turns of a loop: that a value is another one in each, and that a loop waits.

// Leads says whether control may come from one instruction to another without passing a third.
func Leads(from, to, without ssa.Instruction, spend func(int)) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(list []ssa.Instruction, b *ssa.BasicBlock) bool
	walk = func(list []ssa.Instruction, b *ssa.BasicBlock) bool {
		spend(len(list))
		for _, i := range list {
			if i == to {
				return true
			}
			if i == without {
				return false
			}
		}
		for _, succ := range b.Succs {
			if !seen[succ] {
				seen[succ] = true
				if walk(succ.Instrs, succ) {
					return true
				}
			}
		}
		return false
	}
	b := from.Block()
	for n, i := range b.Instrs {
		if i == from {
			return walk(b.Instrs[n+1:], b)
		}
	}
	return true
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

// IsLeftTo says whether one of some blocks is behind the loop.
func (l Loop) IsLeftTo(list []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool {
		return !l[b] && slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return l[p] })
	})
}
