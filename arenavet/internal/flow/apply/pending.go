package apply

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file ends the pending time of values: by waiting, or by keeping a goroutine from starting. It also finds the
// loops that wait.

// Give records that a goroutine has memory that the caller can name: an argument itself, not memory behind it, which
// would be too much.
func (f *Applier) Give(s *state.State, i ssa.Instruction, t state.Tag, what state.PendingKind) {
	if x := t.Name(); x != nil && x.Param >= 0 && !strings.Contains(x.Path, "*") {
		s.Pending[state.Pending{At: i, What: what, Sym: *x, Given: true}] = true
	}
}

// Wait handles an operation that may wait for other goroutines to be done.
func (f *Applier) Wait(s *state.State) {
	f.Summary.Waits, s.Waited = true, true
	clear(s.Pending) // any goroutine may be the one
}

// Poll handles a load of an atomic variable, by which goroutines may signal progress. Memory that they use only before
// that may be reclaimed.
func (f *Applier) Poll(s *state.State) {
	f.Summary.Polls, s.Waited = true, true
	for p := range s.Pending {
		if p.Early {
			delete(s.Pending, p)
		}
	}
}

// Stops takes a state past the call of a function that may keep a goroutine from starting, like the result of
// context.AfterFunc. A goroutine that runs already goes on; the caller has to check that.
func (f *Applier) Stops(s *state.State, fn state.Value) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		if i, ok := t.Loc.Site.(ssa.CallInstruction); ok && code.CalleeName(i.Common()) == std.AfterFunc {
			f.Hide(s, i)
		} else if x := t.Name(); x != nil {
			summary.Add(&f.Summary.Stops, *x)
		}
	}
}

// WaitingLoops returns the loops that wait for goroutines in some block, by their heads. A function that leaves such a
// loop at its condition has waited as often as necessary: a loop that doesn't run has nothing to wait for.
//
//	for range n { go func() { use(x); done <- true }() }
//	for range n { <-done }
func (f *Applier) WaitingLoops() map[*ssa.BasicBlock]code.Loop {
	var loops map[*ssa.BasicBlock]code.Loop
	for _, b := range f.Fn.Blocks {
		l := code.LoopFrom(b)
		if l == nil || !f.waitsIn(l) {
			continue
		}
		if loops == nil {
			loops = map[*ssa.BasicBlock]code.Loop{}
		}
		for _, p := range b.Preds { // of range n, which tests n > 0 before the loop
			if !l[p] && l.IsLeftTo(p.Succs) {
				loops[p] = l
			}
		}
		loops[b] = l
	}
	return loops
}

// waitsIn reports whether a loop receives from a channel, or calls a waiting function, and starts no goroutine, for
// which it would have to wait again.
func (f *Applier) waitsIn(l code.Loop) bool {
	yes := false
	for b := range l {
		f.Spend(len(b.Instrs))
		for _, i := range b.Instrs {
			if _, ok := i.(*ssa.Go); ok {
				return false
			}
			yes = yes || f.isWait(i)
		}
	}
	return yes
}

// isWait reports whether an instruction receives from a channel, or calls a waiting function.
func (f *Applier) isWait(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Send:
		return shape.IsSignal(i.X.Type())
	case *ssa.Select:
		return i.Blocking
	case *ssa.Call:
		if fn := i.Call.StaticCallee(); fn != nil {
			sum := f.Program.Summary(fn)
			return std.Waits(code.CalleeName(&i.Call)) || sum != nil && sum.Waits
		}
	}
	return false
}

// WaitsAfter reports whether the function may wait for goroutines in a block after that of an instruction.
func (f *Applier) WaitsAfter(i ssa.Instruction) bool {
	after := code.Loop{}
	build.Walk(after, i.Block().Succs, build.Succs)
	for b := range after {
		f.Spend(len(b.Instrs))
		if slices.ContainsFunc(b.Instrs, f.isWait) {
			return true
		}
	}
	return false
}
