package watch

import (
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the tracker, which finds out whether anything still points to memory that checked arenas reclaimed.
// It must not depend on how a block was used, or on who gets the findings.
//
//	(1) A batch is submitted: an arena has reclaimed something, and has released it.
//	    The tracker has a weak pointer to each block.
//	(2) GC cycles pass, in their own time. A block that nobody points to dies in
//	    the first full one.
//	(3) After three full cycles the tracker looks, for the first and only time. A
//	    block that is still there has a holder, which is a finding.
//
//	   submitted      1         2         3   looks
//	───────┴────┬─────┴────┬────┴────┬────┴─────▶ time
//	        GC: └ under way, when the batch came: not a full one
//
// One cycle should be enough, but the GC takes some dead pointers on stacks for live ones: of 45,384 unused blocks, 7
// survived one cycle, 1 survived two, and none survived three. The tracker must not look earlier: its strong pointer
// would make a GC that is marking keep the block.
//
// Locks are taken in the order finding, looking, mu. The handler is called with looking held, and within FindAll with
// finding held too. So it must not call FindAll, but may submit.

// cyclesNeeded is the number of full GC cycles that a block must survive to be a finding; see above.
const cyclesNeeded = 3

// A Batch holds the memory that one operation reclaimed.
type Batch struct {
	Name    string // of the arena
	Handler any    // for the findings; only their receiver knows its type
	Stack   Stack  // of the operation

	Key  string // as given to GetKeyed, of an arena from a Pool
	Lent *Stack // of the Get of such an arena; or nil

	doomed []doomedBlock
	fence  *fence    // around doomed; or nil
	wrote  []Finding // writes found already
	number uint64    // of the batch, in order of submission

	keeps   bool // it keeps blocks alive: guarded blocks, and blocks that Peek found
	cycles  int  // full GC cycles since it was submitted
	counted bool // it is older than the tick, so that the tick's cycle is a full one for it
}

// A Tracker checks whether submitted memory dies. Any number of goroutines may use it.
type Tracker struct {
	// Report gets the findings, in a goroutine of its own or in that of FindAll.
	Report func([]Finding)

	finding sync.Mutex // of FindAll and Peek: reading the tick in one would keep it alive during the other's GC
	looking sync.Mutex // held from looking to reporting

	mu        sync.Mutex // guards the fields below
	fences    fencing    // around memory not examined yet; or nil
	batches   []*Batch   // oldest first
	submitted uint64     // number of the newest batch
	tick      weak.Pointer[tick]
}

// A tick is an object without references. It dies in the first GC cycle that begins after it was made, and its death
// wakes the tracker. It exists only while there are batches: a program without checked arenas has none.
type tick [4]uint64

// Submit has the tracker check a batch. The caller must have released all blocks in it, and must not keep the batch.
func (t *Tracker) Submit(b *Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	idle := t.idle()
	if t.fences == nil || !t.fences.raise(b, t.add) {
		t.add(b)
	}
	if idle {
		t.newTick()
		b.counted = true
	}
}

// idle reports whether there is nothing to check. mu is held.
func (t *Tracker) idle() bool { return len(t.batches) == 0 && (t.fences == nil || t.fences.empty()) }

// lowerFences lowers all fences, or those raised for at least tuning.FenceTime. mu is held.
func (t *Tracker) lowerFences(all bool) {
	if t.fences != nil {
		t.fences.lower(all, t.add)
	}
}

// add has the tracker check a batch from now on. mu is held.
func (t *Tracker) add(b *Batch) {
	if len(t.batches) >= tuning.MaxBatches {
		return
	}
	t.submitted++
	b.number, b.counted = t.submitted, false
	b.guard(func(*doomedBlock) bool { return true })
	t.batches = append(t.batches, b)
}

// newTick makes a tick. mu is held. The cleanup that runs at its death belongs to no synctest bubble. A timer or
// goroutine would belong to the bubble that starts it: that of the first test that resets a checked arena.
//
// To the race detector, everything has happened before the cleanup. A goroutine that synchronized with it by a lock
// could then use dead memory without a report. So the cleanup only starts a timer, unseen by the detector.
func (t *Tracker) newTick() {
	n := new(tick)
	t.tick = weak.Make(n)
	runtime.AddCleanup(n, func(t *Tracker) { race.Unseen(func() { time.AfterFunc(0, t.advance) }) }, t)
}

// advance counts a cycle if one has passed, and checks the batches that are due. It holds looking until their findings
// are reported, so that FindAll, which takes looking, returns afterwards.
func (t *Tracker) advance() {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.report(findings(t.due()))
}

// due removes the batches that have seen enough cycles from the list, and returns them.
//
// While the tick lives no cycle has passed since it was made. The cycle in which it died began after it was made, so it
// was a full one for each older batch; a later batch has to wait for the next tick.
func (t *Tracker) due() (due []*Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tick.Value() != nil {
		return nil
	}
	t.lowerFences(false)
	t.batches = slices.DeleteFunc(t.batches, func(b *Batch) bool {
		if b.keeps {
			return false // until FindAll
		}
		if b.counted {
			b.cycles++
		}
		b.counted = true
		if b.cycles < cyclesNeeded {
			return false
		}
		due = append(due, b)
		return true
	})
	if !t.idle() {
		t.newTick()
	}
	return due
}

// A Finding is a reclaimed block that is still alive. It has no pointer to the block, or a search for holders would
// find it.
type Finding struct {
	*Batch
	*doomedBlock
	addr    uintptr // of the block: a pointer would hold it
	Cycles  int     // full GC cycles that it survived
	Written bool    // it was written to after its death
	Moved   bool    // the write came after a move and before the reclaim: the batch's stack is that of the move
}

// findings returns the doomed blocks that are still alive. A block whose sentinel lives is rightly held and isn't a
// finding. Each block has a strong pointer during the look. Writes to moved blocks and slabs are returned once.
//
//go:norace
func findings(batches []*Batch) (found []Finding) {
	for _, b := range batches {
		found = append(found, b.wrote...)
		b.wrote = nil
		for i := range b.doomed {
			s := &b.doomed[i]
			if s.sentinel.Value() != nil { // before the block, which it holds
				continue
			}
			if p := unsafe.Pointer(s.block.Value()); p != nil {
				found = append(found, Finding{b, s, uintptr(p), b.cycles, s.written(p), false})
			}
		}
	}
	return found
}

// SiteAt returns the batch's allocation at an address, or with gone the allocation that was there before it was freed.
// It returns nil if there is none, or if the address belongs to another allocation by now.
func (b *Batch) SiteAt(addr uintptr, gone bool) *Site {
	if b == nil {
		return nil
	}
	for i := range b.doomed {
		if s := &b.doomed[i]; s.Site != nil && addr-s.addr <= s.watched && gone == (s.block.Value() == nil) {
			return s.Site
		}
	}
	return nil
}

// ReclaimedAt returns the newest batch with the block at an address, or with gone a freed block, and the allocation
// there. It returns nil if there is none. A handler of findings may call it, or another goroutine meanwhile: it doesn't
// wait until the tracker has looked.
func (t *Tracker) ReclaimedAt(addr uintptr, gone bool) (*Batch, *Site) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range slices.Backward(t.batches) {
		if s := b.SiteAt(addr, gone); s != nil {
			return b, s
		}
	}
	return nil, nil
}

