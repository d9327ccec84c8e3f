package summarize

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what callers are told of functions that they have passed: what those are
// called with, and which of it has ended when they are called again, or at the return.

// A Callback is a function of the caller's, or a method of what the caller has passed.
type Callback struct {
	Fn     summary.Sym
	Method string
}

// Yields notes that a function of the caller's is called, or a method of what the
// caller has passed. What it is given is kept until the return, to see whether it is
// still alive then.
func (f Summarizer) Yields(s *state.State, i ssa.Instruction, fn state.Value, method string, args []state.Value) {
	if f.Program.All {
		return
	}
	for t := range fn.All() {
		if t.Kind != state.Ptr || t.Path != "" || t.Loc.Sym == nil {
			continue
		}
		name := t.Name()
		if name == nil || name.Param < 0 {
			continue
		}
		c := Callback{*name, method}
		for n, a := range args {
			if state.MayDie(a) {
				cell := state.Cell{Loc: f.handedTo(c), Path: state.Result(n)}
				f.tellEnded(s, cell, c, UntilNext)
				s.Put(i, cell, a, nil, false)
			}
			if !f.Judging {
				continue
			}
			f.flows(s, a, state.Result(n), func(x summary.Flow) {
				if x.Kind != summary.Dead && x.Kind != summary.DeadArena {
					f.Given.Add(summary.Yield{Func: *name, Method: method, Flow: x})
				}
			})
		}
	}
}

// handedTo returns where what a callback was given is kept.
func (f Summarizer) handedTo(c Callback) *state.Loc {
	l := f.Places.Loc("handed to "+c.Fn.String()+c.Method, nil, true)
	f.handed[l] = c
	return l
}

// tellHanded tells which of what callbacks were given is dead now.
func (f Summarizer) tellHanded(s *state.State) {
	for cell, v := range s.Cells() {
		if c, ok := f.handed[cell.Loc]; ok && len(v) > 0 {
			f.tellEnded(s, cell, c, AfterAll)
		}
	}
}

// When what a callback was given has ended: by the next call, or when the caller returns.
const (
	AfterAll = iota
	UntilNext
)

// tellEnded tells which of what a callback was given before is dead now.
func (f Summarizer) tellEnded(s *state.State, cell state.Cell, c Callback, when int) {
	if !f.Judging {
		return
	}
	f.flows(s, s.In(cell), into+cell.Path, func(x summary.Flow) {
		if x.Kind == summary.Dead {
			x.Out, x.ID = strings.TrimPrefix(x.Out, into), when
			f.Given.Add(summary.Yield{Func: c.Fn, Method: c.Method, Flow: x})
		}
	})
}
