package appendgrow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/program"
)

func arrayLen(array *ssa.Alloc) int {
	return int(array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
}

// lengthOf returns the high bound of a slice expression that starts at 0.
func lengthOf(v ssa.Value) ssa.Value {
	if s, ok := v.(*ssa.Slice); ok && s.Low == nil {
		return s.High
	}
	return nil
}

// limitsCap reports whether a slice expression limits its capacity, as s[:n:n] does, so that append makes a copy.
func limitsCap(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	return ok && s.Max != nil
}

// builtin returns the argument of a call of len or cap.
func builtin(v ssa.Value, name string) ssa.Value {
	if call, ok := v.(*ssa.Call); ok && api.IsBuiltin(call, name) {
		return call.Call.Args[0]
	}
	return nil
}

func isLenOf(v, s ssa.Value) bool { return v != nil && builtin(v, "len") == s }

// removes reports whether an append removes elements from a slice: append(s[:i], s[j:]...) doesn't make it longer.
func removes(call *ssa.Call) bool {
	head, ok := call.Call.Args[0].(*ssa.Slice)
	if !ok || head.High == nil {
		return false
	}
	tail, ok := call.Call.Args[1].(*ssa.Slice)
	return ok && tail.Low != nil && shares(defuse.All(head.X), defuse.All(tail.X))
}

// guarded reports whether an append comes after a condition on the capacity of its slice.
func guarded(call *ssa.Call) bool {
	slice := defuse.All(call.Call.Args[0])
	for b := call.Block(); b.Idom() != nil; b = b.Idom() {
		branch := program.Branch(b.Idom())
		if branch == nil {
			continue
		}
		for leaf := range leaves(branch.Cond) {
			if s := builtin(leaf, "cap"); s != nil && shares(defuse.All(s), slice) {
				return true
			}
		}
	}
	return false
}

// leaves returns the values from which v is computed, itself included.
func leaves(v ssa.Value) map[ssa.Value]bool {
	all := map[ssa.Value]bool{}
	addLeaves(all, v)
	return all
}

func addLeaves(all map[ssa.Value]bool, v ssa.Value) {
	if v == nil || all[v] {
		return
	}
	switch v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return
	}
	all[v] = true
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		for _, s := range defuse.Stored(u.X) {
			addLeaves(all, s)
		}
	}
	if instr, ok := v.(ssa.Instruction); ok {
		if _, alloc := v.(*ssa.Alloc); !alloc {
			for _, op := range instr.Operands(nil) {
				addLeaves(all, *op)
			}
		}
	}
	if f, ok := v.(*ssa.FreeVar); ok {
		addLeaves(all, defuse.Captured(f))
	}
}

func shares(a, b map[ssa.Value]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

// ownLoop returns the blocks of the loops around b that don't contain the allocation. It is empty if there is no loop.
func ownLoop(b *ssa.BasicBlock, source ssa.Value) map[*ssa.BasicBlock]bool {
	var without *ssa.BasicBlock
	if instr, ok := source.(ssa.Instruction); ok {
		without = instr.Block()
	}
	after := reach(b, without, program.Succs)
	before := reach(b, without, program.Preds)
	for x := range after {
		if !before[x] {
			delete(after, x)
		}
	}
	return after
}

// reach returns the blocks reachable from a block by next, without passing through the block without.
func reach(from, without *ssa.BasicBlock, next func(*ssa.BasicBlock) []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	seen := map[*ssa.BasicBlock]bool{without: true}
	program.Walk(seen, next(from), next)
	delete(seen, without)
	return seen
}

// bounded reports whether a loop certainly runs at most n times: a condition that ends it compares with a constant.
func bounded(loop map[*ssa.BasicBlock]bool, n int) bool {
	for b := range loop {
		branch := program.Branch(b)
		if branch == nil || loop[b.Succs[0]] && loop[b.Succs[1]] {
			continue
		}
		if cmp, ok := branch.Cond.(*ssa.BinOp); ok && cmp.Op == token.LSS {
			if bound, ok := size(cmp.Y); ok && bound <= n {
				return true
			}
		}
	}
	return false
}

// size returns the constant that v is, or the constant length in v = len(s). make([]T, 5) is a slice of an array,
// unless T is a type parameter.
func size(v ssa.Value) (int, bool) {
	switch s := builtin(v, "len").(type) {
	case *ssa.MakeSlice:
		return defuse.Int(s.Len)
	case *ssa.Slice:
		if array, ok := s.X.(*ssa.Alloc); ok && s.Low == nil && s.High == nil {
			return arrayLen(array), true
		}
		return defuse.Int(lengthOf(s))
	}
	return defuse.Int(v)
}
