package arena

import "slices"

// This file holds how memory is given back: Mark, Rewind, Reset, Free, and the
// lives of children.

// A Mark is a point in the life of an arena, to which Rewind goes back. It is
// a small value that may be copied and kept; it keeps its arena alive.
type Mark struct {
	arena  *Arena
	index  int // in arena.marks
	serial uint64
}

// A mark is what the arena knows of a Mark.
type mark struct {
	serial uint64 // children with a larger one were born later
	plain  position
	slabs  int // positions[slabs:] up to the next mark's are those of its slabs
	kept   int
}

// Mark returns the present point in the arena's life, for [Arena.Rewind]. It
// takes time in proportion to the number of types with pointers in the arena.
// The arena remembers each mark, in about 100 bytes, until Reset or a Rewind to
// an earlier one; marks between which nothing was allocated count as one.
// It panics if the arena was freed. Marks of a nil arena do nothing.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	a.check("Mark")
	if n := len(a.marks); n > 0 && a.unchangedSince(&a.marks[n-1]) {
		return Mark{a, n - 1, a.marks[n-1].serial}
	}
	a.serial++
	m := mark{a.serial, a.position(), len(a.positions), len(a.kept)}
	for _, s := range a.slabs {
		a.positions = append(a.positions, s.position())
	}
	a.marks = append(a.marks, m)
	return Mark{a, len(a.marks) - 1, m.serial}
}

// unchangedSince says whether the arena is where it was at its newest mark.
func (a *Arena) unchangedSince(m *mark) bool {
	slabs := a.positions[m.slabs:]
	if m.plain != a.position() || m.kept != len(a.kept) || len(slabs) != len(a.slabs) {
		return false
	}
	for i, s := range a.slabs {
		if s.position() != slabs[i] {
			return false
		}
	}
	for _, c := range a.children {
		if c.born > m.serial {
			return false
		}
	}
	return true
}

// giveBackLow takes back the last n bytes of the low end, but nothing that was
// there at the newest mark: Rewind would make it the mark's again while
// something else uses it.
func (a *Arena) giveBackLow(n uintptr) {
	lo := a.lo - n
	if i := len(a.marks) - 1; i >= 0 && a.marks[i].plain.chunks == a.chunks.used {
		lo = max(lo, a.marks[i].plain.lo)
	}
	a.giveBack(lo, a.hi())
}

// Rewind takes back all that was allocated since m: Reset to a point in time.
// Values from before are untouched; touching one from after is a bug. Children
// that were made since are freed, and what KeepAlive was given since is let go.
//
// A mark may be rewound to again and again. Rewind panics if m is the mark of
// another arena, if a Reset or a Rewind to an earlier mark took it back, or if
// the arena was freed.
func (a *Arena) Rewind(m Mark) {
	if a == nil {
		return
	}
	a.check("Rewind")
	if m.arena != a {
		panic("arena: Rewind: the mark is of another arena")
	}
	if m.index >= len(a.marks) || a.marks[m.index].serial != m.serial {
		panic("arena: Rewind: the mark is stale: a Reset, or a Rewind to an earlier mark, took it back")
	}
	a.noteUse()
	saved := &a.marks[m.index]
	slabs := len(a.positions)
	if m.index+1 < len(a.marks) {
		slabs = a.marks[m.index+1].slabs
	}
	a.endChildren(saved.serial, true)
	a.rewindTo(saved.plain, a.positions[saved.slabs:slabs], saved.kept)
	a.marks = a.marks[:m.index+1]
	a.positions = a.positions[:slabs]
}

// rewindTo sets all regions back. Slabs that had no position then were empty.
func (a *Arena) rewindTo(plain position, slabs []position, kept int) {
	a.region.rewind(plain)
	for i, s := range a.slabs {
		var p position
		if i < len(slabs) {
			p = slabs[i]
		}
		s.rewind(p)
	}
	clear(a.kept[kept:])
	a.kept = a.kept[:kept]
}

// Reset takes back all that was allocated and keeps the memory for reuse, up to
// WithMaxRetained; chunks beyond that, and those that weren't needed for a
// while, go back to the Go heap. Everything handed out before is dead: touching
// it is a bug. Marks become stale, children are freed, and what KeepAlive was
// given is let go.
//
// The time is proportional to the number of chunks and to the bytes of values
// with pointers, which are erased so that they don't keep alive what they point
// to. Values without pointers and those of self-contained arenas are not
// touched. Reset of a nil or freed arena does nothing.
func (a *Arena) Reset() {
	if a == nil || a.freed {
		return
	}
	a.check("Reset")
	a.noteUse()
	a.endChildren(0, true)
	a.rewindTo(position{}, nil, 0)
	a.marks = a.marks[:0]
	a.positions = a.positions[:0]
	a.resets++
	a.retain()
}

