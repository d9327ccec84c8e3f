package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file handles returns: the order in which package report checks the values that leave the function, and package
// summarize adds them to the summary.

// exit handles one return, once all states are final. In a function that Do calls, the arena of Do ends before the
// results are checked that are seen beyond Do. Finally all memory that outlives the function is checked and summarized.
func (f *interpreter) exit(s *state.State, i *ssa.Return) {
	if !f.Judging {
		return
	}
	do, inDo := f.Program.DoFuncs[f.Fn]
	results := func(out bool) {
		for n, x := range i.Results {
			if (do.Out>>n&1 == 1) == out {
				f.Returns(s, i, s.Of(x))
				f.Returned(s, x, n)
			}
		}
	}
	results(false)
	if inDo {
		f.endDo(s, i, do)
	}
	results(true)
	f.Outliving(s)
	f.KeptBeyondRequest(s)
	if !code.ReturnsUnchanged(i) {
		f.Complete(s)
	}
}

// endDo ends the arena of a function that Do calls, as Do does when the function returns. The checks after it find
// later uses of the arena and its memory.
func (f *interpreter) endDo(s *state.State, i *ssa.Return, do record.Lending) {
	v := s.Of(f.Fn.Params[do.Param])
	r := s.Resolve(v, f.Fn.Params[do.Param])
	if r == nil || f.endedInDo(v) {
		return
	}
	d := f.DeathInDo(i, summary.DoEnds, true)
	f.Share(s, i, r, summary.DoEnds)
	f.End(s, r, d, nil)
}

// endedInDo reports whether the arena of a Do was freed in it, and reports a finding if it was put back.
func (f *interpreter) endedInDo(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil {
			if d.Verb == summary.Put {
				f.Report(finding.UseAfter, d.At, d, t, "Put: the arena is Do's, which puts it back itself")
			}
			return d.Verb == summary.Free
		}
	}
	return false
}
