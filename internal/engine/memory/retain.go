package memory

import (
	"slices"

	"github.com/harena-go/arena/internal/tuning"
)

// This file decides which unused chunks a space keeps for its next life and which it releases:
// those beyond WithMaxRetained, and those that were not needed for a while. It must not depend on
// when a life ends or on how much is worth keeping: the caller decides that.
//
// An unused chunk is needed, or idle. It is idle when a Trim with idle set has seen it and
// it hasn't been in use since:
//
//	made ──▶ needed ──Trim──▶ idle ──Trim──▶ released, but for a share
//	           ▲                │
//	           └── put in use ──┘
//
// For example: in each period chunks of 100 KiB are needed, and five of 100 KiB each are
// idle. Then 3 x 100 KiB of the idle ones are kept, and two go back to the Go heap.
//
// A trim does the following for each region. First the current chunk joins the unused ones if it is beyond the room or
// much too large for recent lives, as the rest of the trim looks only at unused chunks. Then, for ordinary chunks and
// after that for big ones, chunks in use are subtracted from the room, idle ones go, and those beyond the remaining
// room go. Last, the size of the next chunk is set anew.
//
// Before a trim, if a chunk was made since the last one, small chunks are replaced by a single one of the needed size;
// see mergeSmall.

// Retain releases the chunks that Reset should not keep, among them those that were not needed for
// a while if idle is set. It is called after a Restart, when nothing is in use.
func (s *Space) Retain(idle bool) {
	if s.grown && !s.learned {
		for r := range s.Busy {
			r.mergeSmall()
		}
	}
	s.grown = false
	if room := s.config.MaxRetained; idle || s.Reserved() > room {
		s.Trim(idle, room)
	}
}

// mergeSmall replaces small chunks by one as large as the largest use of late, up to
// tuning.OneMax. The next life begins with it, and work that needs the same again doesn't need a
// second chunk, which costs as much as a few dozen objects. For example a life that has filled
// chunks of 512 B and 1 KiB and a part of 2 KiB is followed by one with a chunk of 2.8 KiB. Chunks
// of that size or more stay; all do if the first size is learned. A size is tried once: if a limit
// doesn't allow it, chunks would otherwise be made anew in each life.
//
// Compared with putting the largest of the chunks in front, lives of 20, 100, 200, 600 and
// 3,000 objects of 64 B take 0.62, 0.65, 0.74, 0.86 and 0.95 of the time, those of random
// lengths (5 to 2,000) 0.97; an arena with lives of 30 and 500 objects keeps 34 KiB and not
// 57. The price is a chunk for the second life: three lives of a new arena take 1.04 to 1.12.
func (r *Region) mergeSmall() {
	size := r.BlockSize(min(BinEnd(BinOf(r.recentPeak)), tuning.OneMax), 0)
	if r.chunks.len() < 2 || size <= r.merged {
		return
	}
	r.retireCurrent()
	r.dropIf(&r.chunks, func(c *Chunk) bool { return c.Total < size })
	r.merged, r.next = size, size
}

// oversized reports whether the first chunk, which mergeSmall may have made, is too large for recent lives: more than
// four times the largest use since the last trim for idle chunks. It is then treated like other idle chunks. For
// example a first chunk of 64 KiB goes when no life of a period has used 16 KiB.
func (r *Region) oversized() bool {
	c := r.chunks.chunks
	return len(c) > 0 && c[0].Total > r.first && c[0].Total > (1+tuning.IdleShare)*r.recentPeak && !r.space.learned
}

// Shed releases unused chunks until there are no more than room bytes, or no unused chunks. It
// takes them as they come, needed or not. Chunks in use stay, and so does the current one.
func (s *Space) Shed(room uintptr) { s.ShedTo(room, false, nil) }

// A Keeper returns the region of another space that gets the chunks released by r. It has chunks of the same kind. With
// a nil Keeper they go to the Go heap.
type Keeper func(r *Region) *Region

// keep gives the other region a chunk of r that is about to be released.
func (k Keeper) keep(r *Region, c *Chunk) {
	if k != nil {
		to := k(r)
		to.chunks.shelve(to.adopt(*c, r.space))
	}
}

// ShedTo is Shed for a Keeper. If all is set, current chunks in which nothing is in use count as unused too.
func (s *Space) ShedTo(room uintptr, all bool, to Keeper) {
	reserved := s.Reserved()
	excess := reserved - min(reserved, room)
	for r := range s.Regions {
		r.shed(&excess, to)
	}
	if !all {
		return
	}
	for r := range s.Regions {
		if excess > 0 {
			r.retireCurrent()
			r.shed(&excess, to)
		}
	}
}

// Trim does what Region.trim does, with room bytes for all regions together. The plain region comes first and the last
// slab gets the rest of the room. If idle is set, slabs without chunks go too.
func (s *Space) Trim(idle bool, room uintptr) {
	spare, rest := uintptr(0), idle && s.restUnused()
	if rest {
		for r := range s.Regions {
			spare += tuning.IdleShare * r.needed()
		}
	}
	for r := range s.Regions {
		r.trim(idle, &room, &spare)
	}
	if rest {
		s.dropEmpty()
	}
}

