package arena

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file reclaims memory: Mark, Rewind, Reset and Free. Their effect on children is in child.go. It must not depend
// on how a region is set back to an earlier position.
//
// The order is the same in all of them. The high-water mark is noted while everything is there. Hidden pointers are
// looked for while values can be walked. Children end, so that their chunks come back. Then memory is reclaimed, then
// the KeepAlive values are released. Last the quarantine learns of all of it.

// A Mark is a point in the life of an arena, to which Rewind goes back. It is a small value that may be copied and
// kept; it keeps its arena alive.
type Mark struct {
	arena  *Arena
	index  int // in arena.life.marks
	serial uint64
}

// A life records the ends of an arena's allocations so far, and the possible ones.
type life struct {
	state     state
	works     uint16 // pieces of work in this life, see trimFamily; counted at the top of a family
	resets    uint32
	highWater uintptr // largest use seen so far; see noteUse
	marks     *marks  // and the KeepAlive values
}

// A mark is the arena's state at a Mark.
type mark struct {
	serial uint64 // children with a larger one were born later
	empty  bool   // nothing was allocated, in a self-contained arena
	at     int    // positions[at:] up to the next mark's are those of the arena's memory
	kept   int
	sample uint64 // the number of the last one that was taken of an observed arena
}

// marks are those that Rewind accepts, and the KeepAlive values. Most arenas have neither, and a nil *marks.
type marks struct {
	list      []mark // oldest first
	positions []memory.Position
	peak      int // the length of list in the lives since lists were released
	kept      []any
	charged   uintptr // bytes for which KeepAlive counts towards a limit
	forgotten uintptr // those of values that an owner keeps until the life ends
}

// ensureMarks returns the arena's marks, to be added to.
func (a *Arena) ensureMarks() *marks {
	if a.life.marks == nil {
		a.life.marks = new(marks)
	}
	return a.life.marks
}

// kept returns the KeepAlive values.
func (a *Arena) kept() []any {
	if a.life.marks == nil {
		return nil
	}
	return a.life.marks.kept
}

func (m *marks) len() int {
	if m == nil {
		return 0
	}
	return len(m.list)
}

// positionsOf returns the positions of mark i, one for each region that there was.
func (m *marks) positionsOf(i int) []memory.Position {
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
	return m.positionsOf(len(m.list) - 1)
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

// fit releases long lists if less than one part in share of them was used.
func (m *marks) fit(share int) {
	perMark := 1 + cap(m.positions)/max(1, cap(m.list)) // about
	m.positions = memory.FitList(m.positions, min(perMark*m.peak, cap(m.positions)), share)
	m.list = memory.FitList(m.list, m.peak, share)
	m.peak = 0
}

// Mark returns the present point in the arena's life, for [Arena.Rewind]. It takes time in proportion to the number of
// types with pointers in the arena. The arena remembers each mark, in about 100 bytes, until Reset, Put or a Rewind to
// an earlier one; marks between which nothing was allocated count as one. It panics if the arena was freed. Marks of a
// nil arena do nothing.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	a.check("Mark")
	a.enter("Mark")
	m := a.ensureMarks()
	if n := len(m.list); n > 0 && a.unchangedSince(&m.list[n-1]) {
		a.leave()
		return Mark{a, n - 1, m.list[n-1].serial}
	}
	last := m.last()
	if a.watch() != nil {
		a.memory.Part(last)
	}
	a.family.serial++
	empty := a.owner != nil && a.usedBytes() == 0
	m.list = memory.Push(&a.memory, m.list, mark{a.family.serial, empty, len(m.positions), len(m.kept), a.samples()})
	m.positions = a.memory.Mark(m.positions, last)
	a.memory.SetMarked(true)
	a.leave()
	return Mark{a, len(m.list) - 1, a.family.serial}
}

// unchangedSince reports whether the arena is where it was at its newest mark.
func (a *Arena) unchangedSince(m *mark) bool {
	return a.memory.At(a.life.marks.last()) && m.kept == len(a.kept()) && !a.family.bornAfter(m.serial)
}

// giveBackLow reclaims the last n bytes of the low end, but nothing that was there at the newest mark.
func (a *Arena) giveBackLow(n uintptr) {
	var p *memory.Position
	if last := a.life.marks.last(); len(last) > 0 {
		p = &last[0]
	}
	used := a.plain.Used()
	a.plain.GiveBackLow(n, p)
	a.reclaimed()
	a.unsample(used - a.plain.Used())
}

