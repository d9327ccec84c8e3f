package program

import "golang.org/x/tools/go/ssa"

// Walk adds blocks to a set, and all blocks reachable from them by next. It stops at blocks that are already in the
// set.
func Walk(set map[*ssa.BasicBlock]bool, from []*ssa.BasicBlock, next func(*ssa.BasicBlock) []*ssa.BasicBlock) {
	for len(from) > 0 {
		b := from[len(from)-1]
		from = from[: len(from)-1 : len(from)-1]
		if !set[b] {
			set[b] = true
			from = append(from, next(b)...)
		}
	}
}

// Branch returns the branch at the end of a block, nil if it ends in another way.
func Branch(b *ssa.BasicBlock) *ssa.If {
	branch, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return branch
}

// Preds and Succs return the blocks before and after a block.
func Preds(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds }
func Succs(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }
