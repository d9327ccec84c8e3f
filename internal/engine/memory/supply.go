package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/tuning"
)

// This file finds or makes a region's chunks. It must not depend on the values allocated in them, or on why a chunk is
// released: retain.go decides that.
//
// A request that doesn't fit into the current chunk is served by the first of these that can:
//
//	(1) an unused chunk of the region, which becomes the current one
//	(2) a chunk that a lender has no use for, such as a parent or a pool
//	(3) a block from the Go heap, of twice the size of the one before
//
// A request that is large compared with the next chunk takes (1) to (3) for a big chunk of its own. With first = 4 KiB
// and MaxChunk = 1 MiB, blocks are of 4, 8, 16 ... 1024, 1024 KiB. While the next chunk has 64 KiB, requests of more
// than 16 KiB get big chunks, and less than 16 KiB is wasted when a chunk is left.

// acquire is called when a request of size bytes doesn't fit into the current chunk. Either it makes an unused chunk
// current and returns nil, so that the caller tries again and succeeds. That chunk has need bytes or more: size and the
// most that alignment can cost. Or it gives the request a big chunk of its own and returns its memory.
//
// The limit is checked first, as that may panic: the region is then as it was. A chunk is made before the current one
// is put down, as that may panic too.
func (r *Region) acquire(from Place, size, need uintptr, uninit bool) unsafe.Pointer {
	r.space.ask(size)
	r.wake()
	if q := r.space.quarantined(); q != nil && q.Single() {
		return r.acquireSingle(q, from, size, need, uninit)
	}
	if e := r.space.epoch; e != nil && e.apart && r.big.used < tuning.ApartMost {
		return r.acquireApart(from, size, need)
	}
	// Any unused chunk is better than a new one, however large it is.
	if i := r.chunks.find(need, r.next, ^uintptr(0)); i >= 0 {
		r.makeCurrent(func() *Chunk { return r.chunks.use(i) })
		return nil
	}
	if need > r.share() {
		return r.acquireBig(from, size, need, uninit)
	}
	c, ok := r.borrow(need, r.next)
	if !ok {
		c = r.makeChunk(need, r.ordinary(from, need))
	}
	r.makeCurrent(func() *Chunk { return r.chunks.push(c) })
	return nil
}

// makeCurrent makes the chunk that next brings into use the current one. Due stays the same.
func (r *Region) makeCurrent(next func() *Chunk) {
	due, known := r.Due()
	r.unsetCurrent()
	r.setCurrent(next())
	if known {
		r.SetDue(due)
	}
}

// share returns the largest request that is served from a part of the next chunk. If there is no
// current chunk nothing is wasted by beginning one, so a request may take all of it.
func (r *Region) share() uintptr {
	if r.mem != nil {
		return r.next / tuning.BigShare
	}
	return r.next
}

