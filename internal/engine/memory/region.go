package memory

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how memory is allocated: the two ends of a chunk, and the window.
//
// A region owns chunks of one kind. It allocates from one of them, the current chunk,
// from both ends towards the middle:
//
//	0          lo       zero            win       win+left=hi     size
//	├──────────┼─────────┼───────────────┼────────────┼────────────┤
//	│  slices  │  zero   │    unknown    │   window   │  objects   │
//	└──────────┴─────────┴───────────────┴────────────┴────────────┘
//	    grows ──▶                                  ◀── grows
//
// Objects and short strings are taken from the top of the window. The window is known to be zero,
// and is described by one pointer (base, its lower end) and one counter (left, its size). Taking an
// object changes only the counter. No pointer is written, so there is no write barrier, and
// base+left is an ordinary pointer computation that go vet and checkptr accept.
//
// Slices and raw memory are taken from the low end, by advancing lo. A slice that ends at lo can grow where it is, even
// after objects and strings were allocated: only another slice can get in its way. That is why there are two ends. The
// inlined fast path needs a downward bump, which can't grow anything in place. An upward bump can, but not once an
// object is allocated while the slice is being built. A parser that appends a token and allocates a node in turn copies
// nothing here.
//
// Life of the memory in the middle:
//
//	(1) A chunk comes from the Go heap, zeroed: zero == win, nothing is unknown.
//	(2) TakeTop moves the window down by a few KiB, and erases just that part of
//	    it that is unknown. The memory is on its way into the L1 cache then,
//	    because the next allocations use it.
//	(3) TakeLow advances lo, and erases the memory between zero and the new lo.
//	(4) When a request doesn't fit any more, the chunk is left, the rest of
//	    the middle is wasted, and another chunk becomes current.
//	(5) Reset and Rewind set the ends back. If little was used it is erased at
//	    once and the window stays open; else the memory becomes unknown and is
//	    erased by (2) and (3) when it is needed again.
//
// Slabs, which hold values with pointers, and arenas that scrub are eager: they always erase at
// (5), so that dead values don't keep others alive, and their middle is always zero.
//
// In builds with the address sanitizer all of a chunk is poisoned except for allocations. (1) poisons it, (2) and (3)
// unpoison one allocation at a time, since the window stays closed, and (5) poisons it again. A red zone below each
// allocation is left unused.
//
// This file must not depend on where chunks come from, or on who uses its allocations.
type Region struct {
	w    *Window // where the fast paths find it
	Unit uintptr // bytes of an element of a slab; 8 outside of slabs

	// The current chunk's state; all zero if there is none. Invariant: lo <=
	// zero <= win <= win+left <= size. win is a multiple of unit unless the window is
	// empty; in a slab, all of these are.
	mem  unsafe.Pointer
	size uintptr
	lo   uintptr // slices lie below
	zero uintptr // lo to zero is zero
	win  uintptr // the window's lower end

	space *Space
	slab  *Slab // the slab that embeds this region; nil outside of slabs

	chunks list // were current one after the other; the last in use is current
	big    list // hold one big request each

	total         uintptr   // bytes of all blocks
	usedElsewhere uintptr   // bytes allocated from big chunks and those that were left
	waste         uintptr   // bytes that nobody got in chunks that were left
	gaps          asan.Gaps // bytes of red zones, which usedElsewhere, lo and hi count as allocated

	// windowless means that the window must stay closed, so that each allocation takes
	// the slow path. The fast path must not read descriptors here, or would miss that
	// another goroutine has freed the space.
	windowless bool

	// careful means that the low end has no fast path either: each allocation must be
	// counted, or allowed first.
	careful bool

	// metered means that the limit has to know of each byte. The top opens windows down to due, the offset at which
	// Admit must be called again, which may lie below the chunk. If dueSet is false that offset isn't known.
	metered, dueSet bool

	due       int
	savedLeft uintptr // Left, while the region is shut

	policy
}

// A policy is what a region has learned from its use. It decides on the sizes of chunks, and on those kept by Retain.
type policy struct {
	first  uintptr // bytes of the first chunk's block; SetFirst may change it
	next   uintptr // and of the next chunk's
	merged uintptr // the chunk size that mergeSmall has chosen, 0 once it was too large

	recentPeak uintptr // the largest use that Restart has seen since the last trim for idle chunks
	peak       uintptr // the largest use that Rewind and Restart have seen since ForgetPeak
	idleLives  uint8   // of a busy slab, the last Restarts and Rewinds at which nothing was in use
	misfit     bool    // the first chunk isn't as first says, and Refit exchanges it
}