// DropUnused releases the unused chunks. It also releases current chunks in which nothing is in
// use, unless a Rewind may lead to a mark at which they were current.
func (s *Space) DropUnused() {
	for r := range s.Regions {
		r.dropUnused(!s.marked)
	}
}

// TrimUnused releases the unused chunks that were idle at the previous TrimUnused, except for a
// share, and the slabs that have none left. Anything may be in use, and marks stay valid.
func (s *Space) TrimUnused() {
	for r := range s.Regions {
		spare, worthwhile := tuning.IdleShare*r.needed(), r.first+1
		if r.Resting() {
			worthwhile = 0
		}
		r.dropIdle(&r.chunks, &spare, worthwhile)
		r.dropIdle(&r.big, &spare, worthwhile)
		r.resetNext()
	}
	if s.types != nil {
		s.dropEmpty()
	}
	s.FitLists(1 + tuning.IdleShare)
}

// trim releases unused chunks after Reset: those beyond room, and if idle is set those that were
// not needed for a while, except for a share. It subtracts the bytes of the others from room.
//
// The share is a fraction of the region's needs. Chunks of the first size or less are worth nothing in a busy region,
// as a larger one does the same. Slabs at rest have needed nothing. They share rest, a number of spare bytes in
// proportion to the needs of all regions: types that are used now and then keep their slabs, but thousands of types
// from one life don't.
//
// If only one chunk is left and there is room for it, all that remains is to subtract it.
// Most regions are in this state each time.
func (r *Region) trim(idle bool, room, rest *uintptr) {
	// The current chunk exceeds the room, or was made for more than is needed now.
	if c := r.chunks.chunks; len(c) > 0 && c[0].Total > *room {
		r.retireCurrent()
	}
	if idle && r.oversized() {
		r.retireCurrent()
		r.chunks.chunks[0].idle = true
		r.merged = 0
	}
	if idle {
		r.recentPeak = 0
	}
	// No chunk is unused.
	if r.chunks.len() == r.chunks.used && r.big.len() == 0 && r.total <= *room {
		*room -= r.total
		return
	}
	// This must be known before dropIdle marks chunks as idle.
	spare, worthwhile := tuning.IdleShare*r.needed(), r.first+1
	if r.Resting() {
		spare, worthwhile = *rest, 0
	}
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for _, c := range l.chunks[:l.used] {
			*room -= min(*room, c.Total)
		}
		if idle {
			r.dropIdle(l, &spare, worthwhile)
		}
		r.dropBeyond(l, room)
	}
	if r.Resting() {
		*rest = spare - min(spare, slabSize)
	}
	r.resetNext()
}

// needed returns the bytes of the chunks that were needed since the last trim for idle chunks.
func (r *Region) needed() uintptr { return r.chunks.needed() + r.big.needed() }

// dropIdle releases the unused chunks that were not needed for a while, except those of
// at least least bytes that fit into spare, and marks the others as idle.
func (r *Region) dropIdle(l *list, spare *uintptr, least uintptr) {
	r.dropIf(l, func(c *Chunk) bool {
		switch {
		case !c.idle:
			c.idle = true
		case c.Total > *spare || c.Total < least:
			return true
		default:
			*spare -= c.Total
		}
		return false
	})
}

// dropBeyond releases unused chunks beyond room, and subtracts the others from it. It begins with
// the last: those of a slice that grew, say, are the larger the later they came into use.
func (r *Region) dropBeyond(l *list, room *uintptr) {
	// dropIf goes through the shelf too, but after the list, and from its smallest chunk on.
	unused := l.chunks[l.used:]
	slices.Reverse(unused)
	r.dropIf(l, func(c *Chunk) bool {
		if c.Total > *room {
			return true
		}
		*room -= c.Total
		return false
	})
	slices.Reverse(l.chunks[l.used:])
}

// shed releases unused chunks, or moves them, while there is an excess, and subtracts their
// bytes from it. The last of them may be larger than what remained.
func (r *Region) shed(excess *uintptr, to Keeper) {
	if *excess == 0 {
		return
	}
	for _, l := range [...]*list{&r.chunks, &r.big} {
		r.dropIf(l, func(c *Chunk) bool {
			if *excess == 0 {
				return false
			}
			*excess -= min(*excess, c.Total)
			to.keep(r, c)
			return true
		})
	}
	r.resetNext()
}

// dropIf releases the unused chunks for which f returns true, except those to which values may point, and stops
// counting them. All unused chunks leave the region here or by give, so that no bytes are forgotten. f is called once
// for each chunk, and may keep count.
func (r *Region) dropIf(l *list, f func(c *Chunk) bool) {
	l.filter(func(c *Chunk) (keep bool) {
		if r.space.stale(c) || !f(c) {
			return true
		}
		r.release(c.Total)
		return false
	})
}

// GiveTo moves the unused chunks of a region to one of another space, which outlives this one. See Space.Lend.
func (r *Region) GiveTo(to *Region) {
	r.retireCurrent()
	r.give(&r.chunks, to, &to.chunks)
	r.give(&r.big, to, &to.big)
}

