package code

import (
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// This file answers questions about control flow and loops.

// Leads reports whether control may get from one instruction to another without passing a third.
func Leads(from, to, without ssa.Instruction, spend func(int)) bool {
	return To(to, without, spend)(from)
}

// To is Leads for many starting instructions.
func To(to, without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	return leads(map[*ssa.BasicBlock]int{to.Block(): slices.Index(to.Block().Instrs, to)}, without, spend)
}

// ToReturn returns a function that reports whether control may get from an instruction to a return without passing
// another.
func ToReturn(without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	returns := map[*ssa.BasicBlock]int{}
	for r := range api.Of[*ssa.Return](without.Parent()) {
		if r != without {
			returns[r.Block()] = len(r.Block().Instrs) - 1
		}
	}
	return leads(returns, without, spend)
}

// leads is To for several targets, given by their indices in blocks. It walks backwards through the blocks once:
// functions with many calls use it for each pair of them.
func leads(to map[*ssa.BasicBlock]int, without ssa.Instruction, spend func(int)) func(from ssa.Instruction) bool {
	// within reports whether control gets from the n-th instruction of a block to its target, or else to the block's
	// end.
	within := func(b *ssa.BasicBlock, n int) (there, on bool) {
		end := len(b.Instrs)
		if without != nil && without.Block() == b {
			if at := slices.Index(b.Instrs, without); at >= n {
				end = at
			}
		}
		goal, ok := to[b]
		return ok && n <= goal && goal <= end, end == len(b.Instrs)
	}
	begins, first := map[*ssa.BasicBlock]bool{}, []*ssa.BasicBlock{} // control gets to a target from their beginning
	for b := range to {
		if there, _ := within(b, 0); there {
			first = append(first, b)
		}
	}
	build.Walk(begins, first, func(b *ssa.BasicBlock) []*ssa.BasicBlock {
		spend(1)
		return slices.DeleteFunc(slices.Clone(b.Preds), func(p *ssa.BasicBlock) bool {
			_, on := within(p, 0)
			return !on
		})
	})
	return func(from ssa.Instruction) bool {
		b := from.Block()
		there, on := within(b, slices.Index(b.Instrs, from)+1)
		return there || on && slices.ContainsFunc(b.Succs, func(next *ssa.BasicBlock) bool { return begins[next] })
	}
}

// After returns the instructions that may run after one, each once.
func After(i ssa.Instruction) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		b, after := i.Block(), map[*ssa.BasicBlock]bool{}
		build.Walk(after, b.Succs, build.Succs)
		if !after[b] && !all(b.Instrs[slices.Index(b.Instrs, i)+1:], yield) {
			return
		}
		for _, b := range i.Parent().Blocks {
			if after[b] && !all(b.Instrs, yield) {
				return
			}
		}
	}
}

func all(list []ssa.Instruction, yield func(ssa.Instruction) bool) bool {
	return !slices.ContainsFunc(list, func(i ssa.Instruction) bool { return !yield(i) })
}

// Waits reports whether an instruction may wait until others are done.
func Waits(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return slices.ContainsFunc(i.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly })
	case ssa.CallInstruction:
		return std.Waits(CalleeName(i.Common()))
	}
	return false
}

// Always reports whether all paths to a return pass an instruction, or a loop in which each iteration passes it.
func Always(i ssa.Instruction, spend func(int)) bool {
	first := i.Parent().Blocks[0].Instrs[0]
	if i == first || !ToReturn(i, spend)(first) {
		return true
	}
	for b := i.Block(); b != nil; b = b.Idom() {
		if l := LoopFrom(b); l != nil && l[i.Block()] && b.Instrs[0] != i {
			return !Leads(b.Instrs[len(b.Instrs)-1], b.Instrs[0], i, spend) && Always(b.Instrs[0], spend)
		}
	}
	return false
}

// A Loop is the set of its blocks.
type Loop map[*ssa.BasicBlock]bool

// LoopFrom returns the loop whose head is a block, nil if there is none. It has one end for each edge back to its head:
// the end of its body, and each continue.
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

// IsLeftTo reports whether one of some blocks is after the loop.
func (l Loop) IsLeftTo(list []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool {
		return !l[b] && slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return l[p] })
	})
}

// This part computes the order in which functions are analyzed.

// Circles orders the functions of a package, callees first: the postorder of a depth-first search. Circles of functions
// that call each other have no such order; they are kept together (the strongly connected components of Tarjan,
// Depth-first search and linear graph algorithms, 1972), and need more rounds. Literals come before the function around
// them, which is usually their caller.
func Circles(pkg *ssa.Package, all []*ssa.Function) [][]*ssa.Function {
	l := listing{pkg: pkg, low: map[*ssa.Function]int{}, open: map[*ssa.Function]bool{}}
	for _, fn := range all {
		l.visit(fn)
	}
	return l.circles
}

