package code

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
)

// This file determines which instructions can run in the same call of a function. States are joined where paths meet,
// so the branches of two tests of one condition look as if both could have been taken: a finding across them is wrong.
// It must not depend on states: conditions are a matter of the code.

// A Paths knows the conditions of one function's blocks.
type Paths struct {
	Fn     *ssa.Function
	needed map[*ssa.BasicBlock]map[string]bool // results of Conditions
	asked  map[string]int                      // number of branches on a condition
	spend  func(int)
}

// NewPaths returns the conditions of a function. spend counts their cost; see package guard.
func NewPaths(fn *ssa.Function, spend func(int)) Paths {
	return Paths{fn, map[*ssa.BasicBlock]map[string]bool{}, map[string]int{}, spend}
}

// Contradict reports whether two instructions can't both run, because one needs a condition to be true and the other
// needs it to be false:
//
//	if pooled { a = pool.Get() }
//	x := New[T](a)
//	if pooled { pool.Put(a) }
//	if !pooled { x.n++ }      not after Put
//
// The callers ask it about an instruction that ends something and one that uses it. Conditions of other functions are
// unknown.
func (p Paths) Contradict(a, b ssa.Instruction) bool {
	if a.Parent() != p.Fn || b.Parent() != p.Fn {
		return false
	}
	needed := p.Conditions(a.Block())
	for c, yes := range p.Conditions(b.Block()) {
		if other, ok := needed[c]; ok && other != yes {
			return true
		}
	}
	return false
}

// Depends reports whether an arena is nil by a condition that another branch tests, too. On that branch its allocations
// are on the heap, which states can't express:
//
//	if hot { a = nil }
//	x := New[T](a)
//	if hot { cache[k] = x }
func (p Paths) Depends(a *ssa.Phi) bool {
	if len(p.asked) == 0 {
		for _, b := range p.Fn.Blocks {
			if i := build.Branch(b); i != nil {
				c, _ := ConditionOf(i.Cond)
				p.asked[c]++
			}
		}
	}
	for n, x := range a.Edges {
		for b := a.Block().Preds[n]; defuse.IsNil(x); b = b.Preds[0] {
			if i := build.Branch(b); i != nil {
				if c, _ := ConditionOf(i.Cond); p.asked[c] > 1 {
					return true
				}
			}
			if b == a.Block().Idom() || len(b.Preds) != 1 {
				break
			}
		}
	}
	return false
}

// Conditions returns the conditions under which a block is reached: those of the branches that end its dominators, if
// only one edge of the branch leads here. It is computed once for each block; dominators come with the SSA form.
func (p Paths) Conditions(b *ssa.BasicBlock) map[string]bool {
	if cs := p.needed[b]; cs != nil {
		return cs
	}
	cs := map[string]bool{}
	p.needed[b] = cs
	// Each path to this block has passed its dominators.
	for ; b != nil; b = b.Idom() {
		// If a block has two incoming edges the condition of one of them proves nothing.
		if len(b.Preds) != 1 {
			continue
		}
		from := b.Preds[0]
		if i := build.Branch(from); i != nil && from.Succs[0] != from.Succs[1] && p.stable(i.Cond) {
			c, not := ConditionOf(i.Cond)
			cs[c] = (from.Succs[0] == b) != not
		}
	}
	return cs
}

// ConditionOf returns the text of a condition, which is the same where that is computed again, and whether v is its
// opposite.
func ConditionOf(v ssa.Value) (text string, not bool) { return conditionOf(v, 4) }

// conditionOf is ConditionOf for computations of at most steps steps.
func conditionOf(v ssa.Value, steps int) (text string, not bool) {
	if steps == 0 {
		return fmt.Sprintf("%p", v), false
	}
	switch steps--; v := v.(type) {
	case *ssa.BinOp:
		x, _ := conditionOf(v.X, steps)
		y, _ := conditionOf(v.Y, steps)
		if v.Op == token.NEQ {
			return x + token.EQL.String() + y, true
		}
		return x + v.Op.String() + y, false
	case *ssa.UnOp:
		x, no := conditionOf(v.X, steps)
		if v.Op == token.NOT {
			return x, !no
		}
		return v.Op.String() + x, false
	case *ssa.FieldAddr:
		x, _ := conditionOf(v.X, steps)
		return fmt.Sprintf("%s.%d", x, v.Field), false
	case *ssa.Const:
		return v.String(), false
	}
	return fmt.Sprintf("%p", v), false
}

// stable reports whether a condition has one value for all of a call. Others may change between loop iterations.
func (p Paths) stable(c ssa.Value) bool {
	switch c := c.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case *ssa.BinOp:
		if (defuse.IsNil(c.X) || p.stable(c.X)) && (defuse.IsNil(c.Y) || p.stable(c.Y)) {
			return true
		}
	}
	i, ok := c.(ssa.Instruction)
	return ok && !p.inLoop(i.Block())
}

// inLoop reports whether a block can be reached from itself.
func (p Paths) inLoop(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	build.Walk(seen, b.Succs, build.Succs)
	p.spend(len(seen))
	return seen[b]
}

// ComparedWithNil returns the value that is nil if a block is left by an edge, 0 if the condition is true and 1 if it
// is false; nil if the block doesn't end with such a branch.
func ComparedWithNil(from *ssa.BasicBlock, edge int) ssa.Value {
	branch := build.Branch(from)
	if branch == nil {
		return nil
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL && cond.Op != token.NEQ || (cond.Op == token.EQL) != (edge == 0) {
		return nil
	}
	if defuse.IsNil(cond.Y) {
		return cond.X
	}
	if defuse.IsNil(cond.X) {
		return cond.Y
	}
	return nil
}

// HasKey reports whether a map already has the key of an update: then the map keeps its own key. A branch proves it, on
// the path there, or on one of two joining paths while the other path copies the key.
//
//	if _, ok := m[key]; !ok { key = strings.Clone(key) }
//	m[key]++
func HasKey(i *ssa.MapUpdate) bool {
	if phi, ok := i.Key.(*ssa.Phi); ok {
		for n, p := range phi.Block().Preds {
			if isFound(p, phi.Block(), i.Map, phi.Edges[n]) || hasKey(p, i.Map, phi.Edges[n]) {
				return true
			}
		}
	}
	return hasKey(i.Block(), i.Map, i.Key)
}

// hasKey is HasKey for the code before a block.
func hasKey(b *ssa.BasicBlock, m, key ssa.Value) bool {
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) == 1 && isFound(b.Preds[0], b, m, key) {
			return true
		}
	}
	return false
}

// isFound reports whether an edge is taken only if a map has a key.
func isFound(from, to *ssa.BasicBlock, m, key ssa.Value) bool {
	look, ok := Found(from, slices.Index(from.Succs, to)).(*ssa.Lookup)
	if !ok || look.Index != key {
		return false
	}
	a, _ := ConditionOf(look.X)
	b, _ := ConditionOf(m)
	return a == b
}

// Found returns the look-up that has found its key if a block is left by an edge, nil if there is none.
func Found(from *ssa.BasicBlock, edge int) ssa.Instruction {
	branch := build.Branch(from)
	if branch == nil || from.Succs[0] == from.Succs[1] {
		return nil
	}
	cond := ComparedWithNil(from, 1-edge) // this value isn't nil here
	if cond == nil {
		cond = branch.Cond
		if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
			cond, edge = not.X, 1-edge
		}
		if edge > 0 {
			return nil
		}
	}
	if found, ok := cond.(*ssa.Extract); ok {
		cond = found.Tuple
	}
	look, _ := cond.(ssa.Instruction)
	return look
}
