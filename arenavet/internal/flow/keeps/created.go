package keeps

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file recognizes maps that a function fills on demand: metrics, statement caches, interners. The first call with
// a key keeps its arguments, which no caller can rule out.
//
//	if s, ok := c.stmts[query]; ok { return s }
//	c.stmts[query] = prepare(query)

// foundIn returns, by block, the number of the successor that is taken if a key was found in one of the filled maps.
func foundIn(fn *ssa.Function, filled map[any]bool) map[*ssa.BasicBlock]int {
	found := map[*ssa.BasicBlock]int{}
	for _, b := range fn.Blocks {
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		switch cond := i.Cond.(type) {
		case *ssa.Extract:
			if look, ok := cond.Tuple.(ssa.Instruction); ok && cond.Index == 1 && filled[mapOf(look)] {
				found[b] = 0
			}
		case *ssa.BinOp:
			look, ok := cond.X.(*ssa.Lookup)
			if ok && defuse.IsNil(cond.Y) && filled[mapOf(look)] && (cond.Op == token.EQL || cond.Op == token.NEQ) {
				found[b] = 0
				if cond.Op == token.EQL {
					found[b] = 1
				}
			}
		}
	}
	return found
}

// mapOf returns the field or global with the map, or the sync.Map, that an instruction looks something up in or fills.
func mapOf(i ssa.Instruction) any {
	m := ssa.Value(nil)
	switch i := i.(type) {
	case *ssa.Lookup:
		m = i.X
	case *ssa.MapUpdate:
		m = i.Map
	case ssa.CallInstruction:
		switch code.CalleeName(i.Common()) {
		case "(*sync.Map).Load", "(*sync.Map).Store":
			return shape.Holder(i.Common().Args[0])
		}
	}
	if load, ok := m.(*ssa.UnOp); ok {
		return shape.Holder(load.X)
	}
	return nil
}
