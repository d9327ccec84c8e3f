package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/fill"
)

// This file holds where a region's chunks come from. What it keeps of them is in
// retain.go.

// acquire is called when a request of size bytes doesn't fit into the current
// chunk. Either it makes an unused chunk of need bytes or more (size and what
// alignment may cost) current, and returns nil; or it gives the request a big
// chunk of its own and returns its memory.
func (r *region) acquire(size, need uintptr, uninit bool) unsafe.Pointer {
	r.arena.admit(false, size, size)
	if r.arena.watch.objects() {
		return r.acquireObject(size, need, uninit)
	}
	if i := r.chunks.find(need, r.next, ^uintptr(0)); i >= 0 {
		r.leave()
		r.enter(r.chunks.use(i))
		return nil
	}
	if need > r.due() {
		return r.acquireBig(size, need, uninit)
	}
	c := r.newChunk(need, r.next)
	r.leave()
	r.enter(r.chunks.push(c))
	return nil
}

// due returns how many bytes a request may have that gets a part of a chunk which is
// yet to come.
func (r *region) due() uintptr {
	if r.mem != nil {
		return r.next / bigShare
	}
	return r.next
}

// bigFit is how many times larger than needed a kept chunk may be that becomes a
// big one.
const bigFit = 4

// acquireBig hands out a chunk of its own for need bytes.
func (r *region) acquireBig(size, need uintptr, uninit bool) unsafe.Pointer {
	var c *chunk
	if i := r.big.find(need, need, bigFit*need); i >= 0 {
		c = r.big.use(i)
	} else {
		c = r.big.push(r.newChunk(need, 0))
	}
	if !c.clean && !uninit {
		block.Clear(c.mem, 0, need)
	}
	c.lo = need
	r.before += size
	return c.mem
}

// acquireObject is acquire for an arena with CheckObjects, in which everything
// has a chunk of its own.
func (r *region) acquireObject(size, need uintptr, uninit bool) unsafe.Pointer {
	c := r.big.push(r.newChunk(need, 0))
	c.lo, c.clean = need, false
	c.site = r.arena.watch.site(size, need)
	if uninit && r.slab == nil {
		fill.Bytes(asan.Allow(c.mem, need), need)
	}
	r.before += size
	return c.mem
}

// newChunk returns an unused chunk with at least need bytes, of a block of
// about total bytes if that is more. A child asks its parent first.
func (r *region) newChunk(need, total uintptr) chunk {
	a := r.arena
	if c, ok := r.borrow(need, total); ok {
		return c
	}
	c := chunk{total: r.charge(need, a.cutToLimit(need, total)), clean: true}
	switch {
	case r.slab != nil:
		c.mem, c.size = r.slab.kind.Make(int(c.total/r.unit)), c.total
	case a.owner != nil:
		c.mem, c.size = block.Owned(c.total, unsafe.Pointer(a.owner))
	default:
		c.mem, c.size = block.Plain(c.total)
	}
	r.add(&c)
	// Once, however large this one is: a single big request must not make the
	// next chunk, which may be the one that the region keeps, a large one.
	if r.next <= r.total {
		r.doubleNext()
	}
	return c
}

// borrow takes an unused chunk of at least so many bytes from the parent, or
// from one further up, and of about want if there is one.
func (r *region) borrow(least, want uintptr) (c chunk, ok bool) {
	r.arena.ancestors(func(p *Arena) bool {
		c, ok = p.lend(r, least, max(want, least))
		return ok
	})
	return c, ok
}

// lend gives an unused chunk to a region of a child.
func (p *Arena) lend(to *region, least, want uintptr) (c chunk, ok bool) {
	from := p.regionLike(to)
	if from == nil {
		return
	}
	for _, l := range [...]*list{&from.chunks, &from.big} {
		if c, ok = l.lend(least, want); !ok {
			continue
		}
		if ok = p.mayLend(&c, to.arena); ok {
			from.total -= c.total
			to.adopt(&c, p)
			return
		}
		l.shelf.put(c)
	}
	return
}

// blockSize returns the size of the block for a chunk that offers need bytes,
// of about total bytes if that is more.
func (r *region) blockSize(need, total uintptr) uintptr {
	switch {
	case r.slab != nil:
		return r.unit * uintptr(r.slab.kind.Round(int(total/r.unit), int((need+r.unit-1)/r.unit)))
	case r.arena.owner != nil:
		return block.RoundOwned(max(total, need+block.OwnedOverhead))
	}
	return roundUp(max(total, need+block.PlainOverhead))
}

// leastSize is blockSize where there is little room: the smallest block will do,
// whatever it costs the GC.
func (r *region) leastSize(need uintptr) uintptr {
	switch {
	case r.slab != nil:
		return (need + r.unit - 1) / r.unit * r.unit
	case r.arena.owner != nil:
		return block.FitOwned(need + block.OwnedOverhead)
	}
	return roundUp(need + block.PlainOverhead)
}

