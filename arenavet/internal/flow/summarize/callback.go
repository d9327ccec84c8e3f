package summarize

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file adds to the summary postponed calls of functions that callers know: their arguments, and those that have
// ended by the next call, or at the return.

// Passed returns the callers' names for a value: those of a parameter, or of a value reached from one.
func Passed(v state.Value) (names []*summary.Sym) {
	for t := range v.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil {
			continue
		}
		if name := t.Name(); name != nil && name.Param >= 0 {
			names = append(names, name)
		}
	}
	return names
}

// Calls records the call of a function that callers know, or of a method. Its arguments are kept until the return, to
// check whether they are still alive then, and with an arena also the memory that the function may allocate in it.
func (f Summarizer) Calls(s *state.State, i ssa.Instruction, fn state.Value, method string, args []state.Value) {
	if f.Program.All {
		return
	}
	for _, name := range Passed(fn) {
		c := summary.Callee{Func: *name, Method: method}
		if _, deferred := i.(*ssa.Defer); !deferred {
			if f.Called[i] == nil {
				f.Called[i] = map[summary.Callee]bool{}
			}
			f.Called[i][c] = true
		}
		if f.Judging && method == "" {
			f.Given[summary.Call{Callee: c, Sure: code.Always(i, f.Spend) && !f.Recovers(s.Defers)}] = true
		}
		for n, a := range args {
			given := a
			for t := range a.All() {
				if t.Kind == state.Handle {
					t.Kind, t.Site = state.Mem, i
					given, _ = given.Join(state.Just(t, nil))
				}
			}
			if state.MayDie(given) {
				cell := state.Cell{Loc: f.handedTo(c), Path: state.Result(n)}
				f.tellEnded(s, cell, c, summary.UntilNext)
				s.Put(i, cell, given, nil, false)
			}
			if !f.Judging {
				continue
			}
			f.flows(s, a, state.Result(n), func(x summary.Flow) {
				if x.Kind != summary.Dead && x.Kind != summary.DeadArena {
					f.Given[summary.Call{Callee: c, Flow: x}] = true
				}
			})
		}
	}
}

// handedTo returns the memory that keeps a callback's arguments.
func (f Summarizer) handedTo(c summary.Callee) *state.Loc {
	l := f.Places.Loc("handed to "+c.Func.String()+c.Method, nil, true)
	f.handed[l] = c
	return l
}

// tellHanded adds the callbacks' arguments that are dead now to the summary.
func (f Summarizer) tellHanded(s *state.State) {
	for cell, v := range s.Cells() {
		if c, ok := f.handed[cell.Loc]; ok && len(v) > 0 {
			f.tellEnded(s, cell, c, summary.AfterAll)
		}
	}
}

// tellEnded adds a callback's earlier arguments that are dead now to the summary.
func (f Summarizer) tellEnded(s *state.State, cell state.Cell, c summary.Callee, when int) {
	if !f.Judging {
		return
	}
	f.flows(s, s.In(cell), into+cell.Path, func(x summary.Flow) {
		if x.Kind == summary.Dead {
			x.Out, x.ID = strings.TrimPrefix(x.Out, into), when
			f.Given[summary.Call{Callee: c, Flow: x}] = true
		}
	})
}
