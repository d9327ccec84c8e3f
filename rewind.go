package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/block"
)

// This file holds how a region takes back what it has handed out, for use again:
// step (5) in the life of its memory, see region.go. What doesn't use it again is
// in abandon.go.

// A position is a state of a region to which it can be set back.
type position struct {
	chunks, big   int // in use
	lo, hi        uintptr
	bigLo         uintptr   // of the newest big chunk
	gaps          asan.Gaps // not last, where it would take memory
	before, waste uintptr
}

func (r *region) position() position {
	return position{r.chunks.used, r.big.used, r.lo, r.top(), r.bigLo(), r.gaps, r.before, r.waste}
}

// top is hi of the region's position.
func (r *region) top() uintptr {
	if r.mem == nil && r.chunks.used > 0 {
		return noCurrent
	}
	return r.hi()
}

// noCurrent is hi of a position at which there are chunks in use but no current
// one, as abandon and part leave it.
const noCurrent = ^uintptr(0)

// at says whether the region is where it was at p. The rest of a position follows
// from these.
func (r *region) at(p *position) bool {
	return r.lo == p.lo && r.top() == p.hi && r.chunks.used == p.chunks && r.big.used == p.big && r.bigLo() == p.bigLo
}

// rewind sets the region back to p.
func (r *region) rewind(p *position) {
	if r.at(p) {
		return
	}
	if r.arena.abandons() {
		r.abandon(p)
		return
	}
	r.most = max(r.most, r.used())
	for r.big.used > p.big {
		r.big.used--
		r.retire(&r.big.chunks[r.big.used])
	}
	if r.bigLo() > p.bigLo {
		r.shorten(r.newestBig(), p.bigLo)
	}
	if r.chunks.used > p.chunks && r.chunks.used > 1 {
		r.leave()
		keep := max(p.chunks, 1) // the first stays current, ready for what follows
		for r.chunks.used > keep {
			r.chunks.used--
			r.retire(&r.chunks.chunks[r.chunks.used])
		}
		r.enter(&r.chunks.chunks[keep-1])
	}
	if r.mem != nil {
		lo, hi := p.lo, p.hi
		if p.chunks == 0 {
			lo, hi = 0, r.size
			r.chunks.chunks[0].takenBack(r.arena)
		}
		r.giveBack(lo, hi)
	}
	r.before, r.waste, r.gaps = p.before, p.waste, p.gaps
}

// restart sets the region back to its beginning.
func (r *region) restart() {
	used := r.used()
	r.lately = max(r.lately, used)
	switch {
	case r.arena.abandons():
		r.rewind(&position{})
	case r.chunks.used > 1 || r.big.used > 0:
		r.beginWithLargest()
		r.rewind(&position{})
	case used > 0: // of the only chunk, which stays the current one
		r.most = max(r.most, used)
		r.giveBack(0, r.size)
		r.gaps = asan.Gaps{}
	}
}

// frontMax is how large a chunk may be that beginWithLargest puts in front. One
// value of a freed arena may keep it alive, and compared with what goes into a
// larger one the step to the next doesn't matter.
const frontMax = 64 << 10

// beginWithLargest puts the largest of the chunks in use in front, before all of
// them are given back: work that needs a little more than the first chunk then
// doesn't need a second, which costs as much as a few dozen objects. Lives of 10
// objects of 64 B take half the time with it. In a Pool, the size of the first
// chunk is learned instead.
func (r *region) beginWithLargest() {
	if r.chunks.used < 2 || r.arena.lease != nil {
		return
	}
	r.leave()
	in := r.chunks.chunks[:r.chunks.used]
	for i := range in {
		if in[0].total < in[i].total && in[i].total <= frontMax {
			in[i], in[0] = in[0], in[i]
		}
	}
}

// oversized says that the first chunk has become too large for what was needed
// of late, as beginWithLargest may make it.
func (r *region) oversized() bool {
	c := r.chunks.chunks
	return len(c) > 0 && c[0].total > r.first && c[0].total > (1+idleShare)*r.lately && r.arena.lease == nil
}

// retire takes back all that was handed out from a chunk that isn't current.
func (r *region) retire(c *chunk) {
	poison(c.mem, 0, c.lo)
	poison(c.mem, c.hi, c.size)
	c.takenBack(r.arena)
	c.clean = r.eager()
	if c.clean {
		r.eraseUsed(c)
	}
	c.lo, c.hi = 0, c.size
}

// eraseUsed erases what was handed out from a chunk.
func (r *region) eraseUsed(c *chunk) {
	r.erase(c.mem, 0, c.lo)
	r.erase(c.mem, c.hi, c.size)
}

// scrub erases what was handed out from an arena that ends, and from its children. All
// of it stays handed out, as it is valid for as long as something points to it.
func (a *Arena) scrub() {
	a.region.scrub()
	for _, s := range a.slabs {
		s.scrub()
	}
	for c := range a.children.all {
		c.scrub()
	}
}

func (r *region) scrub() {
	for c := range r.inUse {
		r.eraseUsed(&c)
	}
}

// vacate makes a region that was rewound to its beginning put its current chunk
// among the unused ones.
func (r *region) vacate() {
	if r.mem == nil || r.used() > 0 {
		return
	}
	clean := r.zero == r.win
	r.leave()
	r.chunks.used--
	c := &r.chunks.chunks[r.chunks.used]
	c.clean, c.lo, c.hi = clean, 0, c.size
	r.before, r.waste = 0, 0
}

// giveBack takes back into the middle what was handed out between lo and the
// end of the slices, and between the beginning of the objects and hi.
func (r *region) giveBack(lo, hi uintptr) {
	poison(r.mem, lo, r.lo)
	poison(r.mem, r.hi(), hi)
	if bytes := r.lo - lo + hi - r.hi(); bytes > eraseNow && !r.eager() {
		r.lo, r.zero = lo, lo
		r.setWindow(hi, hi)
		return
	}
	if r.lo > lo {
		r.erase(r.mem, lo, r.lo)
		r.lo = lo
	}
	if r.hi() < hi {
		r.erase(r.mem, r.hi(), hi)
	}
	if r.left > 0 && r.win == r.roundUnit(r.win) { // so that base stays as it is
		r.left = hi - r.win
		return
	}
	win := min(r.roundUnit(r.win), hi)
	if r.zero == r.win {
		r.zero = win
	}
	r.setWindow(win, hi)
}

// erase clears a part of a chunk.
func (r *region) erase(mem unsafe.Pointer, from, to uintptr) {
	switch {
	case from >= to:
	case r.slab != nil:
		r.slab.kind.Clear(unsafe.Add(mem, from), int((to-from)/r.unit)) // fact 8
	default:
		block.Clear(mem, from, to)
	}
}
