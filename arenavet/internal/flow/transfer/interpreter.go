package transfer

import (
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summarize"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"golang.org/x/tools/go/ssa"
)

// An interpreter executes one function on states, from its beginning to its returns: it
// is an abstract interpreter (Cousot and Cousot, POPL 1977).
//
// What is in anew, calls, turned and untouched is added to while states grow, and never
// removed; a state may rely on it.
type interpreter struct {
	*record.Function
	report.Reporter
	summarize.Summarizer

	in       map[*ssa.BasicBlock]*state.State       // at the beginning of each block that was reached; they only grow
	anew     map[*ssa.BasicBlock]map[storedTag]bool // what a loop puts into containers, by its first block
	calls    map[*state.Root][]summary.CallsFunc    // functions, parameters of this one, that were called with an arena
	opaque   map[ssa.CallInstruction]state.Value    // results of which nothing is known; see unknown
	roots    map[numbered]*state.Root               // see root
	loops    map[*ssa.BasicBlock]code.Loop          // that wait for others
	inFlight map[ssa.Value]bool                     // objects that others wait for; nil until that is asked

	elementLoops map[*ssa.BasicBlock]*code.ElementLoop // by their heads
	setsAll      map[*ssa.Store]bool                   // the stores of these
	turned       map[turned]state.Value                // what turns of them have left in the elements
	untouched    map[turned]bool                       // where a turn may have left what was there before

	inner  []inner // where resultsBehind makes its list, empty
	nested int     // calls of callbacks within each other
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

// A storedTag is something that was put somewhere.
type storedTag struct {
	cell state.Cell
	tag  state.Tag
}

// A turned is a cell of a loop's elements.
type turned struct {
	head *ssa.BasicBlock
	cell state.Cell
}