// give is GiveTo for one list. The chunks go to the shelf of the other list: a parent may get thousands of chunks from
// its children, and a search in a list looks at only eight. Chunks that a Reset there would release are released here.
func (r *Region) give(l *list, to *Region, dest *list) {
	if len(l.chunks) == l.used && l.shelf == nil {
		return
	}
	together := r.space.owner == to.space.owner // values of one may point to the other
	l.filter(func(c *Chunk) (keep bool) {
		stale := r.space.stale(c)
		switch {
		case stale && !together:
			return true
		case !stale && to.total+c.Total > to.space.config.MaxRetained:
			r.release(c.Total)
		default:
			r.lose(c.Total)
			dest.shelve(to.adopt(*c, r.space))
		}
		return false
	})
	if s := dest.shelf; len(l.chunks) == 0 && s != nil && cap(l.chunks) <= tuning.SearchMax {
		s.room, l.chunks = l.chunks, nil
	}
}

// dropUnused is Space.DropUnused for one region; fresh says that an empty current chunk may go too.
func (r *Region) dropUnused(fresh bool) {
	if fresh {
		r.retireCurrent()
	}
	for _, l := range [...]*list{&r.chunks, &r.big} {
		r.dropIf(l, func(*Chunk) bool { return true })
	}
}

// Refit releases the chunks of a region that are smaller than its first one should be, or, if the first is much too
// large, chunks of its size or larger. The region was reset. The next allocation then makes a chunk of the right size.
// Nothing may be in use.
func (r *Region) Refit() {
	if !r.misfit {
		return
	}
	r.misfit = false
	if len(r.chunks.chunks) == 0 { // Retain has released it
		return
	}
	// A misfit that isn't too small is too large.
	most := ^uintptr(0)
	if head := r.chunks.chunks[0].Total; head >= r.first {
		most = head - 1
	}
	r.retireCurrent()
	r.dropIf(&r.chunks, func(c *Chunk) bool { return c.Total < r.first || c.Total > most })
	r.resetNext()
}

// SetFirst sets the size of the first chunk's block, in bytes. If there is a chunk already
// it stays. misfit, given the size of its block, reports whether Refit should replace it.
// misfit may be nil if there is no chunk.
func (r *Region) SetFirst(n uintptr, misfit func(head uintptr) bool) {
	if r.space.Lasting() && r.slab != nil {
		return // EndEpoch decides
	}
	if len(r.chunks.chunks) == 0 {
		r.begin(n)
		return
	}
	r.first = n
	r.misfit = misfit(r.chunks.chunks[0].Total)
}

// Misfit reports whether Refit has something to do. SetFirst decides on that, and Refit ends it.
func (r *Region) Misfit() bool { return r.misfit }

// FirstFor returns the size of a first chunk's block for n bytes, within the options' bounds, or 0 if n is 0. It is at
// most a quarter of MaxRetained, so that one region doesn't take the room of all others, and at least a new region's
// first size. A slab gets at least one element.
func (r *Region) FirstFor(n uintptr) uintptr {
	if n == 0 {
		return 0
	}
	options := r.space.config
	most := options.MaxRetained / 4
	if options.MaxChunkSet {
		most = min(most, options.MaxChunk)
	}
	size := r.BlockSize(n, 0)
	if size > most {
		size = r.BlockSize(min(r.Unit, most), most)
	}
	return max(size, r.BlockSize(1, r.SmallestFirst())) // which may be less than n
}

// Peak returns the most bytes that the region has had in use since ForgetPeak, with
// padding and red zones.
func (r *Region) Peak() uintptr { return max(r.peak, r.span()) }

// ForgetPeak starts Peak anew. It is called when nothing is in use.
func (r *Region) ForgetPeak() { r.peak = 0 }

// AgeEpoch ends the epoch if its lives have used most bytes, or if a cycle of the GC has ended since it began, by
// Cycle: memory that only dead values lead to then stays for one cycle more at most. New chunks without pointers have
// at most as many bytes. It is called between two lives.
func (s *Space) AgeEpoch(now uint32, most uintptr) {
	if !s.config.ChunkSet {
		s.plain.next = min(s.config.Chunk, most)
	}
	if s.epoch.used >= most || s.epoch.cycle != now || s.epoch.apart {
		s.EndEpoch()
		s.epoch.cycle = now
	}
}

// EndEpoch leaves all chunks of the slabs. Their use in this epoch sets the sizes of their first chunks in the next
// one, which grow by steps: large lives among small ones would have these begin with large chunks. Nothing may be in
// use.
func (s *Space) EndEpoch() {
	s.epoch.used = 0
	if s.epoch.apart {
		s.plain.dropUnused(true)
	}
	for b := range s.Slabs {
		if b.total == 0 && b.used == 0 {
			continue
		}
		b.dropUnused(true)
		b.begin(max(min(niceSize(b.used-b.used/4), niceSize(b.first+1)), b.SmallestFirst()))
		b.made, b.used = 0, 0
	}
}