// Rewind reclaims all that was allocated since m: it is Reset to a point in time. Values from before are untouched;
// touching one from after is a bug. Children made since are freed, and values given to KeepAlive since are released; in
// a self-contained arena only if nothing was allocated at m, and no older child lives, and else by Reset.
//
// In an arena of a [Pool] without reuse, values from after the mark stay valid, too: [Arena.UsedBytes] goes back, but
// the arena takes other memory for later values.
//
// A mark may be rewound to again and again. Rewind panics if m is the mark of another arena, if a Reset or a Rewind to
// an earlier mark ended it, or if the arena was freed.
func (a *Arena) Rewind(m Mark) {
	if a == nil {
		return
	}
	a.check("Rewind")
	if m.arena != a {
		panic("arena: Rewind: the mark is of another arena")
	}
	a.enter("Rewind")
	if m.index >= a.life.marks.len() || a.life.marks.list[m.index].serial != m.serial {
		a.leave()
		panic("arena: Rewind: the mark is stale: a Reset, or a Rewind to an earlier mark, ended it")
	}
	a.noteUse()
	saved, positions := &a.life.marks.list[m.index], a.life.marks.positionsOf(m.index)
	if a.watch() != nil {
		a.lookForHidden(positions[0].Big(), saved.serial)
	}
	a.endChildren(saved.serial, true)
	a.memory.Rewind(positions)
	a.reclaimed()
	ended := saved.empty && a.family.youngest == nil
	if ended {
		a.endLife(saved.kept)
	} else {
		a.forget(saved.kept)
	}
	a.dropSamples(saved.sample)
	a.submitDead(ended)
	a.life.marks.cut(m.index + 1)
	if a.quarantines() {
		a.afterReclaim()
	}
}

// Reset reclaims all that was allocated and keeps the memory for reuse, up to WithMaxRetained. Chunks beyond that, and
// those that weren't needed for a while, go back to the Go heap. Everything allocated before is dead: touching it is a
// bug. Marks become stale, children are freed, and KeepAlive's values are released.
//
// In an arena of a [Pool] without reuse the values stay valid for as long as something points to them, as after Free.
// The arena is empty and goes on with memory that it hasn't used yet.
//
// The time is proportional to the number of chunks and to the bytes of values with pointers, which are erased so that
// they keep nothing alive. Values without pointers and those of self-contained arenas are not touched. Reset of a nil
// or freed arena does nothing.
func (a *Arena) Reset() {
	if a == nil || a.over() {
		return
	}
	a.check("Reset")
	a.reset()
}

// reset is Reset of an arena in use. It returns how many bytes were allocated.
func (a *Arena) reset() (used uintptr) {
	switch {
	case a.isQuiet():
		if used = a.noteUse(); used > 0 || a.plain.Several() {
			a.memory.Restart()
		}
		a.life.resets++
	case a.quarantines():
		a.enter("Reset")
		a.lookForHidden(0, 0)
		used = a.resetAll()
		a.afterReclaim()
	default:
		used = a.resetAll()
	}
	return used
}

// resetAll is reset of an arena that may have relatives, marks, KeepAlive values, a limit and a quarantine.
func (a *Arena) resetAll() (used uintptr) {
	kept := len(a.kept())
	used = a.noteUse()
	if a.family.youngest != nil {
		a.endChildren(0, true)
	}
	if a.memory.Grown() {
		a.memory.Shed(a.config.MaxRetained) // before Restart, so that unused chunks go and used ones stay
	}
	if used > 0 || a.quarantines() || a.plain.Several() { // several chunks may be current though nothing is in use
		if a.isLocal() && a.owner != nil {
			a.memory.Rewind(nil) // its life goes on
		} else {
			a.memory.Restart()
		}
		a.reclaimed()
	}
	a.endLife(0)
	a.dropSamples(0)
	a.submitDead(true)
	a.life.resets++
	a.life.marks.cut(0)
	if idle := a.life.resets%tuning.TrimPeriod == 0; idle || a.memory.Grown() {
		a.retain(idle, kept)
	}
	a.life.works = 0
	if a.family.parent != nil && !a.isLocal() {
		a.trimFamily()
	}
	a.memory.SetMarked(false)
	return used
}

// isQuiet reports whether there is nothing to reset but memory, as after most lives: no relative, no limit, no mark, no
// check, no value for KeepAlive, no new chunk, and no period at whose end idle ones go.
func (a *Arena) isQuiet() bool {
	return a.life.marks == nil && a.family.youngest == nil && a.family.parent == nil && a.account.shared == nil &&
		a.quarantine == nil && a.owner == nil && a.account.share == nil && a.account.total == nil &&
		!a.isObserved() && a.life.works == 0 &&
		(a.config.lasts || !a.memory.Grown() && (a.life.resets+1)%tuning.TrimPeriod != 0)
}

// retain releases the chunks and lists that Reset should not keep, also those that were not needed for a while if idle
// is set. kept is the number of KeepAlive values. Chunks go before lists, since the chunks that remain decide on the
// lists.
func (a *Arena) retain(idle bool, kept int) {
	a.memory.Retain(idle)
	lists := a.listSize()
	if lists.Total == 0 {
		return // all of them are short, as nearly always
	}
	if share := a.memory.FitShare(lists, idle); share > 0 {
		if m := a.life.marks; m != nil {
			m.fit(share)
			m.kept = memory.FitList(m.kept, kept, share)
		}
		a.memory.FitLists(share)
	}
}

