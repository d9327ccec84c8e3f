package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how memory is given back: Mark, Rewind, Reset and Free. What that means
// for children is in child.go. It may not know what a region does to go back.
//
// The order is the same in all of them: the high-water mark is noted, while everything is
// there; hidden pointers are looked for, while values can be walked; children end, so that
// their chunks are back; then memory goes back; then what KeepAlive was given; and the
// quarantine is told when all of it has gone.

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
	at     int    // positions[at:] up to the next mark's are those of the arena's memory
	kept   int
	sample uint64 // the number of the last one that was taken of an observed arena
}

// marks are those that Rewind accepts, and what KeepAlive was given. Most arenas have neither: nil has none.
type marks struct {
	list      []mark // oldest first
	positions []memory.Position
	peak      int // how long list was in the lives since lists were let go
	kept      []any
}

// noted returns what an arena has of marks, to be added to.
func (a *Arena) noted() *marks {
	if a.marks == nil {
		a.marks = new(marks)
	}
	return a.marks
}

// kept returns what KeepAlive was given.
func (a *Arena) kept() []any {
	if a.marks == nil {
		return nil
	}
	return a.marks.kept
}

func (m *marks) len() int {
	if m == nil {
		return 0
	}
	return len(m.list)
}

// of returns the positions of mark i, one for each region that there was.
func (m *marks) of(i int) []memory.Position {
	if i+1 < len(m.list) {
		return m.positions[m.list[i].at:m.list[i+1].at]
	}
	return m.positions[m.list[i].at:]
}

// last returns the positions of the newest mark, none if there isn't one.
func (m *marks) last() []memory.Position {
	if m.len() == 0 {
		return nil
	}
	return m.of(len(m.list) - 1)
}

// cut forgets all marks but the first n.
func (m *marks) cut(n int) {
	if m == nil {
		return
	}
	m.peak = max(m.peak, len(m.list))
	if n < len(m.list) {
		m.positions = m.positions[:m.list[n].at]
		m.list = m.list[:n]
	}
}

// fit lets go of long lists of which no more than so small a part was used.
func (m *marks) fit(share int) {
	each := 1 + cap(m.positions)/max(1, cap(m.list)) // about
	m.positions = memory.FitList(m.positions, min(each*m.peak, cap(m.positions)), share)
	m.list = memory.FitList(m.list, m.peak, share)
	m.peak = 0
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
	a.enter("Mark")
	m := a.noted()
	if n := len(m.list); n > 0 && a.unchangedSince(&m.list[n-1]) {
		a.leave()
		return Mark{a, n - 1, m.list[n-1].serial}
	}
	if a.watch() != nil {
		a.memory.Part(m.last())
	}
	a.family.serial++
	m.list = memory.Push(&a.memory, m.list, mark{a.family.serial, len(m.positions), len(m.kept), a.samples()})
	m.positions = a.memory.Mark(m.positions)
	a.memory.SetMarked(true)
	a.leave()
	return Mark{a, len(m.list) - 1, a.family.serial}
}

// unchangedSince says whether the arena is where it was at its newest mark.
func (a *Arena) unchangedSince(m *mark) bool {
	return a.memory.At(a.marks.last()) && m.kept == len(a.kept()) && !a.family.bornAfter(m.serial)
}

// giveBackLow takes back the last n bytes of the low end, but nothing that was there at
// the newest mark.
func (a *Arena) giveBackLow(n uintptr) {
	var p *memory.Position
	if last := a.marks.last(); len(last) > 0 {
		p = &last[0]
	}
	a.plain.GiveBackLow(n, p)
	a.reclaimed()
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
	a.enter("Rewind")
	if m.index >= a.marks.len() || a.marks.list[m.index].serial != m.serial {
		a.leave()
		panic("arena: Rewind: the mark is stale: a Reset, or a Rewind to an earlier mark, ended it")
	}
	a.noteUse()
	saved, positions := &a.marks.list[m.index], a.marks.of(m.index)
	if a.watch() != nil {
		a.lookForHidden(positions[0].Big(), saved.serial)
	}
	a.endChildren(saved.serial, true)
	a.memory.Rewind(positions)
	a.reclaimed()
	a.forget(saved.kept)
	a.dropSamples(saved.sample)
	if a.quarantines() {
		a.submitDead()
	}
	a.marks.cut(m.index + 1)
	if a.quarantines() {
		a.leave()
		a.tookBack()
	}
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
	kept, quarantines := len(a.kept()), a.quarantines()
	if quarantines {
		a.enter("Reset")
	}
	used = a.noteUse()
	if quarantines {
		a.lookForHidden(0, 0)
	}
	a.endLife()
	if a.family.youngest != nil {
		a.endChildren(0, true)
	}
	if a.memory.Grown() && !a.keepsAll() {
		a.memory.Shed(a.config.MaxRetained) // what nothing has needed, rather than what has been
	}
	if used > 0 || quarantines || a.plain.Several() { // which may have frozen a chunk of which nothing is in use
		a.memory.Restart()
		a.reclaimed()
	}
	if a.isLocal() {
		a.forget(0)
	} else {
		a.dropKept(0)
	}
	a.dropSamples(0)
	if quarantines {
		a.beginLife()
		a.submitDead()
	}
	a.resets++
	if !a.isLocal() {
		a.memory.SetLife(a.resets + 1)
	}
	a.marks.cut(0)
	if idle := a.resets%tuning.TrimPeriod == 0; (idle || a.memory.Grown()) && !a.keepsAll() {
		a.retain(idle, kept)
	}
	a.family.ends = 0
	if a.family.parent != nil && !a.isLocal() {
		a.trimFamily()
	}
	a.memory.SetMarked(false)
	if quarantines {
		a.leave()
		a.tookBack()
	}
	return used
}

