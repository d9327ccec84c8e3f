package arena

import (
	"slices"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/race"
)

// This file holds how memory is taken back without being used again: in builds
// with the race detector, which then reports whoever touches it, and by checked
// arenas, which watch whether it dies.
//
// Memory that was abandoned is ordinary heap memory: while somebody points to
// it, it stays what it is; else the GC reclaims it.

// abandons says whether the arena abandons what it takes back.
func (a *Arena) abandons() bool { return race.Enabled || a.watch != nil }

// abandon is rewind without reuse.
func (r *region) abandon(p *position) {
	used := r.used()
	r.most = max(r.most, used)
	intact := r.mem != nil && r.chunks.used == p.chunks && r.lo == p.lo && r.hi() == p.hi
	r.leave()
	r.drop(&r.big, p.big)
	r.drop(&r.chunks, p.chunks)
	r.before, r.waste, r.gaps = p.before, p.waste, p.gaps
	switch {
	case intact:
		r.enter(&r.chunks.chunks[p.chunks-1])
	case p.chunks > 0 && p.hi != noCurrent:
		r.freeze(&r.chunks.chunks[p.chunks-1], p)
	}
	if p.chunks+p.big > 0 {
		r.beginSmall(used - r.used())
	} else {
		r.resetNext()
	}
}

// part is called at a mark of a checked arena. It puts down the current chunks, so
// that what follows is in others and dies by itself.
func (a *Arena) part() {
	var last mark
	var slabs []position
	if n := len(a.marks); n > 0 {
		last = a.marks[n-1]
		slabs = a.positions[last.slabs:]
	}
	a.region.part(&last.plain)
	for i, s := range a.slabs {
		s.part(positionOf(slabs, i))
	}
}

// part is Arena.part for one region, which was at p at the mark before.
func (r *region) part(p *position) {
	if r.mem == nil {
		return
	}
	r.leave()
	r.beginSmall(r.used() - min(r.used(), p.before))
}

// smallChunk is how many bytes a chunk offers at least that beginSmall asks for.
const smallChunk = 64

// beginSmall makes the next chunk a small one, where the present ones can't be used
// any more though they have room: for n bytes, which is what was needed before. From
// there on, chunks double again. What all of them take is therefore in proportion to
// what is used, however often that happens.
func (r *region) beginSmall(n uintptr) {
	r.next = min(r.blockSize(max(n, smallChunk), 0), r.arena.config.maxChunk)
}

// freeze keeps what was handed out of a chunk at p. No more of it will be, so
// that there is no current chunk now.
func (r *region) freeze(c *chunk, p *position) {
	r.mourn(c, p.lo, c.lo)
	r.mourn(c, c.hi, p.hi)
	c.lo, c.hi = p.lo, p.hi
	r.before += c.lo + c.size - c.hi
	r.waste += c.hi - c.lo
}

// drop lets go of the chunks in use but for the first n.
func (r *region) drop(l *list, n int) {
	gone := l.chunks[n:l.used]
	bytes := uintptr(0)
	for i := range gone {
		c := &gone[i]
		bytes += c.total
		if r.arena.watch != nil && r.arena.config.scrub {
			r.eraseUsed(c)
		}
		r.mourn(c, 0, c.lo)
		r.mourn(c, c.hi, c.size)
	}
	r.outlive(gone)
	for i := range gone {
		poison(gone[i].mem, 0, gone[i].size)
	}
	l.chunks = slices.Delete(l.chunks, n, l.used)
	l.used = n
	r.release(bytes)
}

// outlive sees to what happens to chunks that are let go while values in them
// may still be in use.
//
// Those of a self-contained arena point to each other without the GC knowing. So
// all that ends at a time is kept together: the owner that the chunks point to
// keeps them, and is no longer the arena's. That isn't needed where the values
// are overwritten.
func (r *region) outlive(gone []chunk) {
	a := r.arena
	switch {
	case a.watch.objects():
		a.watch.kill(r, gone)
		if a.owner != nil && (!a.ending || a.owner.orphans) {
			o := a.generation()
			o.chunks = append(o.chunks, gone...)
		}
	case a.owner != nil && len(gone) > 0:
		o := a.generation()
		for i := range gone {
			if o != a.owner {
				block.SetOwner(gone[i].mem, unsafe.Pointer(o))
			}
			o.bytes += gone[i].total
		}
		o.chunks = append(o.chunks, gone...)
	case a.watch != nil:
		a.watch.suspectChunks(r, gone)
	}
}

// generation returns the owner of what is taken back now: the arena's own if
// that is everything, and else a new one, which keeps the arena's, since later
// values may point to earlier ones.
func (a *Arena) generation() *owner {
	if a.ending {
		return a.owner
	}
	if a.rewound == nil {
		a.rewound = &owner{parent: a.owner}
	}
	return a.rewound
}

// endLife is called before all of an arena is taken back. What KeepAlive was
// given goes with it. The owner of a local is that of all, and ends with the Shared.
func (a *Arena) endLife() {
	o := a.owner
	switch {
	case o == nil || a.isLocal() && !a.ending:
	case a.abandons():
		a.ending = true
		o.kept = append(o.kept, a.kept...)
	case o.orphans:
		a.leaveAll()
	default:
		o.limbo = limbo{}
	}
}

// beginLife is called afterwards.
func (a *Arena) beginLife() {
	if !a.ending {
		return
	}
	a.ending = false
	if a.watch != nil {
		a.watchEnd()
	}
	if !a.isLocal() {
		a.succeed()
	}
}

// watchEnd sees to it that what has ended is watched. While values that stay valid may
// point to it, that they keep it is no escape: those of a freed child do so by the leash,
// which is let go when they are, those of a freed local as all others do.
func (a *Arena) watchEnd() {
	o, w := a.owner, a.watch
	if len(o.locals) > 0 {
		w.suspects = nil
		return
	}
	if !a.isLocal() {
		w.suspectGeneration(o)
		if !o.orphans {
			o.limbo.close(w.objects())
		}
	}
	for i := range w.suspects {
		w.suspects[i].leash = weak.Make(a.leash)
	}
}

// bury is called when all that an operation takes back has been.
func (a *Arena) bury() {
	w := a.watch
	a.graves.bury(w != nil)
	gone := a.rewound
	a.rewound = nil
	if w != nil && gone != nil {
		w.suspectGeneration(gone)
	}
	t := w.indict(a)
	switch {
	case gone != nil:
		a.toLimbo(remains{chunks: gone.chunks, trial: t})
	case t != nil:
		court.open(t)
	}
}
