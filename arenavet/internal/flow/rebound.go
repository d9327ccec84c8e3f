package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds what is known of the turns of a loop: that a value is another one in each, and that a loop waits.

// another says whether an arena that a call is given is another one than that which d has ended, though both have
// one name: it is got from an element of something, and each way from there to here gets another element.
//
//	for w := range work {
//		w.arena.AllocString("done")
//		pool.Put(w.arena)
//	}
func (f *function) another(d *state.Death, i ssa.Instruction, from []ssa.Value) bool {
	if d.At.Parent() != f.fn || i.Parent() != f.fn || len(from) == 0 || !leads(d.At, i, nil, f.spend) {
		return false
	}
	for _, x := range from {
		got, ok := source(x).(ssa.Instruction)
		if !ok || leads(d.At, i, got, f.spend) {
			return false
		}
	}
	return true
}

// arenasOf returns what a call is given that stands for an arena.
func arenasOf(c *ssa.CallCommon) (list []ssa.Value) {
	for _, x := range c.Args {
		if state.IsHandle(x.Type()) {
			list = append(list, x)
		}
	}
	if c.IsInvoke() && state.IsHandle(c.Value.Type()) {
		list = append(list, c.Value)
	}
	return list
}

// source returns the value of which another one is a part, or to which it leads: what a loop gets anew, as far as
// fields and pointers are followed.
func source(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Extract:
			v = x.Tuple
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			v = x.X
		default:
			return v
		}
	}
}

// leads says whether control may come from one instruction to another without passing a third.
func leads(from, to, without ssa.Instruction, spend func(int)) bool {
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

// A loop is its blocks.
type loop map[*ssa.BasicBlock]bool

// waitingLoops returns the loops that wait for others in some block, by the first one. Whoever leaves one at its
// condition has waited as often as was to be waited: that the loop isn't executed at all means that there is nobody
// to wait for.
//
//	for range n { go func() { use(x); done <- true }() }
//	for range n { <-done }
func (f *function) waitingLoops() map[*ssa.BasicBlock]loop {
	var loops map[*ssa.BasicBlock]loop
	for _, b := range f.fn.Blocks {
		l := loopFrom(b)
		if l == nil || !f.waitsIn(l) {
			continue
		}
		if loops == nil {
			loops = map[*ssa.BasicBlock]loop{}
		}
		for _, p := range b.Preds { // of range n, which asks whether n > 0 before the loop
			if !l[p] && l.isLeftTo(p.Succs) {
				loops[p] = l
			}
		}
		loops[b] = l
	}
	return loops
}

// loopFrom returns the loop that begins with a block, nil if there is none. It has as many
// ends as there are ways back to its beginning: that of its body, and each continue.
func loopFrom(b *ssa.BasicBlock) loop {
	var ends []*ssa.BasicBlock
	for _, p := range b.Preds {
		if b.Dominates(p) {
			ends = append(ends, p)
		}
	}
	if ends == nil {
		return nil
	}
	l := loop{b: true}
	build.Walk(l, ends, build.Preds)
	return l
}

// isLeftTo says whether one of some blocks is behind the loop.
func (l loop) isLeftTo(list []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(list, func(b *ssa.BasicBlock) bool {
		return !l[b] && slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return l[p] })
	})
}

// waitsIn says whether a loop receives from a channel, or calls what waits, and starts no goroutine, for which it
// would have to wait again.
func (f *function) waitsIn(l loop) bool {
	yes := false
	for b := range l {
		f.spend(len(b.Instrs))
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Go); ok {
				return false
			}
			yes = yes || f.isWait(i)
		}
	}
	return yes
}

// isWait says whether an instruction receives from a channel, or calls what waits.
func (f *function) isWait(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Send:
		return isSignal(i.X.Type())
	case *ssa.Select:
		return i.Blocking
	case *ssa.Call:
		if fn := i.Call.StaticCallee(); fn != nil {
			sum := f.pkg.summary(fn)
			return std.Waits(f.pkg.calleeName(&i.Call)) || sum != nil && sum.Waits
		}
	}
	return false
}

// waitsAfter says whether the function may wait for others in a block behind that of an
// instruction.
func (f *function) waitsAfter(i ssa.Instruction) bool {
	after := loop{}
	build.Walk(after, i.Block().Succs, build.Succs)
	for b := range after {
		f.spend(len(b.Instrs))
		if slices.ContainsFunc(b.Instrs, f.isWait) {
			return true
		}
	}
	return false
}

// argument returns the n-th argument of a call, the receiver first; nil if it has no such one.
func argument(i ssa.CallInstruction, n int) ssa.Value {
	c := i.Common()
	if c.IsInvoke() {
		if n == 0 {
			return c.Value
		}
		n--
	}
	if n < 0 || n >= len(c.Args) {
		return nil
	}
	return c.Args[n]
}

// givenAnew says whether a call in a loop is given another arena in each turn, though all have one name: the value that has
// led to it is an element of something, which the loop gets anew.
//
//	for _, w := range workers {
//		go w.run() // in w.arena
//	}
func (f *function) givenAnew(i ssa.CallInstruction, from ssa.Value) bool {
	if from == nil || i.Parent() != f.fn || !leads(i, i, nil, f.spend) {
		return false
	}
	for _, v := range written(from) {
		got, ok := source(v).(ssa.Instruction)
		if !ok || !isElement(got) || leads(i, i, got, f.spend) {
			return false
		}
	}
	return true
}

// given returns what a statement that starts a goroutine gives the target as its n-th parameter, or what the target has
// captured behind those; nil if that isn't known, or is a global.
func (t target) given(i ssa.CallInstruction, n int) ssa.Value {
	if t.closure != nil {
		if captured := n - len(t.fn.Params); !t.bound && captured >= 0 {
			return t.closure.Bindings[captured]
		}
		if t.bound && n == 0 {
			return t.closure.Bindings[0]
		}
		n -= t.hidden()
	}
	if _, ok := i.(*ssa.Go); ok {
		return argument(i, n)
	}
	return nil
}

// written returns what is stored in a variable, and a value that is none as it is.
func written(v ssa.Value) (list []ssa.Value) {
	x, ok := v.(*ssa.Alloc)
	if !ok {
		return []ssa.Value{v}
	}
	for _, use := range *x.Referrers() {
		if put, ok := use.(*ssa.Store); ok && put.Addr == v {
			list = append(list, put.Val)
		}
	}
	if list == nil {
		return []ssa.Value{v}
	}
	return list
}

// isElement says whether an instruction gets one of several.
func isElement(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.Next, *ssa.Phi:
		return true
	case *ssa.UnOp:
		return i.Op == token.ARROW
	}
	return false
}
