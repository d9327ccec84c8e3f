package program

import "golang.org/x/tools/go/ssa"

// Walk adds to a set of blocks some others, and those that next leads to from there. It
// doesn't go on behind those that are in the set already.
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

// Preds and Succs are the ways back and forth from a block.
func Preds(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds }
func Succs(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }
