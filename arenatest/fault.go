package arenatest

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/harena-go/arena/internal/inspect"
)

// This file explains faults of a test. It may not know how dead memory was made to fault.

// faulted says whether the function that calls is called because the test has
// touched memory that can't be.
func faulted() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.sigpanic" {
			return true
		}
		if !more {
			return false
		}
	}
}

// What explain lists: calls that took back pointers, and groups of blocks, each of so many, the newest of them.
const (
	maxExplained = 16
	maxGroups    = 32
	maxAddresses = 64
)

// explain says what addresses of faults arenas with a name have to do with.
func explain(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The test has touched memory that an arena has taken back, or nothing at all. If the fault's address is one of these, it was memory of arena %q.", name)
	if list := inspect.Endings(name); len(list) > 0 {
		b.WriteString("\nWhere a pointer in a dead value led to:")
		for _, e := range list[max(0, len(list)-maxExplained):] {
			fmt.Fprintf(&b, "\n  %#x to %#x: taken back at %s", e.Trap, e.Trap+trapSize-1, e.Place)
		}
	}
	if list := inspect.Guarded(name); len(list) > 0 {
		b.WriteString("\nIn a dead value:")
		explainGuarded(&b, list)
	}
	return b.String()
}

// explainGuarded lists blocks, the oldest first. Those that were allocated and taken back at the same lines share
// a line.
func explainGuarded(b *strings.Builder, list []inspect.GuardedBlock) {
	type group struct{ typ, allocated, taken string }
	var groups []group
	of := map[group][]inspect.GuardedBlock{}
	for _, g := range list {
		key := group{g.Type, g.Allocated, g.Taken}
		if of[key] == nil {
			groups = append(groups, key)
		}
		of[key] = append(of[key], g)
	}
	for _, key := range groups[max(0, len(groups)-maxGroups):] {
		blocks := of[key]
		fmt.Fprintf(b, "\n  %s, allocated at %s, taken back at %s:", key.typ, key.allocated, key.taken)
		for _, g := range blocks[max(0, len(blocks)-maxAddresses):] {
			fmt.Fprintf(b, " %#x to %#x", g.Addr, g.Addr+g.Size-1)
		}
	}
}
