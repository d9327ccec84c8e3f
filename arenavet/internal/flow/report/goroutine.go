package report

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file reports values and arenas that escape into a goroutine: another goroutine has them, and this one uses the
// arena, or reclaims the memory, without waiting. Package transfer records in goroutine.go what goroutines are given.

// GiveArena records that a goroutine uses an arena from now on. If another goroutine does already, or if this statement
// has started one in an earlier loop iteration (again), two use it at once. from is the value that led to the arena, or
// nil.
func (f Reporter) GiveArena(s *state.State, i ssa.CallInstruction, r *state.Root, from ssa.Value,
	what state.PendingKind, again bool) {
	if what == state.ByHandler {
		f.Report(finding.Goroutine, i, nil, state.Tag{Root: r},
			"the handler uses one arena for all requests, which many goroutines serve at once")
		return
	}
	for p := range s.Pending {
		if p.Root == r && p.Site == nil && (p.At != i || again && !f.givenAnew(i, from)) {
			m := fmt.Sprintf("the goroutine uses the arena of another that was started %s", f.Where(p.At))
			if p.At == i {
				m = "the goroutines that are started in this loop use one arena"
			}
			f.Report(finding.Goroutine, i, nil, state.Tag{Root: r}, m)
		}
	}
	s.Pending[state.Pending{At: i, Root: r, What: what}] = true
	if r.Sym != nil {
		summary.Add(&f.Summary.Touches, *r.Sym)
	}
}

// Share is the part of Touch for other goroutines: it reports an arena that one of them is using. Each goroutine is
// reported once.
func (f Reporter) Share(s *state.State, i ssa.Instruction, r *state.Root, name string) {
	if r.Sym != nil && !r.Shared { // callers need not know that it is one
		summary.Add(&f.Summary.Touches, *r.Sym)
	}
	for p := range s.Pending {
		if p.Root == r && p.Site == nil && p.At != i {
			how := "was started"
			if p.What == state.BySend {
				how = "it was sent to"
			}
			f.Report(finding.Goroutine, i, nil, state.Tag{Root: r},
				fmt.Sprintf("%s: the arena is in use by the goroutine that %s %s", Short(name), how, f.Where(p.At)))
			f.Hide(s, p.At)
		}
	}
}

// PendingAt reports memory that is reclaimed while another goroutine has it, at the place where the goroutine got it.
// Free leaves memory valid, unless it erases it.
func (f Reporter) PendingAt(s *state.State, r *state.Root, d *state.Death) {
	for p := range s.Pending {
		if p.Site == nil || !p.Root.Within(r) || d.Verb == summary.Free && !p.Root.Scrub {
			continue
		}
		delete(s.Pending, p)
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		}
		f.Report(finding.Escape, p.At, d, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site},
			fmt.Sprintf("arena memory %s, and %s %s reclaims it without waiting", how, d.Verb, f.Where(d.At)))
	}
}

// Hide drops the pending values of a statement, because they were reported, or because it didn't run.
func (f Reporter) Hide(s *state.State, at ssa.Instruction) {
	for p := range s.Pending {
		if p.At == at {
			delete(s.Pending, p)
		}
	}
}
