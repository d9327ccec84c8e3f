package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how a region reclaims allocated memory for reuse: step (5) in the life of its memory, see region.go.
// With a quarantine it isn't reused; that is in quarantine.go. This file must not depend on who uses the memory, or on
// whether anything still points there.
//
// A Rewind goes backwards through the allocations since the position, newest first:
//
//	chunks   │ 1 │ 2 │ 3 │        position: 2 chunks in use, lo = 40, hi = 4000
//	            ▲       ▲
//	            │       now
//	            position
//
//	(1) big chunks that came later become unused, the last of those before shrinks
//	(2) chunk 3 becomes unused, and chunk 2 is current again
//	(3) in chunk 2 the ends go back to 40 and 4000, and the memory between is erased
//	(4) the counters of all other chunks go back to their values at the position
//
// Used is then the same as at the position, to the byte. Slabs and arenas that scrub erase at (1) to (3), before
// anything else can be allocated. Others erase when the memory is allocated again, except for a few KiB at (3).

// A Position is a state to which a region can be set back. It stays valid until the
// region goes back to an earlier one. It doesn't say where chunks are: a Rewind finds
// them in the order in which they came into use. The zero Position is the beginning.
type Position struct {
	chunks, big int // in use
	// lo and hi are of the current chunk; hi is noCurrent if chunks are in use but none is current.
	lo, hi               uintptr
	bigLo                uintptr   // of the newest big chunk
	gaps                 asan.Gaps // not last, where it would take memory
	usedElsewhere, waste uintptr
}

// Position returns the present state. It costs a few loads: a mark of many slabs is cheap.
func (r *Region) Position() Position {
	chunks, hi := r.top()
	return Position{chunks, r.big.used, r.lo, hi, r.bigLo(), r.gaps, r.usedElsewhere, r.waste}
}

// top returns chunks and hi of the region's position. A region that was never used has hi 0, and so has the
// zero Position. In a lasting space an empty chunk isn't in use: another one may take its place.
func (r *Region) top() (chunks int, hi uintptr) {
	chunks, hi = r.chunks.used, r.hi()
	empty := r.mem != nil && r.lo == 0 && hi == r.size && r.space.Lasting()
	if empty {
		chunks, hi = chunks-1, 0
	}
	if (r.mem == nil || empty) && chunks > 0 {
		hi = noCurrent
	}
	return chunks, hi
}

// noCurrent is the hi of a position with chunks in use but no current one, as
// intoQuarantine and Part leave it.
const noCurrent = ^uintptr(0)

// At reports whether the region is where it was at p. The rest of a position follows from
// these: taking memory moves one of the ends or brings a chunk into use.
func (r *Region) At(p *Position) bool {
	chunks, hi := r.top()
	return r.lo == p.lo && hi == p.hi && chunks == p.chunks && r.big.used == p.big && r.bigLo() == p.bigLo
}

// Rewind sets the region back to p. A region that has chunks keeps the first of them current
// even where p is the beginning, so that the next allocation finds a chunk at hand.
//
// The peak is noted before anything goes back, when use is largest.
func (r *Region) Rewind(p *Position) {
	if r.At(p) {
		return
	}
	if r.space.Lasting() {
		r.leave(p)
		r.space.settle()
		return
	}
	if q := r.space.quarantined(); q != nil {
		r.intoQuarantine(q, p)
		return
	}
	r.peak = max(r.peak, r.span())
	// (1), see above; (2) and (3) follow, and (4) is the last line.
	r.empty(&r.big, p.big)
	if r.bigLo() > p.bigLo {
		r.shorten(r.newestBig(), p.bigLo)
	}
	if r.chunks.used > p.chunks && r.chunks.used > 1 {
		r.unsetCurrent()
		r.empty(&r.chunks, max(p.chunks, 1)) // the first stays current, ready for the next life
		r.setCurrent(r.chunks.at(r.chunks.used - 1))
	}
	if r.mem != nil {
		lo, hi := p.lo, p.hi
		if p.chunks == 0 {
			lo, hi = 0, r.size
		}
		if lo < r.lo || r.hi() < hi {
			r.space.markStale(r.chunks.at(r.chunks.used - 1))
		}
		r.giveBack(lo, hi)
	}
	r.usedElsewhere, r.waste, r.gaps = p.usedElsewhere, p.waste, p.gaps
}

// restart sets the region back to its beginning, and reports whether something was in use. It is Rewind in fewer steps:
// with one chunk, as after most lives, there is nothing else to set back.
func (r *Region) restart() bool {
	used := r.span()
	r.learn(used)
	switch {
	case r.chunks.used > 1 || r.big.used > 0 || r.space.quarantined() != nil:
		r.Rewind(&beginning)
	case used == 0:
	case r.lo == 0 && used <= tuning.Piece && r.widens():
		r.giveBackTop(used)
	default:
		r.giveBack(0, r.size)
		r.gaps = asan.Gaps{}
	}
	return used > 0
}

// giveBackTop is giveBack of used bytes of objects above a window that widens, in a third of the instructions: for most
// regions of a short life.
func (r *Region) giveBackTop(used uintptr) {
	if mem := unsafe.Add(r.w.Base, r.w.Left); r.slab != nil { // fact 1
		r.slab.kind.Clear(mem, used) // fact 8
	} else {
		clear(unsafe.Slice((*byte)(mem), used))
	}
	r.w.Left, r.dueSet = r.size-r.win, false
}

// widens reports whether the window can grow upwards without a change of its base.
func (r *Region) widens() bool { return r.w.Left > 0 && r.win == r.roundUnit(r.win) && !r.metered }

