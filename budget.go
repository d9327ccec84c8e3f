package arena

import (
	"sync/atomic"

	"github.com/harena-go/arena/internal/block"
)

// This file holds how limits are kept without counting on the fast path: first
// that of an arena, which is one on the bytes handed out, then that of a Pool or
// a Shared, which is one on the bytes of chunks.
//
// What the fast path may hand out is bounded by the open windows. So it is
// enough that, whenever a slow path runs, the bytes handed out and those in all
// open windows together stay within the limit. Near the limit the windows are
// closed first, which makes each allocation slow, but lets the last byte be
// used.
//
// Adding that up takes time in proportion to the number of slabs and children.
// What it leaves is written down in allow, and used up until the next count.

// admit is called before r hands out n bytes for a request of size bytes, from
// its window if top is set. It panics if the budget doesn't allow for them, and
// returns how many bytes more a new window may have.
func (a *Arena) admit(top bool, size, n uintptr) (ahead uintptr) {
	if a.budget == nil {
		return ^uintptr(0)
	}
	return a.admitSlow(top, size, n)
}

// admitSlow is kept apart so that admit can be inlined.
func (a *Arena) admitSlow(top bool, size, n uintptr) (ahead uintptr) {
	b := a.budget
	if n > b.allow {
		b.allow = n + b.recount(a, size, n)
	}
	b.allow -= n
	if top {
		ahead = min(windowSize, b.allow)
		b.allow -= ahead
	}
	return ahead
}

// demand panics if the budget doesn't allow for n bytes, which nobody gets yet.
func (a *Arena) demand(n uintptr) {
	if b := a.budget; b != nil {
		a.admitSlow(false, n, n)
		b.allow += n
	}
}

// recount returns how much the budget of b leaves when a has handed out n bytes
// more, and panics if it doesn't allow for them.
func (b *Arena) recount(a *Arena, size, n uintptr) uintptr {
	limit := b.config.limit
	open := b.claimed()
	if open+n > limit {
		b.closeWindows()
		if open = b.claimed(); open+n > limit {
			panic(&LimitError{Name: b.config.name, Used: int(open), Asked: int(size), Limit: int(limit), lease: a.lease})
		}
	}
	return limit - open - n
}

// rest returns how many bytes the budget still allows to be handed out.
func (a *Arena) rest() uintptr {
	b := a.budget
	if b == nil {
		return maxBytes
	}
	if b.allow > b.config.limit/2 {
		return b.allow
	}
	if n := b.claimed(); n < b.config.limit/2 {
		return b.config.limit - n // at least: windows may be open
	}
	b.closeWindows()
	return b.config.limit - b.claimed()
}

// claimed returns the bytes handed out and those in open windows, of the arena
// and its children.
func (a *Arena) claimed() uintptr {
	n := a.usedBytes() + a.left
	for _, s := range a.slabs {
		n += s.left
	}
	for c := range a.children.all {
		n += c.claimed()
	}
	return n
}

// closeWindows closes all windows of the arena and its children.
func (a *Arena) closeWindows() {
	a.closeWindow()
	for _, s := range a.slabs {
		s.closeWindow()
	}
	for c := range a.children.all {
		c.closeWindows()
	}
}

// cutToLimit returns the size of a block for need bytes, total if there is no
// limit, and no more than what the budget has left otherwise.
func (a *Arena) cutToLimit(need, total uintptr) uintptr {
	if b := a.budget; b != nil && total > b.allow { // which is part of what is left, and known
		left := b.config.limit - min(b.config.limit, b.claimed())
		total = min(total, max(need, left)+block.OwnedOverhead)
	}
	return total
}

// An account counts the bytes of the chunks of several arenas, and keeps them
// below a limit. The arenas may belong to different goroutines, so that what
// they hand out can't be added up at any moment; chunks are taken rarely.
//
// Invariant: bytes is the sum of what those arenas and their children have
// reserved. A lease has the same sum for one arena. A block is charged once, when
// it is made, and credited once, by whoever has it when it is let go; to move from
// one region of a family to another changes nothing.
type account struct {
	name   string
	limit  int64
	bytes  atomic.Int64
	relief func() // looks for bytes that nobody will give back; or nil
}

// take adds n bytes, unless they would exceed the limit.
func (c *account) take(n int64) bool {
	for {
		bytes := c.bytes.Load()
		if n > c.limit-bytes {
			return false
		}
		if c.bytes.CompareAndSwap(bytes, bytes+n) {
			return true
		}
	}
}

// offer returns how many bytes a chunk may offer now, whatever its kind.
func (c *account) offer() uintptr {
	left := uintptr(max(0, c.limit-c.bytes.Load()))
	return left - min(left, left/16+block.OwnedOverhead) // see block.RoundOwned
}

// charge returns the size of the block for a chunk that offers need bytes, of
// about total bytes if that is more and the limit of the Pool or the Shared
// allows for it. It panics if that doesn't even allow for need bytes.
func (r *region) charge(need, total uintptr) uintptr {
	size := r.blockSize(need, total)
	if c := r.arena.account; c != nil && !c.take(int64(size)) {
		size = r.chargeLast(need, c)
	}
	if l := r.arena.lease; l != nil {
		l.reserved.Add(int64(size))
		l.growths.Add(1)
	}
	return size
}

// chargeLast is charge near the limit: it takes a small block, so that others
// get one too, and lets go of chunks that nothing is in use of, if it must.
func (r *region) chargeLast(need uintptr, c *account) (size uintptr) {
	r.arena.insist(need, func() bool {
		left := c.offer()
		for _, size = range [...]uintptr{r.blockSize(need, max(left/4, r.smallestFirst())), r.blockSize(need, left),
			r.blockSize(need, 0), r.leastSize(need)} {
			if c.take(int64(size)) {
				return true
			}
		}
		return false
	})
	return size
}

// insist calls take, and lets go of chunks that nothing is in use of, until it
// succeeds. If that doesn't help it panics: n bytes are not to be had.
func (a *Arena) insist(n uintptr, take func() bool) {
	c := a.account
	for _, relief := range [...]func(){nil, a.dropSpare, c.relief} {
		if relief != nil {
			relief()
		}
		if take() {
			return
		}
	}
	panic(&LimitError{Name: c.name, Used: int(c.bytes.Load()), Asked: int(n), Limit: int(c.limit), Total: true, lease: a.lease})
}

// credit is the opposite of charge, for n bytes.
func (a *Arena) credit(n uintptr) {
	if a.lease != nil {
		a.lease.reserved.Add(-int64(n))
	}
	if a.account != nil {
		a.account.bytes.Add(-int64(n))
	}
}

// dropSpare lets go of the unused chunks of the arena and those above it.
func (a *Arena) dropSpare() {
	a.dropUnused()
	a.ancestors(func(p *Arena) bool {
		p.dropUnused()
		return false
	})
}

// dropUnused lets go of the arena's unused chunks.
func (a *Arena) dropUnused() {
	fresh := len(a.marks) == 0 // a mark would need the chunk that is current
	a.region.dropUnused(fresh)
	for _, s := range a.slabs {
		s.dropUnused(fresh)
	}
}
