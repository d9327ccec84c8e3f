// Package appendgrow finds calls of the builtin append that may move an arena's slice to the Go heap.
package appendgrow

import (
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/facts"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
)

const doc = `report calls of the builtin append that may grow a slice out of its arena

Where the capacity doesn't suffice, the builtin append allocates from the Go
heap: the slice silently leaves the arena, the GC has work again, and in a
self-contained arena, whose values the GC doesn't look into, a value that holds
the new slice points to memory that is freed while it is in use.

Use arena.Append(a, s, items...), which grows the slice within the arena; the
suggested fix does that. arena.Grow makes room beforehand.

Not reported are appends that are taken to have room: where the capacity was computed,
or is constant and the append isn't in a loop, or in one that goes round as often;
behind a test of cap(s); to a part of the slice, of the rest of it.`

// Analyzer reports calls of the builtin append on slices in an arena.
var Analyzer = rules.Check("appendgrow", doc, run, results)

// results finds the functions that return slices in arenas.
var results = facts.Analyzer("arenaslices", "find functions that return slices in arenas", findResults,
	new(arenaSlices))

// arenaSlices is a fact about a function: a bit for each result that is an arena slice.
type arenaSlices struct{ Results uint64 }

func (*arenaSlices) AFact() {}

// A checker checks one package.
type checker struct {
	facts.Table[arenaSlices, *arenaSlices]
}

func findResults(pass *analysis.Pass) *checker {
	c := &checker{facts.New[arenaSlices](pass, program.Of(pass))}
	c.Solve(math.MaxInt, arenaSlices{}, c.results)
	return c
}

// results returns a bit for each result of a function that is an arena slice.
func (c *checker) results(fn *ssa.Function) (found arenaSlices) {
	for i := range min(fn.Signature.Results().Len(), 64) {
		if len(c.returned(fn, i)) > 0 {
			found.Results |= 1 << i
		}
	}
	return found
}

// returned returns the allocations behind a function's result, if that is a slice.
func (c *checker) returned(fn *ssa.Function, result int) (found []ssa.Value) {
	if _, ok := fn.Signature.Results().At(result).Type().Underlying().(*types.Slice); !ok {
		return nil
	}
	for ret := range api.Of[*ssa.Return](fn) {
		found = append(found, c.sources(ret.Results[result])...)
	}
	return found
}

// sources returns the origins of a slice that are allocations in an arena, or results of functions that return such
// slices.
func (c *checker) sources(v ssa.Value) (found []ssa.Value) {
	defuse.Of(v, func(v ssa.Value) bool {
		c.Guard.Spend(1)
		if call, i := result(v); call != nil && c.allocates(call, i) {
			found = append(found, v)
			return false
		}
		switch v.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr: // an element that is a slice itself
			return false
		}
		return true
	})
	return found
}

// result returns the call whose i-th result is the value, or nil.
func result(v ssa.Value) (call *ssa.Call, i int) {
	if e, ok := v.(*ssa.Extract); ok {
		call, _ = e.Tuple.(*ssa.Call)
		return call, e.Index
	}
	call, _ = v.(*ssa.Call)
	return call, 0
}

// allocates reports whether a result of a call is a slice in an arena.
func (c *checker) allocates(call *ssa.Call, result int) bool {
	if f := api.Callee(&call.Call); f != nil {
		return f.Verb == api.Alloc && result == 0 && !defuse.IsNil(api.Arg(&call.Call, f.From))
	}
	s := c.Callee(&call.Call)
	return s != nil && result < 64 && s.Results>>result&1 != 0
}

func run(pass *analysis.Pass) {
	c := pass.ResultOf[results].(*checker)
	var f fixer
	for _, fn := range c.Funcs {
		c.Guard.Run(fn, func() { c.check(pass, fn, &f) })
	}
}

// check reports the appends of one function.
func (c *checker) check(pass *analysis.Pass, fn *ssa.Function, f *fixer) {
	for call := range api.Of[*ssa.Call](fn) {
		if !api.IsBuiltin(call, "append") {
			continue
		}
		unfit := func(source ssa.Value) bool { return !fits(call, source) }
		if sources := c.sources(call.Call.Args[0]); slices.ContainsFunc(sources, unfit) {
			source := sources[slices.IndexFunc(sources, unfit)]
			f.init(pass)
			ignore.Report(pass, analysis.Diagnostic{
				Pos: call.Pos(), Message: message(source), SuggestedFixes: f.fix(call, source)})
		}
	}
}

