package memory

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how a lasting space ends lives: it never reuses allocated memory. It must not depend on who ends a
// life, or on how long values are kept.
//
// A life leaves its chunks to the GC, which keeps each for as long as something points there. Only the middle of the
// current chunk goes on, as a chunk of its own:
//
//	before   │ slices │        middle        │ objects │     one chunk, of Total bytes
//	after             │  chunk of the next   │               its memory is within the old block
//	                  └─ lo = 0 ─── hi = size ─┘
//
// So a region, a Position, a list and Owns never see an address of an earlier life: unused memory was never allocated.
//
// Values without pointers lead nowhere, and their chunks go on from life to life. Those with pointers share chunks
// within an epoch, a number of lives in succession: EndEpoch leaves all chunks of the slabs. A value that is kept then
// keeps the chunks of one epoch at most, and everything to which their values lead.

// An epoch is a lasting space's state of the present epoch.
type epoch struct {
	cycle  uint32  // of the GC when it began; see Cycle
	used   uintptr // bytes of values with pointers
	left   uintptr // bytes of chunks that were left, and not yet reported to the account
	apart  bool    // each value has a chunk of its own
	window Window  // of the plain region while there is no handle
}

// SetLasting makes a new space a lasting one.
func (s *Space) SetLasting() { s.epoch = new(epoch) }

// SetApart gives each value of a lasting space a block of its own, so that a kept one keeps no other.
func (s *Space) SetApart() { s.epoch.apart = true }

// Apart reports whether SetApart was called.
func (s *Space) Apart() bool { return s.epoch.apart }

// acquireApart is acquire where each value is a block of its own.
func (r *Region) acquireApart(from Place, size, need uintptr) unsafe.Pointer {
	r.admit(from, size, size)
	c := r.big.push(r.makeChunk(need, 0))
	c.lo, c.clean = need, true
	r.usedElsewhere += size
	return c.Mem
}

// Lasting reports whether the space uses nothing again.
func (s *Space) Lasting() bool { return s.epoch != nil }

// leave is Rewind for a region of a lasting space: memory allocated since p stays as it is. The state afterwards
// differs from p, so that marks have to be taken again. The caller settles.
func (r *Region) leave(p *Position) {
	used := r.span()
	r.learn(used)
	if r.chunks.used == 1 && r.big.used == 0 && p.chunks == 0 && r.mem != nil {
		r.leaveOnly()
		return
	}
	middle, zero := r.cutMiddle()
	r.forget(&r.big, p.big)
	if c := r.newestBig(); c != nil && c.lo > p.bigLo {
		c.lo, c.hi, c.Size = p.bigLo, p.bigLo, p.bigLo // it can't grow any more
	}
	r.forget(&r.chunks, p.chunks)
	r.usedElsewhere, r.waste, r.gaps = p.usedElsewhere, p.waste, p.gaps
	if p.chunks > 0 && p.hi != noCurrent {
		c := r.chunks.at(p.chunks - 1)
		c.lo, c.hi = p.lo, p.hi
		used := c.lo + c.Size - c.hi
		r.usedElsewhere += used
		r.waste += min(c.hi-c.lo, c.Total-used) // not the middles that became chunks
	}
	if middle.Size > 0 {
		r.setCurrent(r.chunks.insert(middle))
		r.zero = zero
	}
	r.dueSet = false
}

// leaveOnly is leave to the beginning where there is one chunk in use: for nearly all regions of a short life. The
// window stays open.
func (r *Region) leaveOnly() {
	if r.metered { // Due isn't known any more
		r.closeWindow()
	}
	if odd := r.hi() % ObjectAlign; r.slab == nil && odd != 0 { // below a string
		if r.w.Left >= odd {
			r.w.Left -= odd
		} else { // no window is open
			r.win -= odd
			r.zero = min(r.zero, r.win)
		}
	}
	hi := r.hi()
	lo := r.roundUnit(r.lo)
	r.usedElsewhere, r.waste, r.gaps, r.dueSet = 0, 0, asan.Gaps{}, false
	if lo == 0 && hi == r.size {
		return
	}
	c := &r.chunks.chunks[0]
	if lo >= hi {
		r.unsetCurrent()
		r.usedElsewhere, r.waste = 0, 0
		r.forget(&r.chunks, 0)
		return
	}
	c.Mem, c.Size = unsafe.Add(c.Mem, lo), hi-lo // fact 1
	r.lose(c.Total - c.Size)
	r.space.epoch.left += c.Total - c.Size
	c.Total = c.Size
	r.mem, r.size, r.lo = c.Mem, c.Size, 0
	r.zero = max(r.zero, lo) - lo
	r.win = max(r.win, lo) - lo
}

