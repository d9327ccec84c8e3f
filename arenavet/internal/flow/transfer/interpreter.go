// Package transfer takes states through one function: past its instructions and calls, and from block to block, until
// they stay the same.
package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/apply"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// An interpreter executes one function on states, from its beginning to its returns: it is an abstract interpreter
// (Cousot and Cousot, POPL 1977).
//
// anew, turned and untouched only grow, as states do, so a state may rely on their entries.
type interpreter struct {
	*apply.Applier

	in    map[*ssa.BasicBlock]*state.State       // at the beginning of each block reached; they only grow
	anew  map[*ssa.BasicBlock]map[storedTag]bool // memory that a loop puts into containers, by its head
	loops map[*ssa.BasicBlock]code.Loop          // that wait for goroutines

	elementLoops map[*ssa.BasicBlock][]*elementLoop // by their heads and exits
	setsAll      map[*ssa.Store]bool                // their stores
	turned       map[turned]state.Value             // contents of the elements after their iterations
	untouched    map[turned]bool                    // an iteration may have left the initial contents
}

// A storedTag is a tag in a cell.
type storedTag struct {
	cell state.Cell
	tag  state.Tag
}

// A turned is a cell of a loop's elements.
type turned struct {
	head *ssa.BasicBlock
	cell state.Cell
}
