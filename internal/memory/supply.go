package memory

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
func (r *Region) acquire(size, need uintptr, uninit bool) unsafe.Pointer {
	r.space.admit(false, size, size)
	if q := r.space.quarantined(); q != nil && q.Single() {
		return r.acquireSingle(q, size, need, uninit)
	}
	if i := r.chunks.find(need, r.next, ^uintptr(0)); i >= 0 {
		r.unsetCurrent()
		r.setCurrent(r.chunks.use(i))
		return nil
	}
	if need > r.due() {
		return r.acquireBig(size, need, uninit)
	}
	c := r.newChunk(need, r.next)
	r.unsetCurrent()
	r.setCurrent(r.chunks.push(c))
	return nil
}

// due returns how many bytes a request may have that gets a part of a chunk which is
// yet to come.
func (r *Region) due() uintptr {
	if r.mem != nil {
		return r.next / bigShare
	}
	return r.next
}

// bigFit is how many times larger than needed a kept chunk may be that becomes a
// big one.
const bigFit = 4

// acquireBig hands out a chunk of its own for need bytes.
func (r *Region) acquireBig(size, need uintptr, uninit bool) unsafe.Pointer {
	var c *Chunk
	if i := r.big.find(need, need, bigFit*need); i >= 0 {
		c = r.big.use(i)
	} else {
		c = r.big.push(r.newChunk(need, 0))
	}
	if !c.clean && !uninit {
		block.Clear(c.Mem, 0, need)
	}
	c.lo = need
	r.usedElsewhere += size
	return c.Mem
}

// acquireSingle is acquire where each allocation has a chunk of its own.
func (r *Region) acquireSingle(q Quarantine, size, need uintptr, uninit bool) unsafe.Pointer {
	c := r.big.push(r.newChunk(need, 0))
	c.lo, c.clean = need, false
	c.Label = q.Label(size, need)
	if uninit && r.slab == nil {
		fill.Bytes(asan.Allow(c.Mem, need), need)
	}
	r.usedElsewhere += size
	return c.Mem
}

// newChunk returns an unused chunk with at least need bytes, of a block of
// about total bytes if that is more. It asks lenders first.
func (r *Region) newChunk(need, total uintptr) Chunk {
	if c, ok := r.borrow(need, total); ok {
		return c
	}
	c := Chunk{Total: r.charge(need, r.space.cut(need, total)), clean: true}
	switch {
	case r.slab != nil:
		c.Mem, c.Size = r.slab.kind.Make(int(c.Total/r.Unit)), c.Total
	case r.space.owner != nil:
		c.Mem, c.Size = block.Owned(c.Total, r.space.owner)
	default:
		c.Mem, c.Size = block.Plain(c.Total)
	}
	r.gain(&c)
	// Once, however large this one is: a single big request must not make the
	// next chunk, which may be the one that the region keeps, a large one.
	if r.next <= r.total {
		r.doubleNext()
	}
	return c
}

// borrow takes an unused chunk of at least so many bytes from the nearest lender that
// has one, and of about want if there is one.
func (r *Region) borrow(least, want uintptr) (c Chunk, ok bool) {
	if s := r.space.seams; s != nil && s.lender != nil {
		s.lender.Lenders(func(from *Space) bool {
			c, ok = from.lend(r, least, max(want, least))
			return ok
		})
	}
	return c, ok
}

// lend gives an unused chunk to a region of another space.
func (s *Space) lend(to *Region, least, want uintptr) (c Chunk, ok bool) {
	from := s.like(to)
	if from == nil {
		return
	}
	for _, l := range [...]*list{&from.chunks, &from.big} {
		if c, ok = l.lend(least, want); !ok {
			continue
		}
		if ok = s.owner == to.space.owner || !s.stale(&c); ok {
			from.total -= c.Total
			to.adopt(&c, s)
			return
		}
		l.shelve(c)
	}
	return
}

// like returns the region that has chunks of the same kind as r, or nil.
func (s *Space) like(r *Region) *Region {
	if r.slab == nil {
		return s.plain
	}
	if b := s.Find(r.slab.key); b != nil {
		return &b.Region
	}
	return nil
}

// BlockSize returns the size of the block for a chunk that offers need bytes,
// of about total bytes if that is more.
func (r *Region) BlockSize(need, total uintptr) uintptr {
	switch {
	case r.slab != nil:
		return r.Unit * uintptr(r.slab.kind.Round(int(total/r.Unit), int((need+r.Unit-1)/r.Unit)))
	case r.space.owner != nil:
		return block.RoundOwned(max(total, need+block.OwnedOverhead))
	}
	return RoundUp(max(total, need+block.PlainOverhead))
}

// LeastSize is BlockSize where there is little room: the smallest block will do,
// whatever it costs the GC.
func (r *Region) LeastSize(need uintptr) uintptr {
	switch {
	case r.slab != nil:
		return (need + r.Unit - 1) / r.Unit * r.Unit
	case r.space.owner != nil:
		return block.FitOwned(need + block.OwnedOverhead)
	}
	return RoundUp(need + block.PlainOverhead)
}

