// Package apply takes states past calls of functions that have a summary: each name in
// the summary stands for what the caller has passed.
package apply

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summarize"
)

// An Applier applies summaries of callees in one function.
//
// What is in calls is added to while states grow, and never removed.
type Applier struct {
	*record.Function
	report.Reporter
	summarize.Summarizer

	// RunDeferred takes a state past a deferred call: the value of a panic is looked at
	// behind all of them, and which functions they call is for package transfer to know.
	RunDeferred func(*state.State, *ssa.Defer)

	opaque map[ssa.CallInstruction]state.Value // results about which nothing is known; see Unknown
	roots  map[numbered]*state.Root            // see root
	inner  []inner                             // where resultsBehind makes its list, empty
	nested int                                 // calls of callbacks within each other
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

// An inner is something that a call returns behind a pointer.
type inner struct {
	holder, rest string
	loc          *state.Loc // the holder
	brought      state.Value
}

// maxCalls bounds postponed calls that others lead to.
const maxCalls = 3