func message(source ssa.Value) string {
	from := "a function"
	if call, _ := result(source); call != nil {
		if f := api.Callee(&call.Call); f != nil {
			from = f.Name
		} else if fn := call.Call.StaticCallee(); fn != nil {
			from = fn.Name()
		}
	}
	return "append may move this arena slice, from " + from + ", to the heap: use arena.Append"
}

// lengthOf returns the high bound of a slice expression that starts at 0.
func lengthOf(v ssa.Value) ssa.Value {
	if s, ok := v.(*ssa.Slice); ok && s.Low == nil {
		return s.High
	}
	return nil
}

// builtin returns the argument of a call of len or cap.
func builtin(v ssa.Value, name string) ssa.Value {
	if call, ok := v.(*ssa.Call); ok && api.IsBuiltin(call, name) {
		return call.Call.Args[0]
	}
	return nil
}

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
			return int(shape.Elem(array.Type()).Underlying().(*types.Array).Len()), true
		}
		return defuse.Int(lengthOf(s))
	}
	return defuse.Int(v)
}

// fits reports whether an append to a slice from source certainly stays within its capacity. A computed capacity is
// assumed to suffice: nobody computes a capacity for nothing. A constant one is assumed to suffice for an append
// outside of loops; a loop must be bounded by the spare capacity.
func fits(call *ssa.Call, source ssa.Value) bool {
	// s[:n:n] limits its capacity, so that append makes a copy.
	if s, ok := call.Call.Args[0].(*ssa.Slice); ok && s.Max != nil || guarded(call) || removes(call) {
		return true
	}
	length, capacity := roomOf(source)
	if capacity == nil {
		return isCut(call, nil) // such as a filter
	}
	most, constant := defuse.Int(capacity)
	if !constant {
		return length != capacity || isCut(call, nil)
	}
	least, _ := defuse.Int(length)
	if loop := ownLoop(call.Block(), source); len(loop) > 0 && !isCut(call, loop) {
		return bounded(loop, most-least)
	}
	return (least < most || isCut(call, nil)) && source.Parent() == call.Parent() && hasLength(call.Call.Args[1])
}

// roomOf returns the length and the capacity of an allocated slice; the capacity is nil if the slice is allocated full.
func roomOf(source ssa.Value) (length, capacity ssa.Value) {
	call, ok := source.(*ssa.Call)
	if !ok {
		return nil, nil
	}
	f := api.Callee(&call.Call)
	if f == nil {
		return nil, nil
	}
	switch f.Name {
	case "MakeSlice", "MakeSliceUninit":
		return api.Arg(&call.Call, 1), api.Arg(&call.Call, 2)
	case "Arena.AllocBytes", "Arena.AllocBytesUninit":
		return api.Arg(&call.Call, 1), api.Arg(&call.Call, 1)
	case "Grow":
		return nil, api.Arg(&call.Call, 2)
	}
	return nil, nil
}

// isCut reports whether an append is to a part of a slice, or to a value made from one: cut in a loop, if there is one.
func isCut(call *ssa.Call, loop map[*ssa.BasicBlock]bool) bool {
	for v := range defuse.All(call.Call.Args[0]) {
		s, ok := v.(*ssa.Slice)
		if ok && s.High != nil && builtin(s.High, "len") != s.X && (loop == nil || loop[s.Block()]) {
			return true
		}
	}
	return false
}

// hasLength reports whether the number of appended items is known.
func hasLength(items ssa.Value) bool {
	if s, ok := items.(*ssa.Slice); ok && s.Low == nil && s.High == nil {
		array, ok := s.X.(*ssa.Alloc)
		return ok && array.Comment == "varargs"
	}
	_, isConst := items.(*ssa.Const)
	_, isKnown := defuse.Int(lengthOf(items))
	return isConst || isKnown
}
