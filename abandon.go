package arena

import (
	"slices"
	"unsafe"

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
	r.most = max(r.most, r.used())
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
	r.resetNext()
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
	if a.owner == nil || a.isLocal() || !a.abandons() {
		return
	}
	a.ending = true
	a.owner.kept = a.kept
	a.kept = nil
}

// beginLife is called afterwards.
func (a *Arena) beginLife() {
	if o := a.owner; a.ending && !a.isLocal() {
		if a.watch != nil {
			a.watch.suspectGeneration(o)
		}
		o.arena, o.header = nil, a
		a.owner = &owner{arena: a, parent: o.parent}
	}
	a.ending = false
}

// bury is called when all that an operation takes back has been.
func (a *Arena) bury() {
	w := a.watch
	a.graves.bury(w != nil)
	if w != nil {
		if a.rewound != nil {
			w.suspectGeneration(a.rewound)
		}
		w.sue(a)
	}
	a.rewound = nil
}
