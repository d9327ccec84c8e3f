package memory

import "slices"

// This file holds how a region takes back what it has handed out where there is a
// quarantine: it lets go of the memory, which is not used again.

// abandon is Rewind without reuse.
func (r *Region) abandon(q Quarantine, p *Position) {
	used := r.span()
	r.peak = max(r.peak, used)
	intact := r.mem != nil && r.chunks.used == p.chunks && r.lo == p.lo && r.hi() == p.hi
	r.leave()
	r.drop(q, &r.big, p.big)
	r.drop(q, &r.chunks, p.chunks)
	r.before, r.waste, r.gaps = p.before, p.waste, p.gaps
	switch {
	case intact:
		r.enter(&r.chunks.chunks[p.chunks-1])
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
// mark before. It puts down the current chunks, so that what follows is in others and
// dies by itself.
func (s *Space) Part(last []Position) {
	i := 0
	for r := range s.Regions {
		r.part(positionOf(last, i))
		i++
	}
}

func (r *Region) part(p *Position) {
	if r.mem == nil {
		return
	}
	r.leave()
	r.beginSmall(r.span() - min(r.span(), p.before))
}

// smallChunk is how many bytes a chunk offers at least that beginSmall asks for.
const smallChunk = 64

// beginSmall makes the next chunk a small one, where the present ones can't be used
// any more though they have room: for n bytes, which is what was needed before. From
// there on, chunks double again. What all of them take is therefore in proportion to
// what is used, however often that happens.
func (r *Region) beginSmall(n uintptr) {
	r.next = min(r.BlockSize(max(n, smallChunk), 0), r.space.config.MaxChunk)
}

// freeze keeps what was handed out of a chunk at p. No more of it will be, so
// that there is no current chunk now.
func (r *Region) freeze(q Quarantine, c *Chunk, p *Position) {
	r.taken(q, c, p.lo, c.lo)
	r.taken(q, c, c.hi, p.hi)
	c.lo, c.hi = p.lo, p.hi
	r.before += c.lo + c.Size - c.hi
	r.waste += c.hi - c.lo
}

// drop lets go of the chunks in use but for the first n.
func (r *Region) drop(q Quarantine, l *list, n int) {
	gone := l.chunks[n:l.used]
	bytes := uintptr(0)
	for i := range gone {
		c := &gone[i]
		bytes += c.Total
		if r.space.config.Scrub && q.Intact() { // which says nothing of secrets
			r.eraseUsed(c)
		}
		r.taken(q, c, 0, c.lo)
		r.taken(q, c, c.hi, c.Size)
	}
	q.Dead(r, gone)
	for i := range gone {
		Poison(gone[i].Mem, 0, gone[i].Size)
	}
	l.chunks = slices.Delete(l.chunks, n, l.used)
	l.used = n
	r.release(bytes)
}

// taken hands a part of a chunk to the quarantine, erased as far as the values in it
// could keep others alive.
func (r *Region) taken(q Quarantine, c *Chunk, from, to uintptr) {
	if from >= to {
		return
	}
	if r.eager() && !q.Intact() {
		r.erase(c.Mem, from, to)
	}
	q.Taken(c, from, to)
}