// empty reclaims all that was allocated from the chunks in use but the first n, none of which is current. The newest
// becomes unused first, so that they keep their order.
func (r *Region) empty(l *list, n int) {
	for l.used > n {
		l.used--
		c := l.at(l.used)
		r.space.markStale(c)
		r.reclaim(c.Mem, 0, c.lo)
		r.reclaim(c.Mem, c.hi, c.Size)
		c.lo, c.hi, c.clean = 0, c.Size, r.eager()
	}
}

// shorten reclaims a big chunk's memory above lo.
func (r *Region) shorten(c *Chunk, lo uintptr) {
	r.reclaim(c.Mem, lo, c.lo)
	c.lo, c.clean = lo, c.clean && r.eager()
}

// reclaim makes touching a part of a chunk a bug. An eager region erases the part; in others its contents are unknown
// from then on.
func (r *Region) reclaim(mem unsafe.Pointer, from, to uintptr) {
	Poison(mem, from, to)
	if r.eager() {
		r.erase(mem, from, to)
	}
}

// eraseUsed erases the allocated parts of a chunk, at both ends.
func (r *Region) eraseUsed(c *Chunk) {
	r.erase(c.Mem, 0, c.lo)
	r.erase(c.Mem, c.hi, c.Size)
}

// retireCurrent makes a region that was rewound to its beginning put its current chunk among
// the unused ones, where it can be released or given to others. A region with something in
// use is left as it is.
func (r *Region) retireCurrent() {
	if r.mem == nil || r.span() > 0 {
		return
	}
	// Nothing of the middle is unknown, and nothing else is left: all of the chunk is zero.
	clean := r.zero == r.win
	r.unsetCurrent()
	r.chunks.used--
	c := r.chunks.at(r.chunks.used)
	c.clean, c.lo, c.hi = clean, 0, c.Size
	r.usedElsewhere, r.waste = 0, 0
}

// giveBack returns to the middle the memory between lo and the end of the slices, and between the beginning of the
// objects and hi.
//
// If it is much it becomes unknown: the window is closed, and the next allocation opens one
// and erases just that. If it is little it is erased here, and the window grows upwards to
// hi, so that the next allocation is a fast one.
func (r *Region) giveBack(lo, hi uintptr) {
	r.dueSet = false
	Poison(r.mem, lo, r.lo)
	Poison(r.mem, r.hi(), hi)
	// Too much to erase now, so it is unknown: zero is where the slices end.
	if bytes := r.lo - lo + hi - r.hi(); bytes > tuning.EraseNow && !r.eager() {
		r.lo, r.zero = lo, lo
		r.setWindow(hi, hi)
		return
	}
	if r.lo > lo {
		r.erase(r.mem, lo, r.lo)
		r.lo = lo
	}
	r.erase(r.mem, r.hi(), hi)
	if r.widens() {
		r.w.Left = hi - r.win
		return
	}
	win := min(r.roundUnit(r.win), hi)
	if r.zero == r.win {
		r.zero = win
	}
	r.setWindow(win, hi)
}

// GiveBackLow reclaims the last n bytes of the low end, but nothing that was there at p, since a
// Rewind to p would make it valid again while something else uses it. p is nil if there is no mark.
func (r *Region) GiveBackLow(n uintptr, p *Position) {
	lo := r.lo - n
	if p != nil && p.chunks == r.chunks.used {
		lo = max(lo, p.lo)
	}
	r.giveBack(lo, r.hi())
}

// RewindUnseen is Rewind for a single allocation to which no value points. So its chunk is
// no more stale than before: the life numbers are restored.
func (r *Region) RewindUnseen(p *Position) {
	// A single allocation can have touched only the last chunk of each list.
	var lives [2]uint32
	lists := [...]*list{&r.chunks, &r.big}
	last := [...]int{r.chunks.used - 1, r.big.used - 1}
	for i, l := range lists {
		if last[i] >= 0 {
			lives[i] = l.chunks[last[i]].life
		}
	}
	r.Rewind(p)
	if r.space.quarantined() != nil {
		return // which has the chunks
	}
	for i, l := range lists {
		if last[i] >= 0 {
			l.chunks[last[i]].life = lives[i]
		}
	}
}

// erase clears a part of a chunk. In a slab a marking GC must see the pointers go; elsewhere
// the GC looks at none.
func (r *Region) erase(mem unsafe.Pointer, from, to uintptr) {
	switch {
	case from >= to:
	case r.slab != nil:
		r.slab.kind.Clear(unsafe.Add(mem, from), to-from) // fact 8
	default:
		block.Clear(mem, from, to)
	}
}

// Big returns how many big chunks were in use at p; later ones have higher indices.
func (p *Position) Big() int { return p.big }

// Several reports whether more than one chunk was current since the beginning. It is
// called when nothing is in use: Restart then has to put the others among the unused.
func (r *Region) Several() bool { return r.chunks.used > 1 }

// Room returns how many bytes the current chunk has left between its two ends, including
// the window.
func (r *Region) Room() uintptr { return r.hi() - r.lo }

// Lo returns the offset in the current chunk at which the low end is. It is only
// meaningful compared with an earlier one for the same chunk.
func (r *Region) Lo() uintptr { return r.lo }

// newestBig returns the big chunk that came into use last, or nil. It is the only big chunk
// that may grow or shrink where it is, so a position needs to note no other.
func (r *Region) newestBig() *Chunk {
	if r.big.used == 0 {
		return nil
	}
	return r.big.at(r.big.used - 1)
}

// bigLo returns how much of the newest big chunk is in use, in bytes. All big chunks before
// it are as they were when it came.
func (r *Region) bigLo() uintptr {
	if c := r.newestBig(); c != nil {
		return c.lo
	}
	return 0
}