// begin makes the next chunk the first one, of n bytes.
func (p *policy) begin(n uintptr) { p.first, p.next = n, n }

// learn notes the use at the end of a life.
func (p *policy) learn(used uintptr) {
	p.recentPeak, p.peak = max(p.recentPeak, used), max(p.peak, used)
}

// A Window is the zeroed memory from which the fast paths take objects, from its upper end. It is apart from its
// region, so that a handle that ends keeps an empty window, while the region goes on with another one.
type Window struct {
	Base unsafe.Pointer // the lower end, unless the window is empty
	Left uintptr        // bytes, all of them zero
	Unit uintptr        // the region's

	// UpTo bounds the size of the part of a type with pointers: values of such types come
	// from here, others from slabs. It is 0, or unbounded in a self-contained space.
	UpTo uint

	region *Region // nil once another window has taken this one's place
}

// Region returns the region of a window, or nil if that has another one by now.
func (w *Window) Region() *Region { return w.region }

// Window returns the region's window.
func (r *Region) Window() *Window { return r.w }

// UpTo returns the bound of the same name of the region's window.
func (r *Region) UpTo() uint { return r.w.UpTo }

// setWindowOf makes w, a zero Window, the window of a new region.
func (r *Region) setWindowOf(w *Window) {
	w.Unit, w.region = r.Unit, r
	r.w = w
}

const (
	// ObjectAlign is the alignment of all allocations of 8 bytes and more.
	ObjectAlign = 8
)

// hi returns the lower end of the objects.
func (r *Region) hi() uintptr { return r.win + r.w.Left }

// Used returns the bytes allocated, padding included.
func (r *Region) Used() uintptr { return r.span() - r.gaps.Bytes() }

// span is Used with red zones.
func (r *Region) span() uintptr { return r.usedElsewhere + r.lo + r.size - r.hi() }

// Total returns the bytes of all blocks.
func (r *Region) Total() uintptr { return r.total }

// Waste returns the bytes left unused in chunks that are no longer current.
func (r *Region) Waste() uintptr { return r.waste }

// LowEnd returns the address of the low end.
func (r *Region) LowEnd() uintptr { return uintptr(r.mem) + r.lo } // fact 10

// eager reports whether memory is erased when it is given back.
func (r *Region) eager() bool { return r.slab != nil || r.space.config.Scrub }

// setWindow opens the window from win to hi, which must be zero.
func (r *Region) setWindow(win, hi uintptr) {
	if r.windowless || r.metered {
		win = hi
	}
	r.openWindow(win, hi)
}

// openWindow is setWindow for a window that Admit has allowed.
func (r *Region) openWindow(win, hi uintptr) {
	r.win, r.w.Left, r.w.Base = win, hi-win, r.mem
	if r.w.Left > 0 {
		r.w.Base = unsafe.Add(r.mem, win) // facts 1, 10
	}
}

// closeWindow gives the window back to the middle.
func (r *Region) closeWindow() {
	hi := r.hi()
	if r.zero == r.win {
		r.zero = hi
	}
	r.setWindow(hi, hi)
}

// TakeTop allocates size zeroed bytes for an object, from below hi, and opens the window
// so that the next requests take the fast path.
func (r *Region) TakeTop(size uintptr) unsafe.Pointer {
	for {
		if hi := r.hi(); r.mem != nil && size <= hi-r.lo {
			off := hi - size
			if r.slab == nil {
				off &^= ObjectAlign - 1
			}
			if off >= r.lo+redZone(r.lo, r.Unit, ObjectAlign) {
				gap := redZoneBelow(off-r.lo, r.Unit, size)
				ahead := r.admit(Top, size, hi-off)
				r.moveWindow(off-gap, ahead)
				r.gaps.Add(gap)
				return asan.Allow(unsafe.Add(r.mem, off), size) // facts 1, 4
			}
		}
		if p := r.acquire(TopsChunk, size, r.roundUnit(size), false); p != nil {
			return asan.Allow(p, size)
		}
	}
}

// TakeTopUninit is TakeTop with undefined contents. It opens a window only where that
// needn't be erased.
func (r *Region) TakeTopUninit(size uintptr) unsafe.Pointer {
	hi := r.hi()
	if asan.On || r.zero == r.win || size > hi-r.lo || r.careful {
		return r.TakeTop(size)
	}
	if r.w.Left > 0 {
		r.setWindow(hi, hi)
	}
	r.win = hi - size
	r.zero = min(r.zero, r.win)
	return unsafe.Add(r.mem, r.win) // facts 1, 4
}

