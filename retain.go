package arena

import "slices"

// This file holds which unused chunks an arena keeps for its next life, and which it
// lets go: those beyond WithMaxRetained, and those that were not needed for a while.

// trimPeriod is after how many resets the chunks go that none of them needed.
const trimPeriod = 16

// reserved returns the bytes of all blocks, children's not included.
func (a *Arena) reserved() uintptr {
	n := a.region.total
	for _, s := range a.slabs {
		n += s.total
	}
	return n
}

// retain lets go of the chunks and lists that Reset should not keep, among them those
// that were not needed for a while if idle is set. KeepAlive was given so many values
// as kept says.
func (a *Arena) retain(idle bool, kept int) {
	a.grown = false
	if idle || a.reserved() > a.config.maxRetained {
		a.trim(idle, a.config.maxRetained)
	}
	a.fitLists(idle, a.reserved(), kept)
}

// shed lets go of unused chunks where there is more than room, as far as they go.
func (a *Arena) shed(room uintptr) {
	excess := a.reserved() - min(a.reserved(), room)
	if excess == 0 {
		return
	}
	a.region.shed(&excess)
	for _, s := range a.slabs {
		s.shed(&excess)
	}
}

// trim lets go of what region.trim does, with room for all regions together.
func (a *Arena) trim(idle bool, room uintptr) {
	a.region.trim(idle, &room)
	for _, s := range a.slabs {
		s.trim(idle, &room)
	}
}

// idleShare is how many bytes of chunks that weren't needed for a while trim
// keeps for each byte of those that were. Work of which each piece takes up to
// four times as much as the others then doesn't take memory anew for the
// large pieces; a bench server with batches of 10 to 30 records did so for one
// request in 30, with two chunks' worth.
const idleShare = 3

// trim lets go of unused chunks after Reset: if idle is set, of those that were
// not needed for a while, but for a share; and of those beyond room, from which
// it takes off the bytes of the others.
func (r *region) trim(idle bool, room *uintptr) {
	if c := r.chunks.chunks; len(c) > 0 && c[0].total > *room {
		r.vacate()
	}
	if idle && r.oversized() {
		r.vacate()
		r.chunks.chunks[0].idle = true
	}
	if idle {
		r.lately = 0
	}
	if r.chunks.len() == r.chunks.used && r.big.len() == 0 && r.total <= *room {
		*room -= r.total
		return
	}
	spare := idleShare * (r.chunks.needed() + r.big.needed())
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for _, c := range l.chunks[:l.used] {
			*room -= min(*room, c.total)
		}
		if idle {
			r.dropIdle(l, &spare)
		}
		r.fit(l, room)
	}
	r.resetNext()
}

// dropIdle lets go of the unused chunks that were not needed for a while, but for
// those of which there is a share to spare, and marks the others as idle.
func (r *region) dropIdle(l *list, spare *uintptr) {
	r.dropIf(l, func(c *chunk) bool {
		switch {
		case !c.idle:
			c.idle = true
		case c.total > *spare || c.total <= r.first:
			return true
		default:
			*spare -= c.total
		}
		return false
	})
}

// fit lets go of unused chunks beyond room, from which it takes off the others. It
// begins with the last: those of a slice that grew, say, are the larger the later
// they came into use.
func (r *region) fit(l *list, room *uintptr) {
	unused := l.chunks[l.used:]
	slices.Reverse(unused)
	r.dropIf(l, func(c *chunk) bool {
		if c.total > *room {
			return true
		}
		*room -= c.total
		return false
	})
	slices.Reverse(l.chunks[l.used:])
}

// shed lets go of unused chunks while there is an excess.
func (r *region) shed(excess *uintptr) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		r.dropIf(l, func(c *chunk) bool {
			if *excess == 0 {
				return false
			}
			*excess -= min(*excess, c.total)
			return true
		})
	}
	r.resetNext()
}

// dropIf lets go of the unused chunks for which f returns true.
func (r *region) dropIf(l *list, f func(c *chunk) bool) {
	keep := func(chunks []chunk) []chunk {
		kept := chunks[:0]
		for i := range chunks {
			if c := &chunks[i]; f(c) {
				r.release(c.total)
			} else {
				kept = append(kept, *c)
			}
		}
		clear(chunks[len(kept):])
		return kept
	}
	l.chunks = l.chunks[:l.used+len(keep(l.chunks[l.used:]))]
	l.shelf.filter(keep)
}

// dropUnused lets go of the unused chunks, and of the current one if nothing is
// in use of it and fresh says that nobody relies on it.
func (r *region) dropUnused(fresh bool) {
	if fresh {
		r.vacate()
	}
	for _, l := range [...]*list{&r.chunks, &r.big} {
		r.dropIf(l, func(c *chunk) bool { return !r.arena.mayBePointedTo(c) })
	}
}

// release takes account of n bytes of chunks that the region has let go of.
func (r *region) release(n uintptr) {
	r.total -= n
	if r.arena.account != nil || r.arena.lease != nil {
		r.arena.credit(n)
	}
}