// acquireBig allocates a chunk of its own for need bytes. Its used part counts as usedElsewhere at once, as for all
// chunks but the current one: size, without the cost of alignment.
func (r *Region) acquireBig(from Place, size, need uintptr, uninit bool) unsafe.Pointer {
	r.admit(from, size, size)
	// A kept chunk is used whole, however large it is: the allocation can grow into the rest.
	var c *Chunk
	if i := r.big.find(need, need, tuning.BigFit*need); i >= 0 {
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

// acquireSingle is acquire where each allocation has a chunk of its own. No chunk is used
// a second time there, so a chunk's label is that of its allocation. Memory that needn't
// be zero is filled with a pattern, to expose programs that rely on zeroes.
func (r *Region) acquireSingle(q Quarantine, from Place, size, need uintptr, uninit bool) unsafe.Pointer {
	r.admit(from, size, size)
	c := r.big.push(r.newChunk(need, 0))
	c.lo, c.clean = need, false
	c.Label = q.Label(size, need)
	if uninit && r.slab == nil {
		fill.Bytes(asan.Allow(c.Mem, need), need)
	}
	r.usedElsewhere += size
	p := c.Mem
	q.Done()
	return p
}

// newChunk returns an unused chunk with at least need bytes, from a block of about total bytes if that is more. It
// tries lenders first.
func (r *Region) newChunk(need, total uintptr) Chunk {
	if c, ok := r.borrow(need, total); ok {
		return c
	}
	return r.makeChunk(need, total)
}

// makeChunk is newChunk without lenders.
//
// The order matters: cut makes the block smaller, charge counts it or panics, and only then
// is it made. A block that exists has been counted.
func (r *Region) makeChunk(need, total uintptr) Chunk {
	c := Chunk{Total: r.charge(need, r.space.cut(need, total)), clean: true}
	if r.slab == nil {
		r.makePages(&c)
	}
	switch {
	case c.Paged:
	case r.slab != nil:
		c.Mem, c.Size = r.slab.kind.Make(int(c.Total/r.Unit)), c.Total
	case r.space.owner != nil:
		c.Mem, c.Size = block.Owned(c.Total, r.space.owner)
	default:
		c.Mem, c.Size = block.Plain(c.Total)
	}
	r.gain(&c)
	// Double once, however large this one is: a single big request must not make the next
	// chunk large, which may be the one that the region keeps.
	switch {
	case r.space.Lasting() && r.slab != nil:
		r.nextInEpoch(c.Total)
	case r.next <= r.total:
		r.doubleNext()
	}
	return c
}

// ordinary returns the size of the block for the next ordinary chunk. A small object may be all
// that is ever allocated from an arena: if no first size was set, its chunk is a small one. Slices
// are expected to grow.
func (r *Region) ordinary(from Place, need uintptr) uintptr {
	switch s := r.space; {
	case s.total > 0 || r.next != r.first || from != TopsChunk || need > tuning.SmallFirst/tuning.BigShare,
		s.config.ChunkSet || s.ordered:
		return r.next
	case r.slab != nil:
		return min(tuning.SmallFirst/tuning.BigShare, r.next)
	}
	return min(tuning.SmallFirst, r.next)
}

// makePages makes a block of whole pages for a chunk, if the quarantine wants them and they are
// available. The excess is neither offered nor counted: a quarantine changes no promise.
func (r *Region) makePages(c *Chunk) {
	q := r.space.quarantined()
	if q == nil {
		return
	}
	switch page := q.Page(); {
	case page == 0:
	case r.space.owner != nil:
		c.Mem, c.Size = block.OwnedPages(c.Total, page, r.space.owner)
	default:
		c.Mem, c.Size = block.PlainPages(c.Total, page)
	}
	c.Size = min(c.Size, c.Total)
	c.Paged = c.Mem != nil
}

// borrow takes an unused chunk of at least least bytes from a lender that has one, and of about want if there is one.
// The chunk is the region's from then on; when this space ends GiveTo returns it.
func (r *Region) borrow(least, want uintptr) (c Chunk, ok bool) {
	return r.space.LendOn(r, least, max(want, least))
}

// LendOn makes the lender of a space lend to a region, of that space or of one below it.
func (s *Space) LendOn(to *Region, least, want uintptr) (c Chunk, ok bool) {
	if s.lender == nil {
		return c, false
	}
	return s.lender.Lend(to, least, want)
}

// Lend gives an unused chunk to a region of another space: of at least least bytes, and of about want.
//
// A chunk passes between spaces here, by GiveTo, and by ShedTo. These rules say who may have it:
//
//	(1) Regions of one kind exchange chunks: plain ones, or slabs of one type. The GC scans a block by its type; see
//	    sameKind.
//	(2) A stale chunk, to which values of its life may point, goes only to a space with the same owner, which keeps it
//	    as long, and is never released. All others get a new owner; see adopt.
//	(3) A child borrows from its parent, then from the top of its family, then from the depot, see Lender. It gets no
//	    chunk much larger than it wants, so that small requests don't use up the large chunks; see list.lend.
//	(4) At the end of a child its unused chunks go to the top of the family, up to MaxRetained; see GiveTo. Chunks in
//	    use stay with their values.
//	(5) Between two lives the surplus of a space goes to the depot, up to a share of all; see Space.ShedTo.
func (s *Space) Lend(to *Region, least, want uintptr) (c Chunk, ok bool) {
	// Ordinary chunks come first: big ones are for allocations that outgrow these.
	from := s.sameKind(to)
	if from == nil {
		return
	}
	together := s.owner == to.space.owner
	for _, l := range [...]*list{&from.chunks, &from.big} {
		if c, ok = l.lend(least, want, func(c *Chunk) bool { return together || !s.stale(c) }); ok {
			from.lose(c.Total)
			if to.chunks.chunks == nil {
				to.chunks.chunks, l.shelf.room = l.shelf.room, nil
			}
			return to.adopt(c, s), true
		}
	}
	return
}

// sameKind returns the region that has chunks of the same kind as r, or nil. Only these can
// be exchanged, since the GC scans a block by the type that it was made with.
func (s *Space) sameKind(r *Region) *Region {
	if r.slab == nil {
		return s.plain
	}
	if b := s.Find(r.slab.key); b != nil {
		return &b.Region
	}
	return nil
}

// BlockSize returns the size of the block for a chunk that offers need bytes, or about total bytes if that is more. A
// block is larger than its chunk: slabs round up to whole elements and to the allocator's size classes, self-contained
// spaces have pointers to the owner in between, and all have a pad at the end, so that a pointer just past the last
// value still points into the block.
func (r *Region) BlockSize(need, total uintptr) uintptr {
	switch {
	case r.slab != nil && r.space.Lasting():
		return max(need+r.Unit-1, total-min(total, block.MallocHeader)) / r.Unit * r.Unit
	case r.slab != nil:
		return r.Unit * uintptr(r.slab.kind.Round(int(total/r.Unit), int((need+r.Unit-1)/r.Unit)))
	case r.space.owner != nil:
		return block.RoundOwned(max(total, need+block.OwnedOverhead))
	}
	return RoundUp(max(total, need+block.PlainOverhead))
}

// LeastSize is BlockSize when there is little room: it takes the smallest block, at any cost to the GC. It is used near
// a limit, where a few bytes decide whether a request succeeds at all.
func (r *Region) LeastSize(need uintptr) uintptr {
	switch {
	case r.slab != nil:
		return (need + r.Unit - 1) / r.Unit * r.Unit
	case r.space.owner != nil:
		return block.FitOwned(need + block.OwnedOverhead)
	}
	return RoundUp(need + block.PlainOverhead)
}

// Reserve makes room for n bytes, in the current chunk or in the next one. That one is put before
// the other unused chunks, where find looks first, and stays unused: nothing is allocated yet.
func (r *Region) Reserve(n uintptr) {
	if r.mem != nil && n <= r.hi()-r.lo || r.space.single() {
		return
	}
	// Making a chunk may release unused ones if a limit is near, so the list may have changed.
	l := &r.chunks
	i := l.find(n, n, ^uintptr(0))
	if i < 0 {
		c := r.newChunk(n, 0) // which may change l first
		l.chunks = append(l.chunks, c)
		i = len(l.chunks) - 1
	}
	l.bringForward(i)
}

// adopt makes an unused chunk of another space the region's own. Its block has to point to the owner of its new space
// before a value is in it; the life number of the old space means nothing here, and is reset. Within a family with one
// owner both stay: a chunk that is stale there is stale here.
func (r *Region) adopt(c Chunk, from *Space) Chunk {
	if s := r.space; s.owner != from.owner {
		block.SetOwner(c.Mem, s.owner)
		c.life = 0
	}
	r.gain(&c)
	return c
}

// gain counts a chunk that came to the region. It is the opposite of release, except for
// the account: the block was charged when it was made, and a chunk that moves within a
// family changes no sum.
func (r *Region) gain(c *Chunk) {
	c.lo, c.hi, c.idle = 0, c.Size, false
	r.total += c.Total
	r.space.total += c.Total
	r.space.grown = true
}

// lose is the opposite of gain, for n bytes.
func (r *Region) lose(n uintptr) {
	r.total -= n
	r.space.total -= n
}

// resetNext sets the size of the next chunk to that in a region that has grown to the
// present size by doubling. It is called when chunks were released, so that a region that
// has shrunk starts small again.
func (r *Region) resetNext() {
	r.next = r.first
	for r.next <= r.total && r.next < r.space.config.MaxChunk {
		r.doubleNext()
	}
}

// doubleNext doubles the next chunk, up to the maximum. Only the first one may be larger
// than that, see SetFirst.
func (r *Region) doubleNext() { r.next = min(2*r.next, r.space.config.MaxChunk) }

// setCurrent makes a chunk in use the current one, with its window closed. The middle counts
// as zero only if that is known: a clean chunk was never used, or was erased, and the middle
// of an eager region is always zero. The chunk stops being marked clean at once, as the first
// allocation makes that false.
//
// The window stays closed until TakeTop opens it: a chunk that is used for slices alone is
// never erased in advance.
func (r *Region) setCurrent(c *Chunk) {
	r.mem, r.size, r.lo, r.zero = c.Mem, c.Size, c.lo, c.lo
	if c.clean || r.eager() {
		r.zero = c.hi
	}
	c.clean = false
	r.setWindow(c.hi, c.hi)
}

// unsetCurrent notes in the current chunk how much of it is in use, so that another one can become current. Its middle
// is waste from now on, until a Rewind.
//
// Invariant: if there is a current chunk it is the last one in use, and lo, hi of its Chunk are not kept up to date;
// those of all others are. The call doesn't change Used: the bytes beyond lo and hi are then a part of usedElsewhere.
func (r *Region) unsetCurrent() {
	r.dueSet = false
	if r.mem == nil {
		return
	}
	c := r.chunks.at(r.chunks.used - 1)
	c.lo, c.hi = r.lo, r.hi()
	r.usedElsewhere += c.lo + c.Size - c.hi
	r.waste += c.hi - c.lo
	r.mem, r.size, r.lo, r.zero = nil, 0, 0, 0
	r.w.Base, r.win, r.w.Left = nil, 0, 0
}
