package arena

import (
	"fmt"

	"github.com/harena-go/arena/internal/engine/memory"
)

// This file holds statistics. They are added up when they are asked for, from what the engine
// knows anyhow: no allocation counts anything for them.

// Stats describes the memory of an arena. All sizes are in bytes. A child's
// memory is not included in its parent's. The limits of a Pool and of a Shared, and
// PoolStats, count chunks only: Reserved less Lists.
type Stats struct {
	Name      string // set by WithName
	Used      int    // handed out now, padding included
	Reserved  int    // taken from the Go heap, in use or not: chunks and Lists
	Lists     int    // of Reserved, in lists of marks and the like beyond 1 KiB, and about what stale pointers may lead to
	Retained  int    // of Reserved, in chunks of which nothing is in use and in unused parts of Lists
	Wasted    int    // of Reserved, in chunks that are full, too little for what came next
	HighWater int    // the largest Used that Stats, Reset, Rewind or Free has seen
	Chunks    int    // blocks from the Go heap, those of slabs included
	Slabs     int    // types with pointers, each of which has chunks of its own
	Resets    int    // calls of Reset
}

// String returns the statistics as one readable line.
func (s Stats) String() string {
	return fmt.Sprintf("arena%s: %s used (high water %s) of %s in %s; %s retained, %s wasted; %s, %s",
		quoted(s.Name), size(s.Used), size(s.HighWater), size(s.Reserved), count(s.Chunks, "chunk"),
		size(s.Retained), size(s.Wasted), count(s.Slabs, "slab"), count(s.Resets, "reset"))
}

// UsedBytes returns the bytes handed out and not taken back, with the padding
// that alignment took: objects count as multiples of 8, strings as they are.
// It takes time in proportion to the number of types with pointers. A nil or
// freed arena uses none.
func (a *Arena) UsedBytes() int {
	if a == nil || a.idle() {
		return 0
	}
	return int(a.usedBytes())
}

// Stats returns the arena's statistics, in time proportional to the number of
// its unused chunks and of types with pointers: cheap enough for each request.
// Those of a nil arena are zero.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	if a.idle() {
		return Stats{Name: a.name(), HighWater: int(a.highWater), Resets: int(a.resets)}
	}
	a.noteUse()
	s := Stats{Name: a.name(), HighWater: int(a.highWater), Resets: int(a.resets)}
	for r := range a.memory.Regions {
		s.countRegion(r)
	}
	lists := a.listSize()
	s.Reserved += int(lists.Total)
	s.Lists = int(lists.Total)
	s.Retained += int(lists.Unused)
	return s
}

// add adds the numbers of another arena.
func (s *Stats) add(t Stats) {
	s.Used += t.Used
	s.Reserved += t.Reserved
	s.Lists += t.Lists
	s.Retained += t.Retained
	s.Wasted += t.Wasted
	s.Chunks += t.Chunks
	s.Slabs = max(s.Slabs, t.Slabs)
}

// countRegion adds what one region has. A region with a type is a slab.
func (s *Stats) countRegion(r *memory.Region) {
	s.Used += int(r.Used())
	s.Reserved += int(r.Total())
	s.Retained += int(r.Unused())
	s.Wasted += int(r.Waste())
	s.Chunks += r.Len()
	if r.Type() != nil {
		s.Slabs++
	}
}

// Stats returns the statistics of all locals together, and of the chunks that
// are kept for further ones; locals that ended by their own Free are not
// included. Like Reset, it must only be called while no goroutine is using its
// local. Those of a nil Shared are zero.
func (s *Shared) Stats() Stats {
	if s == nil {
		return Stats{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.root.Stats()
	for a := range s.root.family.children {
		total.add(a.Stats())
	}
	total.HighWater = max(total.HighWater, total.Used)
	return total
}
