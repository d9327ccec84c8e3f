package arena

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
	if a.watch != nil {
		a.part()
	}
	a.serial++
	m := mark{a.serial, a.position(), len(a.positions), len(a.kept)}
	for _, s := range a.slabs {
		a.positions = push(a, a.positions, s.position())
	}
	a.marks = push(a, a.marks, m)
	return Mark{a, len(a.marks) - 1, m.serial}
}

// unchangedSince says whether the arena is where it was at its newest mark.
func (a *Arena) unchangedSince(m *mark) bool {
	slabs := a.positions[m.slabs:]
	if !a.at(&m.plain) || m.kept != len(a.kept) || len(slabs) != len(a.slabs) {
		return false
	}
	for i, s := range a.slabs {
		if !s.at(&slabs[i]) {
			return false
		}
	}
	return !a.children.bornAfter(m.serial)
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
	if a.watch != nil {
		a.lookForStrays(saved.plain.big, saved.serial)
	}
	slabs := len(a.positions)
	if m.index+1 < len(a.marks) {
		slabs = a.marks[m.index+1].slabs
	}
	a.endChildren(saved.serial, true)
	a.rewindTo(saved.plain, a.positions[saved.slabs:slabs])
	a.forget(saved.kept)
	if a.abandons() {
		a.bury()
	}
	a.marks = a.marks[:m.index+1]
	a.positions = a.positions[:slabs]
}

// rewindTo sets all regions back.
func (a *Arena) rewindTo(plain position, slabs []position) {
	a.region.rewind(&plain)
	for i, s := range a.slabs {
		if p := positionOf(slabs, i); !s.at(p) {
			s.rewind(p)
		}
	}
}

// positionOf returns the position of slab i among those at a mark. Slabs that had none
// then were empty.
func positionOf(slabs []position, i int) *position {
	if i < len(slabs) {
		return &slabs[i]
	}
	return &position{}
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
	if a == nil || a.over() {
		return
	}
	a.check("Reset")
	a.reset()
}

// reset is Reset of an arena in use. It returns how many bytes were handed out.
func (a *Arena) reset() (used uintptr) {
	used = a.noteUse()
	kept, abandons := len(a.kept), a.abandons()
	if abandons {
		a.lookForStrays(0, 0)
	}
	a.endLife()
	if a.children.youngest != nil {
		a.endChildren(0, true)
	}
	if a.grown && !a.keepsAll() {
		a.shed(a.config.maxRetained) // what nothing has needed, rather than what has been
	}
	if used > 0 || a.chunks.used > 1 || abandons { // which may have frozen a chunk of which nothing is in use
		a.region.restart()
		for _, s := range a.slabs {
			s.restart()
		}
	}
	if a.isLocal() {
		a.forget(0)
	} else {
		a.dropKept(0)
	}
	if abandons {
		a.beginLife()
		a.bury()
	}
	a.resets++
	if idle := a.resets%trimPeriod == 0; (idle || a.grown) && !a.keepsAll() {
		a.retain(idle, kept)
	}
	a.marks = a.marks[:0]
	a.positions = a.positions[:0]
	return used
}

// dropKept lets go of what KeepAlive was given but for the first n values.
func (a *Arena) dropKept(n int) {
	clear(a.kept[n:])
	a.kept = a.kept[:n]
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
	if a == nil || a.over() {
		return
	}
	a.check("Free")
	a.noteUse()
	if a.watch != nil {
		a.lookForStrays(0, 0)
	}
	a.endChildren(0, false)
	switch {
	case a.isLocal():
		a.shared.giveUp(a)
	case a.parent != nil:
		a.outlives()
		a.parent.disown(a)
		a.free(freed)
	default:
		a.free(freed)
	}
}

// free is Free without the family. Whatever blocks the arena still has leave the
// books here: those in use, and those that no relative took.
func (a *Arena) free(why state) {
	used := a.usedBytes()
	if a.config.scrub {
		a.scrub()
	}
	a.credit(a.reserved())
	a.region.leave()
	if o := a.owner; o != nil && o.arena == a {
		a.endWithValues()
	}
	for _, s := range a.slabs {
		s.region = region{arena: a, slab: s, unit: s.unit} // a Typed may point to it
	}
	l, s := a.lease, a.shared // to tell afterwards what has ended
	if a.parent != nil {
		l = nil
	}
	if !a.isLocal() {
		s = nil
	}
	if l != nil {
		l.drop(used)
	}
	*a = Arena{state: why, config: a.config, plainUpTo: a.plainUpTo, slabs: a.slabs, table: a.table,
		lease: l, shared: s, highWater: a.highWater, resets: a.resets}
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
	c := a.newChild(a.shared)
	if c.owner != nil {
		c.owner.leash = a.lead()
	}
	return c
}

// newChild returns a new child, which is a local of s or a child of one unless
// s is nil.
func (a *Arena) newChild(s *Shared) *Arena {
	a.serial++
	c := &Arena{config: a.config, parent: a, born: a.serial, shared: s,
		lease: a.lease, account: a.account}
	c.config.limit = 0
	c.init()
	c.budget = a.budget
	a.children.add(c)
	return c
}

// ancestors calls f with a's parent and those further up, until f returns true.
// Many goroutines share the root of a Shared: f has it to itself.
func (a *Arena) ancestors(f func(p *Arena) bool) {
	for ; !a.isLocal(); a = a.parent {
		if a.parent == nil || f(a.parent) {
			return
		}
	}
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	f(a.parent)
}

// endChildren frees the children that were born after a serial number. If they
// are dead, because their parent was reset, all of their chunks come back.
func (a *Arena) endChildren(after uint64, dead bool) {
	for c := range a.children.all {
		if c.born <= after {
			return
		}
		c.noteUse()
		c.endChildren(0, dead)
		if dead {
			c.ending = a.ending && c.isLocal()
			c.endLife()
			c.rewindTo(position{}, nil)
			c.dropKept(0)
			c.beginLife()
			c.bury()
		} else {
			c.outlives()
		}
		a.disown(c)
		c.free(ended)
	}
}

// disown takes a child and its unused chunks back.
func (a *Arena) disown(c *Arena) {
	a.children.remove(c)
	a.lent += c.highWater + c.lent
	a.grown = true

	c.region.giveChunks(&a.region)
	for _, s := range c.slabs {
		p := a.findSlab(s.key)
		if p == nil && a.shared == nil { // listing another slab takes a lock that Reset of a Shared holds
			p = a.newSlab(s.key, s.kind.Elem())
		}
		if p != nil {
			s.giveChunks(&p.region)
		}
	}
}