// A listing is a search for circles.
type listing struct {
	pkg     *ssa.Package
	low     map[*ssa.Function]int  // the first function reachable in its circle, by number, from 1
	open    map[*ssa.Function]bool // the circle isn't complete yet
	stack   []*ssa.Function        // open functions, in the order of discovery
	done    []*ssa.Function        // open functions, callees first
	circles [][]*ssa.Function
}

func (l *listing) visit(fn *ssa.Function) {
	// Other functions have a fact, or nothing: no source, no blocks.
	if fn == nil || l.low[fn] != 0 || fn.Pkg != l.pkg || len(fn.Blocks) == 0 {
		return
	}
	number := len(l.low) + 1
	l.low[fn], l.open[fn] = number, true
	l.stack = append(l.stack, fn)
	calls := func(callee *ssa.Function) {
		l.visit(callee)
		if l.open[callee] {
			l.low[fn] = min(l.low[fn], l.low[callee])
		}
	}
	for _, anon := range fn.AnonFuncs {
		calls(anon)
	}
	for c := range api.Calls(fn) {
		calls(api.StaticCallee(c.Common()))
	}
	l.done = append(l.done, fn)
	if l.low[fn] == number {
		l.close(fn)
	}
}

// close pops the circle that begins with a function. The functions completed since its discovery are the circle,
// callees first.
func (l *listing) close(first *ssa.Function) {
	n := slices.Index(l.stack, first)
	size := len(l.stack) - n
	l.stack = l.stack[:n]
	circle := slices.Clone(l.done[len(l.done)-size:])
	l.done = l.done[:len(l.done)-size]
	for _, fn := range circle {
		delete(l.open, fn)
	}
	l.circles = append(l.circles, circle)
}

// This part finds returns of functions that had nothing to do. It must not depend on states.

// ReturnsUnchanged reports whether a return is taken because the function's input is empty, before it has done
// anything. The other returns make the summary: after a caller has filled the input, those count.
//
//	func (b *batch) flush() error {
//		if len(b.rows) == 0 {
//			return nil
//		}
//		defer b.arena.Reset()
//		return b.write()
//	}
func ReturnsUnchanged(i *ssa.Return) bool {
	for b := i.Block(); isQuiet(b); b = b.Preds[0] {
		if len(b.Preds) != 1 {
			return false
		}
		branch := build.Branch(b.Preds[0])
		if branch != nil && isPartOfGiven(EmptyIf(branch.Cond, b.Preds[0].Succs[0] == b)) {
			return true
		}
	}
	return false
}

// isQuiet reports whether a block changes nothing, but for locks.
func isQuiet(b *ssa.BasicBlock) bool {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.Store:
			if _, isOwn := i.Addr.(*ssa.Alloc); !isOwn { // such as a result, where something is deferred
				return false
			}
		case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Select, *ssa.Panic:
			return false
		case ssa.CallInstruction:
			if api.Builtin(i.Common()) == "" && !isOfPackage(CalleeName(i.Common()), "sync", "errors", "fmt") {
				return false
			}
		}
	}
	return true
}

// isOfPackage reports whether a function's name is of one of some packages.
func isOfPackage(name string, packages ...string) bool {
	name = strings.TrimLeft(name, "(*")
	for _, p := range packages {
		if strings.HasPrefix(name, p+".") {
			return true
		}
	}
	return false
}

// EmptyIf returns the value that is empty, or lacks the element, if a condition is true or false, as holds says; nil if
// unknown:
//
//	x == nil   len(x) == 0   _, ok := x[k]; !ok
func EmptyIf(cond ssa.Value, holds bool) ssa.Value {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return EmptyIf(c.X, !holds)
		}
	case *ssa.Extract:
		if look, ok := c.Tuple.(*ssa.Lookup); ok && c.Index == 1 && !holds {
			return look.X
		}
	case *ssa.BinOp:
		if c.Op == token.EQL && holds || c.Op == token.NEQ && !holds {
			if x := equalsNothing(c.X, c.Y); x != nil {
				return x
			}
			return equalsNothing(c.Y, c.X)
		}
	}
	return nil
}

// equalsNothing returns the value that is empty if x is k.
func equalsNothing(x, k ssa.Value) ssa.Value {
	c, ok := k.(*ssa.Const)
	switch {
	case !ok:
	case c.IsNil() && !state.IsHandle(x.Type()), c.Value != nil && c.Value.ExactString() == `""`:
		return x
	case c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() == 0:
		if call, ok := x.(*ssa.Call); ok && api.IsBuiltin(call, "len") {
			return call.Call.Args[0]
		}
	}
	return nil
}

// isPartOfGiven reports whether a value is in a field of a parameter, or of a captured variable.
func isPartOfGiven(v ssa.Value) bool {
	if _, ok := v.(*ssa.Parameter); ok || v == nil || shape.IsString(v.Type()) {
		return false // the caller knows whether a parameter is nil
	}
	switch Source(v).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	}
	return false
}