// Reserve makes room for n bytes: in the current chunk, or in one that comes
// next.
func (r *Region) Reserve(n uintptr) {
	if r.mem != nil && n <= r.hi()-r.lo || r.space.single() {
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

// adopt makes an unused chunk of another space the region's own.
func (r *Region) adopt(c *Chunk, from *Space) {
	if s := r.space; s.owner != from.owner {
		block.SetOwner(c.Mem, s.owner)
		c.life = 0
	}
	r.gain(c)
}

// gain takes account of a chunk that came to the region.
func (r *Region) gain(c *Chunk) {
	c.lo, c.hi, c.idle = 0, c.Size, false
	r.total += c.Total
	r.space.grown = true
}

// resetNext sets the size of the next chunk to what it is in a region that has
// grown, by doubling, to the present size.
func (r *Region) resetNext() {
	r.next = r.first
	for r.next <= r.total && r.next < r.space.config.MaxChunk {
		r.doubleNext()
	}
}

// doubleNext doubles the next chunk, as far as the maximum allows. The first
// one may be larger than that, see SetFirst.
func (r *Region) doubleNext() { r.next = min(2*r.next, r.space.config.MaxChunk) }

// setCurrent makes a chunk in use the current one.
func (r *Region) setCurrent(c *Chunk) {
	r.mem, r.size, r.lo, r.zero = c.Mem, c.Size, c.lo, c.lo
	if c.clean || r.eager() {
		r.zero = c.hi
	}
	c.clean = false
	r.setWindow(c.hi, c.hi)
}

// unsetCurrent puts down what the current chunk has been used for, so that another
// one can become current.
func (r *Region) unsetCurrent() {
	if r.mem == nil {
		return
	}
	c := &r.chunks.chunks[r.chunks.used-1]
	c.lo, c.hi = r.lo, r.hi()
	r.usedElsewhere += c.lo + c.Size - c.hi
	r.waste += c.hi - c.lo
	r.mem, r.size, r.lo, r.zero = nil, 0, 0, 0
	r.Base, r.win, r.Left = nil, 0, 0
}

// GiveTo moves the unused chunks of a region to one of another space, which is
// to go on without this one. Where keepStale is set it keeps those to which values that stay
// valid may point.
func (r *Region) GiveTo(to *Region, keepStale bool) {
	r.keepCurrent()
	r.chunks.move(r, &to.chunks, to, keepStale)
	r.big.move(r, &to.big, to, keepStale)
}

// move moves the unused chunks of a list to another region's list, but for
// those that a Reset there would let go, and those that must stay.
func (l *list) move(from *Region, dest *list, to *Region, keepStale bool) {
	var rest []Chunk
	together := from.space.owner == to.space.owner // values of one may point to the other
	for c := range l.unused {
		stale := from.space.stale(c)
		switch {
		case stale && !together && keepStale:
			rest = append(rest, *c)
		case to.total+c.Total > to.space.config.MaxRetained && !(stale && together):
			from.release(c.Total)
		default:
			from.total -= c.Total
			to.adopt(c, from.space)
			dest.shelve(*c)
		}
	}
	l.chunks, l.shelf = append(l.inUse(), rest...), nil
}

// Unused returns the bytes of the blocks that nothing is in use of.
func (r *Region) Unused() (n uintptr) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for c := range l.unused {
			n += c.Total
		}
	}
	if r.mem != nil && r.lo == 0 && r.hi() == r.size {
		n += r.chunks.chunks[r.chunks.used-1].Total
	}
	return n
}

// InUse yields the chunks in use, each with what was handed out of it by now.
func (r *Region) InUse(yield func(c Chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for _, c := range l.chunks[:l.used] {
			if c.Mem == r.mem {
				c.lo, c.hi = r.lo, r.hi()
			}
			if !yield(c) {
				return
			}
		}
	}
}

// Chunks yields all chunks. What was handed out of the current one isn't known.
func (r *Region) Chunks(yield func(c *Chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for c := range l.all {
			if !yield(c) {
				return
			}
		}
	}
}

// Big returns the big chunks in use, of which each has one allocation, in the order in
// which those were made.
func (r *Region) Big() []Chunk { return r.big.chunks[:r.big.used] }

// Len returns the number of chunks.
func (r *Region) Len() int { return r.chunks.len() + r.big.len() }

// Holds says whether the n bytes at p lie within what was handed out.
func (r *Region) Holds(p unsafe.Pointer, n uintptr) bool {
	if r.mem != nil {
		c := Chunk{Mem: r.mem, Size: r.size, lo: r.lo, hi: r.hi()}
		if c.holds(p, n) {
			return true
		}
	}
	for _, l := range [...]*list{&r.big, &r.chunks} { // the newest first: that is what Realloc asks for
		for i := l.used - 1; i >= 0; i-- {
			if c := &l.chunks[i]; c.Mem != r.mem && c.holds(p, n) {
				return true
			}
		}
	}
	return false
}

// Kept returns the chunks in use, and those to which values may point.
func (r *Region) Kept() (chunks []Chunk) {
	r.unsetCurrent()
	for _, l := range [...]*list{&r.chunks, &r.big} {
		chunks = append(chunks, l.chunks[:l.used]...)
		for c := range l.unused {
			if r.space.stale(c) {
				chunks = append(chunks, *c)
			}
		}
	}
	return chunks
}