// retain lets go of the chunks and lists that Reset should not keep, among them those
// that were not needed for a while if idle is set. KeepAlive was given so many values
// as kept says. Chunks go before lists, since what remains of them decides on those.
func (a *Arena) retain(idle bool, kept int) {
	a.memory.Retain(idle)
	lists := a.listSize()
	if lists.Total == 0 {
		return // all of them are short, as nearly always
	}
	if share := a.memory.FitShare(lists, idle); share > 0 {
		if m := a.marks; m != nil {
			m.fit(share)
			m.kept = memory.FitList(m.kept, kept, share)
		}
		a.memory.FitLists(share)
	}
}

// listSize returns the bytes of the arena's lists.
func (a *Arena) listSize() (n memory.ListSize) {
	if m := a.marks; m != nil {
		n.Count(len(m.list), cap(m.list), unsafe.Sizeof(mark{}))
		n.Count(len(m.positions), cap(m.positions), unsafe.Sizeof(memory.Position{}))
		n.Count(len(m.kept), cap(m.kept), unsafe.Sizeof(any(nil)))
	}
	a.memory.CountLists(&n)
	if a.owner != nil && !a.isLocal() && a.owner.limbo.bytes > tuning.ListKeep {
		n.Total += a.owner.limbo.bytes
	}
	return n
}

// dropKept lets go of what KeepAlive was given but for the first n values.
func (a *Arena) dropKept(n int) {
	if m := a.marks; m != nil {
		clear(m.kept[n:])
		m.kept = m.kept[:n]
	}
}

// Freed reports whether the arena's life has ended, so that allocating panics: it was freed, or
// what it is a child or a local of was freed or reset. A nil arena, which is the Go heap, never was, and
// one that waits in a Pool wasn't.
func (a *Arena) Freed() bool { return a != nil && a.over() }

// Free lets go of all memory, which the GC reclaims as soon as nothing points
// to it. What was handed out stays valid for as long as something does: in a
// self-contained arena all of it as long as something points to any part of it,
// and else each chunk by itself. With WithScrub it is erased, though.
//
// Children are freed too, and so is, in arenas that are not self-contained,
// what KeepAlive was given. Allocating afterwards panics; a second Free does
// nothing, and neither does that of a nil arena. An arena that is dropped
// without Free costs nothing either: the GC finds it. It needs no finalizer, and one that
// [runtime.SetFinalizer] sets keeps it for ever, as an arena and its memory point to each other;
// [runtime.AddCleanup] works.
func (a *Arena) Free() {
	if a == nil || a.over() {
		return
	}
	a.check("Free")
	a.enter("Free") // and never leave it
	a.noteUse()
	if a.watch() != nil {
		a.lookForHidden(0, 0)
	}
	a.endChildren(0, false)
	switch {
	case a.isLocal():
		a.shared.giveUp(a)
	case a.family.parent != nil:
		a.markSurvivors()
		a.leaveFamily()
		a.free(freed)
	default:
		a.free(freed)
	}
}

// free is Free without the family. Whatever blocks the arena still has leave the
// books here: those in use, and those that no relative took.
func (a *Arena) free(why state) {
	used := a.usedBytes()
	if a.config.Scrub {
		a.scrub()
	}
	a.credit(a.memory.Reserved())
	a.budget.share.end()
	if o := a.owner; o != nil && o.arena == a {
		a.endWithValues()
	}
	a.memory.Drop()
	a.dropSamples(0)
	l, s := a.lease, a.shared // to tell afterwards what has ended
	if a.family.parent != nil {
		l = nil
	}
	if !a.isLocal() {
		s = nil
	}
	if l != nil {
		l.endFreed(used)
	}
	a.state, a.self, a.owner, a.marks, a.quarantine = why, nil, nil, nil, nil
	a.family, a.budget, a.lease, a.shared = family{}, budget{}, l, s
}

// scrub erases what was handed out from an arena that ends, and from its children. All
// of it stays handed out, as it is valid for as long as something points to it.
func (a *Arena) scrub() {
	for c := range a.generations {
		c.memory.Scrub()
	}
}

// usedBytes counts without costing the fast path anything: what was handed out
// follows from where the ends of the current chunks are.
func (a *Arena) usedBytes() uintptr {
	return a.memory.Used()
}

// noteUse keeps the high-water mark, and returns the bytes handed out. It is
// called before anything is given back.
func (a *Arena) noteUse() uintptr {
	used := a.usedBytes()
	a.highWater = max(a.highWater, used)
	return used
}
