// Package transfer takes states through one function: past its instructions and calls,
// and from block to block, until they stay the same.
package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/apply"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// An interpreter executes one function on states, from its beginning to its returns: it
// is an abstract interpreter (Cousot and Cousot, POPL 1977).
//
// What is in anew, turned and untouched is added to while states grow, and never
// removed; a state may rely on it.
type interpreter struct {
	*apply.Applier

	in    map[*ssa.BasicBlock]*state.State       // at the beginning of each block that was reached; they only grow
	anew  map[*ssa.BasicBlock]map[storedTag]bool // what a loop puts into containers, by its first block
	loops map[*ssa.BasicBlock]code.Loop          // that wait for others

	elementLoops map[*ssa.BasicBlock][]*elementLoop // by their heads, and where else they are left
	setsAll      map[*ssa.Store]bool                // the stores of these
	turned       map[turned]state.Value             // what turns of them have left in the elements
	untouched    map[turned]bool                    // where a turn may have left what was there before
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
