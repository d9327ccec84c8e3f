// Package apply takes states past calls of functions with summaries: the names in a summary stand for the caller's
// arguments.
package apply

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summarize"
)

// An Applier applies summaries of callees in one function.
type Applier struct {
	*record.Function
	report.Reporter
	summarize.Summarizer

	// RunDeferred takes a state past a deferred call: a panic's value is checked after all of them, and package
	// transfer knows the functions that they call.
	RunDeferred func(*state.State, *ssa.Defer)

	opaque map[ssa.CallInstruction]state.Value // unknown results; see Unknown
	roots  map[numbered]*state.Root            // see root
	inner  []inner                             // an empty list, for reuse by resultsBehind
	nested int                                 // depth of callbacks within callbacks
}

// New returns the applier of a function.
func New(f *record.Function) *Applier {
	return &Applier{
		Function:   f,
		Reporter:   report.Reporter{Function: f},
		Summarizer: summarize.New(f),
		opaque:     map[ssa.CallInstruction]state.Value{},
		roots:      map[numbered]*state.Root{},
	}
}

// A numbered is one of several arenas of a call.
type numbered struct {
	kind string
	by   ssa.CallInstruction
	n    int
}

// An inner is a value that a call returns behind a pointer.
type inner struct {
	holder, rest string
	loc          *state.Loc // the holder
	brought      state.Value
}

// maxCalls bounds the depth of postponed calls.
const maxCalls = 3
