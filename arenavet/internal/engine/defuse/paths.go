package defuse

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Walk follows all paths of a function from one place, with a state S.
type Walk[S comparable] struct {
	// Visit returns the state after an instruction, and whether the path goes on there.
	Visit func(i ssa.Instruction, s S) (S, bool)
	// Edge reports whether a path that comes from a block, nil at its beginning, may take the n-th edge from b. Without
	// it all paths may.
	Edge func(from, b *ssa.BasicBlock, n int) bool

	seen map[edge[S]]bool
}

// An edge is taken once with each state.
type edge[S comparable] struct {
	from, to *ssa.BasicBlock
	s        S
}

// Behind follows the paths that begin after an instruction.
func (w *Walk[S]) Behind(i ssa.Instruction, s S) {
	b := i.Block()
	w.along(nil, b, b.Instrs[slices.Index(b.Instrs, i)+1:], s)
}

func (w *Walk[S]) along(from, b *ssa.BasicBlock, instrs []ssa.Instruction, s S) {
	on := true
	for _, i := range instrs {
		if s, on = w.Visit(i, s); !on {
			return
		}
	}
	for n, next := range b.Succs {
		e := edge[S]{b, next, s}
		if w.seen[e] || w.Edge != nil && !w.Edge(from, b, n) {
			continue
		}
		if w.seen == nil {
			w.seen = map[edge[S]]bool{}
		}
		w.seen[e] = true
		w.along(b, next, next.Instrs, s)
	}
}