// trimPeriod is after how many resets the chunks go that none of them needed.
const trimPeriod = 16

// retain lets go of the chunks that Reset should not keep.
func (a *Arena) retain() {
	total := a.region.total
	for _, s := range a.slabs {
		total += s.total
	}
	idle := a.resets%trimPeriod == 0
	if !idle && total <= a.config.maxRetained {
		return
	}
	room := a.config.maxRetained
	a.region.trim(idle, &room)
	for _, s := range a.slabs {
		s.trim(idle, &room)
	}
}

// Free lets go of all memory, which the GC reclaims as soon as nothing points
// to it. What was handed out stays valid for as long as something does: in a
// self-contained arena all of it as long as something points to any part of it,
// and else each chunk by itself. With WithScrub it is erased, though.
//
// Children are freed too, and so is, in arenas that are not self-contained,
// what KeepAlive was given. Allocating afterwards panics; a second Free does
// nothing, and neither does that of a nil arena. An arena that is dropped
// without Free costs nothing either: the GC finds it.
func (a *Arena) Free() {
	if a == nil || a.freed {
		return
	}
	a.check("Free")
	a.noteUse()
	a.endChildren(0, false)
	if p := a.parent; p != nil {
		p.disown(a)
	}
	a.free()
}

// free is Free without the family.
func (a *Arena) free() {
	if a.config.scrub {
		a.rewindTo(position{}, nil, 0)
	}
	a.region.leave()
	if o := a.owner; o != nil {
		clear(a.chunks.chunks[a.chunks.used:]) // which the slices below would hold
		clear(a.big.chunks[a.big.used:])
		*o = owner{kept: a.kept, parent: o.parent,
			chunks: a.chunks.chunks[:a.chunks.used], big: a.big.chunks[:a.big.used]}
	}
	for _, s := range a.slabs {
		s.region = region{arena: a, slab: s, unit: s.unit} // a Typed may point to it
	}
	*a = Arena{freed: true, config: a.config, plainUpTo: a.plainUpTo, slabs: a.slabs, table: a.table,
		highWater: a.highWater, resets: a.resets}
}

// Child returns an arena for scratch within a's life. It has a's options, takes
// chunks that a keeps unused before it asks the Go heap, and has a Reset and a
// Free of its own.
//
// Free gives those chunks to a that are not in use. To give back all of them,
// Reset the child first: Free alone promises, as always, that values stay valid
// while something points to them, and leaves the chunks they are in to the GC.
//
// A Reset or Free of a, and a Rewind to a mark from before, frees the child.
// What it hands out counts towards a's budget. Values in the child may point to
// values in a. In self-contained arenas the other way round is a bug: for a,
// the child is another arena.
//
// Parent and child belong to the same goroutine. Child panics if a was freed;
// the child of a nil arena is nil.
func (a *Arena) Child() *Arena {
	if a == nil {
		return nil
	}
	a.check("Child")
	a.serial++
	c := &Arena{config: a.config, parent: a, slot: len(a.children), born: a.serial}
	c.config.limit = 0
	c.init()
	c.budget = a.budget
	if c.owner != nil {
		c.owner.parent = a.owner
	}
	a.children = append(a.children, c)
	return c
}

// endChildren frees the children that were born after a serial number. If they
// are dead, because their parent was reset, all of their chunks come back.
func (a *Arena) endChildren(after uint64, dead bool) {
	for _, c := range slices.Backward(a.children) {
		if c.born <= after {
			continue
		}
		c.endChildren(0, dead)
		if dead {
			c.rewindTo(position{}, nil, 0)
		}
		a.disown(c)
		c.free()
	}
}

// disown takes a child and its unused chunks back.
func (a *Arena) disown(c *Arena) {
	last := a.children[len(a.children)-1]
	a.children[c.slot], last.slot = last, c.slot
	a.children[len(a.children)-1] = nil
	a.children = a.children[:len(a.children)-1]

	c.region.giveChunks(&a.region)
	for _, s := range c.slabs {
		if p := s.parent(); p != nil {
			s.giveChunks(p)
		}
	}
}
