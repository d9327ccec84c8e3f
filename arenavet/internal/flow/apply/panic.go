package apply

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file handles panics: the value of a panic, and all it leads to, leaves the function after the deferred calls.

// Panics checks the value that leaves a function with a panic: deferred calls run before anybody sees it, and Do ends
// its arena. If the function recovers, nothing leaves.
func (f *Applier) Panics(s *state.State, i *ssa.Panic) {
	f.panicsWith(s, i, s.Of(i.X))
}

// panicsWith checks the value of a panic, and adds it to the summary, unless the function recovers.
func (f *Applier) panicsWith(s *state.State, i ssa.Instruction, x state.Value) {
	if len(s.Reach(x)) == 0 || f.Recovers(s.Defers) {
		return
	}
	if f.Judging {
		for t, d := range s.Reach(x).All() {
			if sym := outermostName(t); sym != nil && sym.Param >= 0 && d == nil {
				summary.Add(&f.Summary.Panics, *sym)
			}
		}
	}
	do, inDo := f.Program.DoFuncs[f.Fn]
	if len(s.Defers) == 0 && !inDo {
		return
	}
	after := s.Clone()
	l := after.Fresh(i, "panic")
	after.Set(state.Cell{Loc: l}, x)
	for n := len(after.Defers) - 1; n >= 0; n-- {
		f.RunDeferred(after, after.Defers[n])
	}
	if inDo {
		if r := after.Resolve(after.Of(f.Fn.Params[do.Param]), nil); r != nil {
			after.End(r, f.Program.Deaths.With(f.DeathInDo(i, summary.DoEnds, true), do.Gear), nil)
		}
	}
	for t, d := range after.Reach(after.In(state.Cell{Loc: l})).All() {
		if t.Kind == state.Mem && d != nil {
			f.Report(finding.Escape, i, d, t,
				fmt.Sprintf("arena memory leaves with a panic, but the deferred %s %s reclaims it", d.Verb,
					f.Where(d.At)))
		}
	}
}

// outermostName returns the name of the arena of a tag's memory, nil if callers don't know it.
func outermostName(t state.Tag) *summary.Sym {
	if t.Kind != state.Mem {
		return nil
	}
	return state.Outermost(t.Root).Sym
}