// reserve makes room for n bytes: in the current chunk, or in one that comes
// next.
func (r *region) reserve(n uintptr) {
	r.arena.demand(n)
	if r.mem != nil && n <= r.hi()-r.lo {
		return
	}
	if r.arena.watch.objects() {
		return
	}
	l := &r.chunks
	i := l.find(n, n, ^uintptr(0))
	if i < 0 {
		c := r.newChunk(n, 0) // which may change l first
		l.chunks = append(l.chunks, c)
		i = len(l.chunks) - 1
	}
	l.bringForward(i)
}

// adopt makes an unused chunk of another arena the region's own.
func (r *region) adopt(c *chunk, from *Arena) {
	if a := r.arena; a.owner != from.owner {
		block.SetOwner(c.mem, unsafe.Pointer(a.owner))
		c.life = 0
	}
	r.add(c)
}

// add takes account of a chunk that came to the region.
func (r *region) add(c *chunk) {
	c.lo, c.hi, c.idle = 0, c.size, false
	r.total += c.total
	r.arena.grown = true
}

// resetNext sets the size of the next chunk to what it is in a region that has
// grown, by doubling, to the present size.
func (r *region) resetNext() {
	r.next = r.first
	for r.next <= r.total && r.next < r.arena.config.maxChunk {
		r.doubleNext()
	}
}

// doubleNext doubles the next chunk, as far as the maximum allows. The first
// one may be larger than that, if a Pool has learned so.
func (r *region) doubleNext() { r.next = min(2*r.next, r.arena.config.maxChunk) }

// enter makes a chunk in use the current one.
func (r *region) enter(c *chunk) {
	r.mem, r.size, r.lo, r.zero = c.mem, c.size, c.lo, c.lo
	if c.clean || r.eager() {
		r.zero = c.hi
	}
	c.clean = false
	r.setWindow(c.hi, c.hi)
}

// leave puts down what the current chunk has been used for, so that another
// one can become current.
func (r *region) leave() {
	if r.mem == nil {
		return
	}
	c := &r.chunks.chunks[r.chunks.used-1]
	c.lo, c.hi = r.lo, r.hi()
	r.before += c.lo + c.size - c.hi
	r.waste += c.hi - c.lo
	r.mem, r.size, r.lo, r.zero = nil, 0, 0, 0
	r.base, r.win, r.left = nil, 0, 0
}

// giveChunks moves the unused chunks of a child's region to its parent's.
func (r *region) giveChunks(to *region) {
	r.vacate()
	r.chunks.move(r, &to.chunks, to)
	r.big.move(r, &to.big, to)
}

// move moves the unused chunks of a list to another region's list, but for
// those that a Reset there would let go, and those that must stay.
func (l *list) move(from *region, dest *list, to *region) {
	var rest []chunk
	for c := range l.unused {
		switch {
		case from.arena.mustKeep(c, to.arena):
			rest = append(rest, *c)
		case to.total+c.total > to.arena.config.maxRetained && !from.arena.isOfLife(c, to.arena):
			from.release(c.total)
		default:
			from.total -= c.total
			to.adopt(c, from.arena)
			dest.shelf.put(*c)
		}
	}
	l.chunks, l.shelf = append(l.inUse(), rest...), shelf{}
}

// unused returns the bytes of the blocks that nothing is in use of.
func (r *region) unused() (n uintptr) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for c := range l.unused {
			n += c.total
		}
	}
	if r.mem != nil && r.lo == 0 && r.hi() == r.size {
		n += r.chunks.chunks[r.chunks.used-1].total
	}
	return n
}

// inUse yields the chunks in use, each with what was handed out of it by now.
func (r *region) inUse(yield func(c chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for _, c := range l.chunks[:l.used] {
			if c.mem == r.mem {
				c.lo, c.hi = r.lo, r.hi()
			}
			if !yield(c) {
				return
			}
		}
	}
}

// owns says whether p points at something that was handed out.
func (r *region) owns(p unsafe.Pointer) bool { return r.holds(p, 1) }

// holds says whether the n bytes at p lie within what was handed out.
func (r *region) holds(p unsafe.Pointer, n uintptr) bool {
	if r.mem != nil {
		c := chunk{mem: r.mem, size: r.size, lo: r.lo, hi: r.hi()}
		if c.holds(p, n) {
			return true
		}
	}
	for _, l := range [...]*list{&r.big, &r.chunks} { // the newest first: that is what Realloc asks for
		for i := l.used - 1; i >= 0; i-- {
			if c := &l.chunks[i]; c.mem != r.mem && c.holds(p, n) {
				return true
			}
		}
	}
	return false
}