// cutMiddle puts down the current chunk, and returns its middle as a chunk that belongs to no list, and up to where
// that is zero. The block counts as two from then on.
func (r *Region) cutMiddle() (middle Chunk, zero uintptr) {
	if r.mem == nil {
		return
	}
	lo, hi := r.roundUnit(r.lo), r.hi()
	if r.slab == nil {
		hi &^= ObjectAlign - 1
	}
	if lo < hi {
		zero = max(r.zero, lo) - lo
		if r.zero == r.win { // nothing is unknown
			zero = hi - lo
		}
		middle = Chunk{Mem: unsafe.Add(r.mem, lo), Size: hi - lo, Total: hi - lo, hi: hi - lo} // fact 1
		r.chunks.at(r.chunks.used - 1).Total -= middle.Total
	}
	r.unsetCurrent()
	return middle, zero
}

// forget leaves all chunks in use but the first n.
func (r *Region) forget(l *list, n int) {
	bytes := uintptr(0)
	for i := n; i < l.used; i++ {
		bytes += l.chunks[i].Total
	}
	l.chunks = append(l.chunks[:n], l.chunks[l.used:]...)
	clear(l.chunks[len(l.chunks):min(cap(l.chunks), len(l.chunks)+l.used-n)])
	l.used = n
	if cap(l.chunks) > tuning.ListMost && len(l.chunks) == 0 {
		l.chunks = nil
	}
	r.lose(bytes)
	r.space.epoch.left += bytes
}

// settle credits the account with the bytes that regions have left.
func (s *Space) settle() {
	if n := s.epoch.left; n > 0 && s.seams != nil && s.account != nil {
		s.account.Credit(n)
	}
	s.epoch.left = 0
}

// insert puts a chunk in use, in front of the unused ones.
func (l *list) insert(c Chunk) *Chunk {
	l.chunks = append(l.chunks, c)
	return l.use(len(l.chunks) - 1)
}

// Leave ends a life.
func (s *Space) Leave() {
	if s.plain.span() > 0 || s.plain.chunks.used > 1 {
		s.plain.leave(&beginning)
	}
	busy := s.busy()
	for i := len(busy) - 1; i >= 0; i-- {
		b := busy[i]
		used := b.span()
		if used > 0 || b.chunks.used > 1 {
			b.leave(&beginning)
			b.used += used
			s.epoch.used += used
		}
		s.types.restIfUnused(i, used > 0, tuning.LivesToRest)
	}
	s.settle()
}

// niceSize rounds n up to a size of the heap's blocks: a power of two, or one and a half of it.
func niceSize(n uintptr) uintptr {
	size := uintptr(256)
	for size < n {
		size *= 2
	}
	if size/4*3 >= n {
		size = size / 4 * 3
	}
	return size
}

// nextInEpoch sets the size of a slab's next chunk, after a chunk of made bytes: a fraction of the bytes made in this
// epoch, so that little is wasted at the end.
func (r *Region) nextInEpoch(made uintptr) {
	r.slab.made += made
	r.next = min(max(niceSize(r.slab.made/tuning.EpochShare), r.SmallestFirst()), r.space.config.MaxChunk)
}

// SetConfig changes the options of a space that others lend.
func (s *Space) SetConfig(c *Config) { s.config = c }

// Attach makes the space go on with w, a zero Window, in its plain region.
func (s *Space) Attach(w *Window) { s.plain.attachWindow(w) }

// Detach closes the windows of a life for good: that of the plain region, and those that Pin has returned.
func (s *Space) Detach() {
	s.plain.attachWindow(&s.epoch.window)
	s.unpin()
}

func (r *Region) attachWindow(w *Window) {
	o := r.w // field by field: copying a Window that was written just before takes three times as long
	w.Base, w.Left, w.Unit, w.UpTo, w.region = o.Base, o.Left, o.Unit, o.UpTo, r
	o.Base, o.Left, o.UpTo, o.region = nil, 0, 0, nil
	r.w = w
}

// Pin returns a window of the slab that Detach closes for good, for those who keep it for as long as the life lasts.
func (b *Slab) Pin() *Window {
	if !b.space.Lasting() {
		return b.w
	}
	if b.w == &b.window {
		b.attachWindow(new(Window))
		b.space.types.pinned = append(b.space.types.pinned, b)
		if b.objects != nil {
			b.space.types.remember(b)
		}
	}
	return b.w
}

// Pin is Slab.Pin for the window of a slab.
func (w *Window) Pin() *Window { return w.region.slab.Pin() }

// unpin closes the windows that Pin has returned. The slabs go on with windows of their own.
func (s *Space) unpin() {
	c := s.types
	if c == nil {
		return
	}
	for i, b := range c.pinned {
		b.attachWindow(&b.window)
		if b.objects != nil {
			c.remember(b)
		}
		c.pinned[i] = nil
	}
	c.pinned = c.pinned[:0]
}

// cycles counts the cycles of the GC since Cycle was first called.
var (
	cycles atomic.Uint32
	arm    sync.Once
)

// A tick is an object that nobody points to. It is too large to share a block with others.
type tick [4]uint64

// Cycle returns a number that grows with each cycle of the GC. It costs a load, so each life may call it.
func Cycle() uint32 {
	arm.Do(nextTick)
	return cycles.Load()
}

// nextTick makes a tick, at whose collection the number grows and the next tick is made.
func nextTick() {
	runtime.AddCleanup(new(tick), func(struct{}) {
		cycles.Add(1)
		nextTick()
	}, struct{}{})
}
