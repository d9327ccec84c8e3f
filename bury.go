//go:build race

package arena

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/race"
)

// This file holds what the race detector is told. In builds with it, memory that
// is taken back is abandoned (see abandon.go), and the detector told that it was
// written to. Any later access is reported as a data race, with the stacks of
// the access and of the call that took the memory back. When the GC has reclaimed
// it, the runtime tells the detector that it hands it out anew.

// graves is what an arena remembers of memory that it has taken back, so as to
// tell the detector of it again: it forgets a write after some 200 further
// goroutine starts. The memory stays allocated for so long, or else the detector
// would be told of memory that belongs to somebody else by then.
type graves struct {
	old, fresh []race.Range // oldest first; bury hasn't told of the fresh ones yet
	burials    int
	teller     race.Teller
}

const (
	// How much of it an arena remembers.
	rememberedRanges = 16
	rememberedBytes  = 64 << 10

	// tellEvery is how many burials there are between two that tell of all.
	tellEvery = 32
)

// bury tells the race detector of what was taken back, and now and then of what
// was before. If the arena is watched, others look whether that is still referenced,
// so that it must not be remembered.
func (g *graves) bury(watched bool) {
	if len(g.fresh) == 0 {
		return
	}
	g.teller.TakenBack(g.due(watched))
	clear(g.fresh)
	g.fresh = g.fresh[:0]
	g.forget()
}

// due returns what the detector is to be told of now.
func (g *graves) due(watched bool) []race.Range {
	if watched {
		return g.fresh
	}
	g.old = append(g.old, g.fresh...)
	if g.burials++; g.burials%tellEvery == 0 {
		return g.old
	}
	return g.fresh
}

// forget lets go of the oldest ranges if there are too many.
func (g *graves) forget() {
	n, bytes := len(g.old), uintptr(0)
	for n > 0 && len(g.old)-n < rememberedRanges && bytes+g.old[n-1].Size <= rememberedBytes {
		n--
		bytes += g.old[n].Size
	}
	g.old = slices.Delete(g.old, 0, n)
}

// mourn adds the part of a chunk from from to to, which was handed out, to what
// bury will tell the detector of.
func (r *region) mourn(c *chunk, from, to uintptr) {
	if from >= to {
		return
	}
	if r.eager() && r.arena.watch == nil { // which decides what becomes of the values
		r.erase(c.mem, from, to)
	}
	g := &r.arena.graves
	g.fresh = append(g.fresh, race.Range{Mem: unsafe.Add(c.mem, from), Size: to - from})
}
