package memory

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how a region with a quarantine reclaims allocated memory: it releases the memory, which is not used
// again. It must not depend on who watches the released memory, or on how long that lives. The seams to the quarantine
// are in seams.go.
//
// A chunk can't stay current once a part of it was reclaimed: the next allocation would lie where a dead one was. So a
// mark ends the chunks before it, and allocations between two marks have chunks of their own:
//
//	mark 1       mark 2
//	  │ A │ B       │ C │ D      chunks, the oldest first
//	  └───┴─ small ─┴───┴──▶
//
// Rewind to mark 2 releases C and D whole; B was ended by the mark, and nothing of it is reclaimed. A chunk may still
// continue past a position, if nothing had been allocated between the mark and the one before. It is then frozen:
// memory allocated before the position stays, the rest is dead, and no more is allocated there.

// intoQuarantine is Rewind without reuse. The order matters. The current chunk is put down,
// so that each Chunk has its own state. Then whole chunks go, the big ones first. Then the
// counters are set back. Last, the chunk in which the position lies is made current again,
// or frozen if a part of it was reclaimed.
func (r *Region) intoQuarantine(q Quarantine, p *Position) {
	used := r.span()
	r.peak = max(r.peak, used)
	intact := r.mem != nil && r.chunks.used == p.chunks && r.lo == p.lo && r.hi() == p.hi
	r.unsetCurrent()
	r.quarantineFrom(q, &r.big, p.big)
	r.quarantineFrom(q, &r.chunks, p.chunks)
	r.usedElsewhere, r.waste, r.gaps = p.usedElsewhere, p.waste, p.gaps
	switch {
	case intact:
		r.setCurrent(&r.chunks.chunks[p.chunks-1])
	case p.chunks > 0 && p.hi != noCurrent:
		r.freeze(q, &r.chunks.chunks[p.chunks-1], p)
	}
	if p.chunks+p.big > 0 {
		r.beginSmall(used - r.span())
	} else {
		r.resetNext()
	}
}

// Part is called at a mark of a space with a quarantine. last has the positions at the mark before. Part puts down the
// current chunks, so that later values are in other chunks and die on their own. Otherwise a Rewind could only freeze,
// and reclaimed memory would live as long as anything from before the mark.
func (s *Space) Part(last []Position) {
	i := 0
	for r := range s.Busy {
		r.part(positionOf(last, i))
		i++
	}
}

// part is Space.Part for one region, which was at p at the mark before.
func (r *Region) part(p *Position) {
	if r.mem == nil {
		return
	}
	r.unsetCurrent()
	r.beginSmall(r.span() - min(r.span(), p.usedElsewhere))
}

// beginSmall makes the next chunk a small one, for n bytes, the size needed before. It is called when the present
// chunks can't be used any more though they have room. Chunks double again from there, so all of them take memory in
// proportion to use, however often that happens.
func (r *Region) beginSmall(n uintptr) {
	r.next = min(r.BlockSize(max(n, tuning.SmallChunk), 0), r.space.config.MaxChunk)
}

// freeze keeps the memory of a chunk allocated up to p. The chunk is never used again, so there is no current chunk
// now: hi of the position is noCurrent from here on. The middle between the ends counts as waste.
func (r *Region) freeze(q Quarantine, c *Chunk, p *Position) {
	r.quarantinePart(q, c, p.lo, c.lo)
	r.quarantinePart(q, c, c.hi, p.hi)
	c.lo, c.hi = p.lo, p.hi
	r.usedElsewhere += c.lo + c.Size - c.hi
	r.waste += c.hi - c.lo
}

// quarantineFrom releases all chunks in use but the first n.
//
// The quarantine sees parts before it gets the chunks, as it may overwrite them. Poisoning comes last, when nothing
// writes to them any more.
func (r *Region) quarantineFrom(q Quarantine, l *list, n int) {
	gone := l.chunks[n:l.used]
	bytes := uintptr(0)
	for i := range gone {
		c := &gone[i]
		bytes += c.Total
		if r.space.config.Scrub && q.Intact() && !q.Single() { // which keep secrets; Dead overwrites single values
			r.eraseUsed(c)
		}
		r.quarantinePart(q, c, 0, c.lo)
		r.quarantinePart(q, c, c.hi, c.Size)
	}
	q.Dead(r, gone)
	for i := range gone {
		Poison(gone[i].Mem, 0, gone[i].Size)
	}
	l.chunks = slices.Delete(l.chunks, n, l.used)
	l.used = n
	r.release(bytes)
}

// quarantinePart gives a part of a chunk to the quarantine. Values that could keep others alive are erased, unless
// values must stay intact: a holder in a report is then a real one, and so are the values that it holds. Values without
// pointers are overwritten, as the next allocation would without a quarantine: the race detector doesn't see reads of a
// string, which would still find the old text.
func (r *Region) quarantinePart(q Quarantine, c *Chunk, from, to uintptr) {
	if from >= to {
		return
	}
	switch {
	case q.Intact():
	case r.eager():
		r.erase(c.Mem, from, to)
	case r.space.owner == nil:
		fill.BytesUnseen(unsafe.Add(c.Mem, from), to-from) // fact 1
	}
	q.Taken(c, from, to)
}