// listSize returns the bytes of the arena's lists.
func (a *Arena) listSize() (n memory.ListSize) {
	if m := a.life.marks; m != nil {
		n.Count(len(m.list), cap(m.list), unsafe.Sizeof(mark{}))
		n.Count(len(m.positions), cap(m.positions), unsafe.Sizeof(memory.Position{}))
		n.Count(len(m.kept), cap(m.kept), unsafe.Sizeof(any(nil)))
	}
	a.memory.CountLists(&n)
	if o := a.owner; o != nil && a.quarantines() && !a.isLocal() {
		n.Total += o.reclaim(nil).bytes
	}
	return n
}

// dropKept releases the KeepAlive values but for the first n, and the forgotten ones.
func (a *Arena) dropKept(n int) {
	if m := a.life.marks; m != nil {
		a.creditKept(m.cutKept(n) + m.forgotten)
		m.forgotten = 0
	}
}

// cutKept removes the KeepAlive values but for the first n, and returns the bytes that they counted.
func (m *marks) cutKept(n int) (bytes uintptr) {
	if m.charged > 0 {
		for _, v := range m.kept[n:] {
			bytes += keptSize(v)
		}
	}
	m.kept = slices.Delete(m.kept, n, len(m.kept))
	return bytes
}

// Freed reports whether the arena's life has ended, so that allocating panics: it was freed, or its parent or Shared
// was freed or reset. It is false for a nil arena, which is the Go heap, and for one that was put back into a Pool.
func (a *Arena) Freed() bool { return a != nil && a.over() }

// Free releases all memory, which the GC reclaims as soon as nothing points to it. Values stay valid for as long as
// something points to them: in a self-contained arena all values as long as something points to any of them, and else
// those of each chunk. With WithScrub they are erased, though.
//
// An arena of a [Pool] that is freed must not be put back. In a Pool without reuse Free does the same as Put, and is
// only counted apart, as PoolStats.Freed.
//
// Children are freed too, and in arenas that are not self-contained Free releases KeepAlive's values. Allocating
// afterwards panics; a second Free does nothing, and neither does that of a nil arena.
//
// An arena that is dropped without Free costs nothing: the GC finds it. It needs no finalizer. One that
// [runtime.SetFinalizer] sets keeps the arena for ever, since an arena and its memory point to each other;
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
	switch l := a.account.lease; {
	case l != nil && l.gear != nil && a.family.parent == nil:
		reserved := l.bytes()
		l.settle(a)
		l.frees.Add(3)
		l.turns.Add(1)
		l.frees.Add(^uint64(0)) // see ended
		l.endLasting(a, reserved, &l.gear.freed)
	case a.isLocal():
		a.account.shared.giveUp(a)
	case a.family.parent != nil:
		a.leaveFamily()
		a.free(freed)
	default:
		a.free(freed)
	}
}

// settle resets the arena at the end of a turn, and counts the turn's use.
func (l *lease) settle(a *Arena) {
	observed := l.sampler.Load() != nil
	if observed {
		l.unobserve(a)
	}
	if l.gear != nil && l.sampled {
		l.class.add(&a.memory)
	}
	used := uint64(a.reset())
	l.count(used)
	if observed {
		l.spare.End(used)
	}
}

// free is Free without the family. The arena's remaining blocks stop counting here: those in use, and those that no
// relative took.
func (a *Arena) free(why state) {
	used := a.usedBytes()
	if a.config.Scrub {
		a.scrub()
	}
	a.credit(a.memory.Reserved())
	if m := a.life.marks; m != nil {
		a.creditKept(m.charged)
	}
	a.account.share.end()
	if o := a.owner; o != nil && o.arena == a {
		a.endWithValues()
	}
	a.memory.Drop()
	a.dropSamples(0)
	l, s := a.account.lease, a.account.shared // for messages about later uses
	if a.family.parent != nil {
		l = nil
	}
	if !a.isLocal() {
		s = nil
	}
	if l != nil {
		l.endFreed(used)
	}
	a.life.state, a.self, a.owner, a.life.marks, a.quarantine = why, nil, nil, nil, nil
	a.family, a.account = family{}, account{lease: l, shared: s}
}

// scrub erases the values of an arena that ends, and of its children. All of them stay allocated, as they are valid for
// as long as something points to them.
func (a *Arena) scrub() {
	for c := range a.generations {
		c.memory.Scrub()
	}
}

// usedBytes returns the allocated bytes, children not counted. It costs the fast path nothing: they follow from the
// ends of the current chunks.
func (a *Arena) usedBytes() uintptr {
	return a.memory.Used()
}

// noteUse updates the high-water mark, and returns the allocated bytes. It is called before anything is reclaimed.
func (a *Arena) noteUse() uintptr {
	used := a.usedBytes()
	a.life.highWater = max(a.life.highWater, used)
	return used
}
