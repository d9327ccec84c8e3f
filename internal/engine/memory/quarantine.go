package memory

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how a region reclaims what it has allocated where there is a quarantine:
// it releases the memory, which is not used again. It must not depend on who watches what
// was released, or on for how long it lives: see seams.go for what it is told.
//
// A chunk of which something was reclaimed can't stay current, as the next allocation
// would then lie where a dead one was. Hence a mark ends the chunks before it, and each
// stretch between two marks has chunks of its own:
//
//	mark 1       mark 2
//	  │ A │ B       │ C │ D      chunks, the oldest first
//	  └───┴─ small ─┴───┴──▶
//
// Rewind to mark 2 releases C and D whole; B was ended by the mark, and nothing of it is
// reclaimed. Where a chunk goes on behind a position all the same, because the mark was one
// at which nothing had been allocated since the last, it is frozen: what was allocated
// before the position stays, the rest is dead, and no more is allocated there.

// intoQuarantine is Rewind without reuse. The order matters: the current chunk is put down,
// so that all chunks say themselves what is in use of them; then chunks go whole, the big
// ones first; then the counters are set back; and last the chunk in which the position lies
// is made current again, if nothing of it was reclaimed, or else frozen.
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

// Part is called at a mark of a space with a quarantine, which was at the positions at the
// mark before. It puts down the current chunks, so that what follows is in others and dies
// by itself. Without it a Rewind could only freeze, and what it reclaims would live for as
// long as anything from before the mark.
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

// beginSmall makes the next chunk a small one, where the present ones can't be used
// any more though they have room: for n bytes, which is what was needed before. From
// there on, chunks double again. What all of them take is therefore in proportion to
// what is used, however often that happens.
func (r *Region) beginSmall(n uintptr) {
	r.next = min(r.BlockSize(max(n, tuning.SmallChunk), 0), r.space.config.MaxChunk)
}

// freeze keeps what was allocated of a chunk at p. No more of it will be, so that there
// is no current chunk now: hi of the position is noCurrent from here on. What lies
// between the ends counts as waste.
func (r *Region) freeze(q Quarantine, c *Chunk, p *Position) {
	r.quarantinePart(q, c, p.lo, c.lo)
	r.quarantinePart(q, c, c.hi, p.hi)
	c.lo, c.hi = p.lo, p.hi
	r.usedElsewhere += c.lo + c.Size - c.hi
	r.waste += c.hi - c.lo
}

// quarantineFrom releases the chunks in use but for the first n.
//
// The quarantine is told of parts before it gets the chunks, as it may overwrite these.
// They are poisoned last, after everybody has written to them who has to.
func (r *Region) quarantineFrom(q Quarantine, l *list, n int) {
	gone := l.chunks[n:l.used]
	bytes := uintptr(0)
	for i := range gone {
		c := &gone[i]
		bytes += c.Total
		if r.space.config.Scrub && q.Intact() { // which says nothing of secrets
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

// quarantinePart hands a part of a chunk to the quarantine, erased as far as the values in it
// could keep others alive. Where values must stay intact they may do so: a holder that is
// found is then a real one, as is what it holds. What has no pointers is overwritten, as
// it would be with what comes next if there were no quarantine: the race detector doesn't see who reads
// a string, who would have the old text.
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
