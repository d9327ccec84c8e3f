// Package learn finds out how large first chunks should be for arenas that do the same kind of work again and again. It
// depends on regions and their use. It must not depend on pools, or on the times of resets.
//
// Hints are kept by region: one for the plain region, and one for each slab, found by the
// slab's key. All sizes are in bytes.
package learn

import (
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// Work holds the hints for one kind of work. The zero Work has none. Any number of goroutines may use it.
type Work struct {
	mu    sync.Mutex
	plain sizeHint
	slabs map[memory.Key]*sizeHint // of its own
	types *Types                   // those that it shares; or nil
	seen  uint64                   // looks of types, at the last one at this work; under its lock
	all   Histogram                // of the use of whole spaces, children included
	looks uint64                   // how many uses were noted
	room  atomic.Uintptr

	// The blocks that the last uses have needed, and taken from the Go heap, on average. A use fades as in recent of a
	// Histogram.
	needed, taken float64
}

// A sizeHint is the hint for one region.
type sizeHint struct {
	typ     string // the type of its values
	sizes   Histogram
	first   uintptr // bytes of the first chunk's block; 0 if too little is known
	notedAt uint64  // looks, when a use was noted last
}

// Note adds the use of a space that was reset, since its regions forgot their peaks, and byChildren bytes of children
// that are gone. It does nothing if another goroutine is in Note for this work, or for another that shares its types:
// missing one use doesn't matter, but waiting would. reserved includes the children; taken is the bytes from the Go
// heap. Note sets the sizes of first chunks, where any size up to free bytes is worthwhile, and reports whether a
// region should begin with another size than it does. It also returns how many bytes of blocks the use has needed.
func (w *Work) Note(s *memory.Space, byChildren, reserved, taken, free uintptr) (misfit bool, needed uintptr) {
	if !w.mu.TryLock() {
		return false, 0
	}
	defer w.mu.Unlock()
	if t := w.types; t != nil {
		if !t.mu.TryLock() {
			return false, 0
		}
		defer t.mu.Unlock()
		if t.looks++; t.looks%rareAfter == 0 {
			t.forget()
		}
		w.seen = t.looks
	}
	used := byChildren
	needed = byChildren
	w.looks++
	for r := range s.Regions {
		peak := r.Peak()
		if peak == 0 && r.Resting() {
			continue
		}
		if used += peak; peak > 0 {
			needed += max(peak, r.SmallestFirst())
		}
		if h, look := w.hint(r); h != nil {
			h.sizes.SetFree(free)
			misfit = h.note(r, look) || misfit
		}
	}
	if w.looks%forgetEvery == 0 {
		w.forget()
	}
	w.all.SetFree(free)
	w.all.Note(min(used, reserved), 1)
	w.room.Store(w.all.Room())
	needed = min(needed, reserved)
	fade := 1 / float64(min(w.looks, balanceUses))
	w.needed += (float64(needed) - w.needed) * fade
	w.taken += (float64(taken) - w.taken) * fade
	return misfit, needed
}

// balanceUses is the number of uses that the averages needed and taken follow.
const balanceUses = 2 * tuning.RecentUses

// Balance returns how many bytes of blocks the last uses have needed on average, and how many of
// these came from the Go heap. Both are 0 if too little is known.
func (w *Work) Balance() (needed, taken float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.looks < balanceUses {
		return 0, 0
	}
	return w.needed, w.taken
}

// A type is forgotten after forgetEvery looks that haven't seen it: as many as the histogram
// remembers.
const forgetEvery = tuning.MostWeight / tuning.UseWeight

// forget drops the types that no look has seen for a while. It makes a new map, as maps never
// shrink.
func (w *Work) forget() {
	slabs := map[memory.Key]*sizeHint{}
	for key, h := range w.slabs {
		if h.missed(w.looks) < forgetEvery {
			slabs[key] = h
		}
	}
	if n := len(w.slabs) - len(slabs); n > 0 {
		if w.slabs = slabs; w.types != nil {
			w.types.own -= n
		}
	}
}

// note is Work.Note for one region. Looks that it missed while at rest are added: nothing was
// used then.
func (h *sizeHint) note(r *memory.Region, look uint64) (misfit bool) {
	changed := h.sizes.Note(0, h.missed(look-1))
	h.notedAt = look
	if h.sizes.Note(r.Peak(), 1) || changed || h.first == 0 {
		h.first = r.FirstFor(h.sizes.Cover())
	}
	if h.first == 0 {
		return false
	}
	r.SetFirst(h.first, h.misfit)
	return r.Misfit()
}

// missed returns how many looks up to one haven't been noted yet.
func (h *sizeHint) missed(look uint64) int { return int(look - min(look, h.notedAt)) }

// misfit reports whether a first chunk should be replaced by one of the hint's size. That is so if it is too small. A
// chunk that is too large is replaced only if it is so for nearly all uses, or is larger than any worthwhile size,
// since a replacement costs a block.
func (h *sizeHint) misfit(head uintptr) bool {
	return head < h.first ||
		head/tuning.ShrinkFactor >= h.first && (h.sizes.Rare(head/tuning.ShrinkFactor) || head > h.sizes.Room())
}

// Sizes returns the histogram of the use of whole spaces.
func (w *Work) Sizes() Histogram {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// Types yields the average use of a space for values of each type with pointers, and for "" of all
// others. A type may come twice.
func (w *Work) Types(yield func(name string, bytes uintptr) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !yield("", w.plain.sizes.Mean()) {
		return
	}
	for _, h := range w.slabs {
		sizes := h.sizes // first follows from the noted uses
		sizes.Note(0, h.missed(w.looks))
		if !yield(h.typ, sizes.Mean()) {
			return
		}
	}
}

// First returns how large the first chunk of a plain region should be, but no less than least.
func (w *Work) First(least uintptr) uintptr {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(w.plain.first, least)
}

// FirstOf returns how large a slab's first chunk should be, or 0 if that isn't known.
func (w *Work) FirstOf(key memory.Key) uintptr {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h := w.slabs[key]; h != nil && h.first > 0 {
		return h.first
	}
	return w.types.first(key)
}

// Room returns how many bytes of blocks a space may keep unused, or 0 if too little is known.
func (w *Work) Room() uintptr { return w.room.Load() }