// report passes findings to the handler.
func (t *Tracker) report(found []Finding) {
	if len(found) > 0 {
		t.Report(found)
	}
}

// written reports whether a dead block was written to. In builds with a sanitizer the write was reported already, and a
// look would be reported as well.
func (s *doomedBlock) written(p unsafe.Pointer) bool {
	return s.Site != nil && !race.Instrumented && s.touched(p)
}

// Extent returns the block's address and its watched size. For a whole self-contained arena they are those of the
// object that holds it together.
func (f *Finding) Extent() (addr, size uintptr) { return f.addr, f.watched }

// FindAll runs the GC until everything submitted so far has been checked and reported. Concurrent calls wait for each
// other. It takes one GC cycle if all of it is dead, else four, seldom more, and none if there is nothing to do.
func (t *Tracker) FindAll() {
	t.finding.Lock()
	defer t.finding.Unlock()
	guard.Lift()
	defer guard.Lower()
	// Writes are looked for first: the following GC cycles free most blocks, and with them the evidence.
	batches, last := t.verify()
	alive := t.alive(batches, true)
	t.mu.Lock()
	if alive {
		t.restart()
	} else {
		t.batches = slices.DeleteFunc(t.batches, func(b *Batch) bool { return b.number <= last })
		if len(t.batches) == 0 {
			t.tick = weak.Pointer[tick]{}
		}
	}
	t.mu.Unlock()
	for range tuning.MaxCycles {
		t.advance()
		if t.decided(last) {
			return
		}
		runtime.GC()
	}
}

