// Package inspect is where package arenatest and package arena plug into each
// other: what is too slow and too large for a program that isn't a test, and what
// only a test may ask for.
package inspect

import "sync/atomic"

// What arenatest sets.
var (
	// Holders returns for each block a text that says who points to it, or ""
	// where that isn't known. It is nil in programs without arenatest.
	Holders func(blocks []Block) []string

	// All is set while all arenas of the program are checked, whatever their
	// options. It gets each arena.Escape of those that have no handler.
	All atomic.Pointer[func(escape any)]
)

// What package arena sets.
var (
	// Freed says whether an *arena.Arena was freed, or has ended otherwise.
	Freed func(a any) bool

	// Endings returns the last calls, oldest first, that took memory back in arenas
	// with CheckObjects and a name.
	Endings func(arena string) []Ending

	// Lent returns the stacks of the calls of Get of those arenas of an
	// *arena.Pool that were neither put back nor freed, as far as they are checked.
	Lent func(pool any) []string
)

// A Block is a piece of memory.
type Block struct {
	Addr uintptr
	Size uintptr
}

// An Ending is a call that took memory back.
type Ending struct {
	Trap  uintptr // where pointers that died then lead to, 4 KiB from here on
	Place string  // file and line of the call
}
