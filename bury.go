//go:build race

package arena

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/race"
)

// This file holds how memory is taken back in builds with the race detector.
// There, Reset, Rewind, Pool.Put and the end of a child don't reuse what was
// handed out: the chunks go, and the detector is told that the memory was
// written to. Any later access is reported as a data race, with the stacks of
// the access and of the call that took the memory back.
//
// Memory that was given up is ordinary heap memory: while somebody still points
// to it, it stays what it was; else the GC reclaims it, and the runtime tells
// the detector when it hands it out anew.

// graves is what an arena remembers of memory that it has taken back, so as to
// tell the detector of it again: it forgets a write after some 200 further
// goroutine starts. The memory stays allocated for so long, or else the detector
// would be told of memory that belongs to somebody else by then.
type graves struct {
	old, fresh []race.Range // oldest first; bury hasn't told of the fresh ones yet
	burials    int
	teller     race.Teller
}

const (
	// How much of it an arena remembers.
	rememberedRanges = 16
	rememberedBytes  = 64 << 10

	// tellEvery is how many burials there are between two that tell of all.
	tellEvery = 32
)

// bury tells the race detector of what was taken back, and now and then of what
// was before.
func (g *graves) bury() {
	if len(g.fresh) == 0 {
		return
	}
	tell := g.fresh
	g.old = append(g.old, g.fresh...)
	if g.burials++; g.burials%tellEvery == 0 {
		tell = g.old
	}
	g.teller.TakenBack(tell)
	clear(g.fresh)
	g.fresh = g.fresh[:0]
	g.forget()
}

// forget lets go of the oldest ranges if there are too many.
func (g *graves) forget() {
	n, bytes := len(g.old), uintptr(0)
	for n > 0 && len(g.old)-n < rememberedRanges && bytes+g.old[n-1].Size <= rememberedBytes {
		n--
		bytes += g.old[n].Size
	}
	g.old = slices.Delete(g.old, 0, n)
}

// mourn adds the part of a chunk from from to to, which was handed out, to what
// bury will tell the detector of.
func (r *region) mourn(c *chunk, from, to uintptr) {
	if from >= to {
		return
	}
	if r.eager() {
		r.erase(c.mem, from, to)
	}
	g := &r.arena.graves
	g.fresh = append(g.fresh, race.Range{Mem: unsafe.Add(c.mem, from), Size: to - from})
}

// abandon is rewind without reuse.
func (r *region) abandon(p *position) {
	r.most = max(r.most, r.used())
	intact := r.mem != nil && r.chunks.used == p.chunks && r.lo == p.lo && r.hi() == p.hi
	r.leave()
	for i := range r.big.chunks[p.big:r.big.used] {
		c := &r.big.chunks[p.big+i]
		r.mourn(c, 0, c.lo)
	}
	r.drop(&r.big, p.big)
	for i := range r.chunks.chunks[p.chunks:r.chunks.used] {
		c := &r.chunks.chunks[p.chunks+i]
		r.mourn(c, 0, c.lo)
		r.mourn(c, c.hi, c.size)
	}
	r.drop(&r.chunks, p.chunks)
	r.before, r.waste = p.before, p.waste
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
	bytes := uintptr(0)
	for _, c := range l.chunks[n:l.used] {
		bytes += c.total
	}
	l.chunks = slices.Delete(l.chunks, n, l.used)
	l.used = n
	r.release(bytes)
}