// alive runs a GC cycle, and reports whether anything in the batches survived; known includes blocks that Peek has
// found before. Usually everything is dead, and the search ends. Survivors must survive cyclesNeeded more cycles after
// this look.
//
//go:norace
func (t *Tracker) alive(batches []*Batch, known bool) bool {
	if len(batches) == 0 {
		return false
	}
	runtime.GC()
	for _, b := range batches {
		for i := range b.doomed {
			if s := &b.doomed[i]; (known || !s.peeked) && s.block.Value() != nil {
				return true
			}
		}
	}
	return false
}

// restart resets the cycle counts of all batches. mu is held.
func (t *Tracker) restart() {
	for _, b := range t.batches {
		b.cycles, b.counted = 0, true
	}
	t.newTick()
}

// Peek runs a GC cycle, and three more if a block is alive that Peek hasn't found before. It passes the new survivors
// to report. Writes are reported as by FindAll. These cycles don't count for later looks: a present holder may let go
// before the memory would be reused.
//
// Peek keeps the blocks that it found until FindAll or another Peek has checked them for writes: otherwise the GC would
// free them, and the evidence, once they have no other holder. While report runs, no other finding is reported.
func (t *Tracker) Peek(report func([]Finding)) {
	t.finding.Lock()
	defer t.finding.Unlock()
	t.looking.Lock()
	defer t.looking.Unlock()
	for _, b := range t.peek(report) {
		b.guard(func(s *doomedBlock) bool { return s.keep != nil })
	}
}

// peek is Peek, with nothing guarded. It returns the batches that it checked, which keep their surviving blocks.
func (t *Tracker) peek(report func([]Finding)) []*Batch {
	guard.Lift()
	defer guard.Lower()
	t.mu.Lock()
	t.lowerFences(true)
	batches := slices.Clone(t.batches)
	t.mu.Unlock()
	if len(batches) == 0 {
		return nil
	}
	t.reportWritten(batches) // the cycles that follow free most blocks
	if t.alive(batches, false) {
		for range cyclesNeeded {
			runtime.GC()
		}
	}
	alive := findings(batches)
	var found []Finding
	for _, f := range alive {
		if !f.peeked {
			f.peeked, f.Cycles = true, cyclesNeeded
			found = append(found, f)
		}
	}
	if len(found) > 0 {
		report(found)
	}
	for _, f := range alive { // last, or a search for holders would find it
		f.keep, f.keeps = unsafe.Pointer(f.block.Value()), true
	}
	t.mu.Lock()
	t.restart()
	t.mu.Unlock()
	return batches
}

// release drops the pointers that keep blocks, while guards are lifted.
//
//go:norace
func release(batches []*Batch) {
	guard.Forget()
	for _, b := range batches {
		if b.keeps {
			b.keeps = false
			for i := range b.doomed {
				b.doomed[i].keep, b.doomed[i].guarded = nil, false
			}
		}
	}
}

// decided reports whether all batches up to last are over and reported.
func (t *Tracker) decided(last uint64) bool {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.batches) == 0 || t.batches[0].number > last
}

// verify reports dead blocks that were written to, before the GC frees them. It returns the batches, and the number of
// the last one. A reported block is forgotten, so that it isn't reported again as held.
func (t *Tracker) verify() (batches []*Batch, last uint64) {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.mu.Lock()
	t.lowerFences(true)
	batches, last = slices.Clone(t.batches), t.submitted
	t.mu.Unlock()
	t.reportWritten(batches)
	return batches, last
}

// reportWritten reports dead blocks that were written to, and releases those that Peek keeps. looking is held.
func (t *Tracker) reportWritten(batches []*Batch) {
	var written []Finding
	all := findings(batches)
	t.mu.Lock()
	for _, f := range all {
		if f.Written {
			written = append(written, f)
			f.doomedBlock.block = weak.Pointer[byte]{} // reported
		}
	}
	t.mu.Unlock()
	release(batches)
	t.report(written)
}