// moveWindow allocates everything above off, and puts a window of at most ahead bytes below it. It erases the unknown
// memory in both.
func (r *Region) moveWindow(off, ahead uintptr) {
	room := off - r.lo
	w := min(tuning.Window, ahead, room)
	if r.windowless {
		w = 0
	} else if room < 2*tuning.Window {
		w = min(w, max(room/2, tuning.Ahead)) // leave something to the slices
	}
	win := min(r.win, off-(w-w%r.Unit))
	if win < r.win {
		if from := max(win, r.zero); from < r.win {
			block.Clear(r.mem, from, r.win)
		}
		r.zero = min(r.zero, win)
	}
	r.openWindow(win, off)
}

// Metered reports whether the top opens windows up to Due.
func (r *Region) Metered() bool { return r.metered }

// Due returns how many bytes may be allocated from the top until Admit must be called again. It is unknown after memory
// was reclaimed.
func (r *Region) Due() (bytes uintptr, known bool) { return uintptr(int(r.hi()) - r.due), r.dueSet }

// SetDue sets Due. Admit must not return more, and a larger window is closed.
func (r *Region) SetDue(bytes uintptr) {
	r.due, r.dueSet = int(r.hi())-int(bytes), true
	if bytes < r.w.Left {
		r.closeWindow()
	}
}

//go:noinline
func (r *Region) TakeLowSlow(size, align uintptr, uninit bool) unsafe.Pointer {
	if asan.On {
		align = max(align, asan.Granule)
	}
	for {
		gap := redZone(r.lo, r.Unit, align)
		off := r.alignLow(align) + gap
		if hi := r.hi(); r.mem != nil && off <= hi && size <= hi-off {
			r.admit(Low, size, off+size-gap-r.lo)
			r.gaps.Add(gap)
			return r.advance(off, size, uninit)
		}
		need := size
		if align > ObjectAlign {
			need += align
		}
		if p := r.acquire(Low, size, need, uninit); p != nil {
			return asan.Allow(AlignUp(p, align), size)
		}
	}
}

// alignLow returns the first offset at or above lo with the given alignment.
func (r *Region) alignLow(align uintptr) uintptr {
	if r.slab == nil {
		return (uintptr(r.mem)+r.lo+align-1)&^(align-1) - uintptr(r.mem)
	}
	off := r.lo
	for (uintptr(r.mem)+off)&(align-1) != 0 { // 32-bit machines only
		off += r.Unit
	}
	return off
}

// PadLow returns how many bytes the next slice loses to alignment, at most.
func (r *Region) PadLow() uintptr {
	if r.mem == nil {
		return 0
	}
	return r.alignLow(ObjectAlign) - r.lo
}

// AlignUp returns the first address at or above p with the given alignment.
func AlignUp(p unsafe.Pointer, align uintptr) unsafe.Pointer {
	return unsafe.Add(p, -uintptr(p)&(align-1)) // fact 3; the caller asked for room
}

// EndsLow reports whether end is where the newest allocation of the low end ends. A
// foreign block may end where the chunk begins, so the first test is needed.
func (r *Region) EndsLow(end uintptr) bool {
	return r.lo != 0 && end == uintptr(r.mem)+r.lo
}

// advance allocates size bytes at off, which is lo or slightly above it.
func (r *Region) advance(off, size uintptr, uninit bool) unsafe.Pointer {
	end := off + size
	if end > r.win {
		r.raiseWindow(off, end, uninit)
	} else if end > r.zero {
		to := end
		if !uninit {
			if size <= 2*tuning.Ahead {
				to = min(end+max(tuning.Ahead, 3*size), r.win)
			}
			block.Clear(r.mem, max(off, r.zero), to)
		}
		r.zero = to
	}
	r.lo = end
	return asan.Allow(unsafe.Add(r.mem, off), size) // fact 1
}

// raiseWindow takes memory for advance from the lower part of the window when the rest of the middle isn't enough.
func (r *Region) raiseWindow(off, end uintptr, uninit bool) {
	if from := max(off, r.zero); from < r.win && !uninit {
		block.Clear(r.mem, from, r.win)
	}
	hi := r.hi()
	win := min(r.roundUnit(end), hi)
	r.zero = win
	r.setWindow(win, hi)
}

// roundUnit rounds an offset up to where the window may begin.
func (r *Region) roundUnit(off uintptr) uintptr {
	if r.slab != nil {
		return off // all offsets of a slab are multiples of its unit
	}
	return RoundUp(off)
}

// RoundUp rounds n up to a multiple of 8.
func RoundUp(n uintptr) uintptr { return (n + ObjectAlign - 1) &^ (ObjectAlign - 1) }
