package learn

import (
	"math"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// A Histogram learns how much memory pieces of work need from the uses of the last ones. It counts some hundred uses by
// size, and old ones fade.
//
// Its answer is the size that covers nine in ten of them, or less if that isn't worthwhile. A single use, however
// large, doesn't change the answer. A size that became rare is forgotten after some hundred uses, and one that became
// common is learned within a few dozen.
type Histogram struct {
	weights [memory.Bins]uint16 // of the uses in each bin
	// Invariant: upTo is at least nine tenths of total, and is less without the bin at. Keeping both up to date takes
	// constant time on average, as at moves only by the change.
	total  int     // of all weights
	bytes  float64 // of all uses, by their weights; each counts as the largest size of its bin
	top    int     // no bin above has a weight
	at     int     // the bin up to which nine in ten uses are
	upTo   int     // the sum of weights[:at+1]
	answer int     // the bin of the answer
	recent float64 // bytes, a mean in which old uses fade soon
	free   uintptr // bytes up to which any size is worthwhile; 0 for the most
}

// SetFree sets the size in bytes up to which any size is worthwhile.
func (h *Histogram) SetFree(n uintptr) { h.free = n }

// freeSize returns the size in bytes up to which any size is worthwhile.
func (h *Histogram) freeSize() uintptr {
	if h.free == 0 {
		return tuning.FreeSize
	}
	return h.free
}

// Note adds a number of uses of n bytes each. It reports whether the answer has changed.
func (h *Histogram) Note(n uintptr, uses int) (changed bool) {
	was := h.answer
	for uses = min(uses, mostUses); uses > 0; {
		if h.total >= tuning.MostWeight {
			h.halve()
		}
		some := min(uses, max(1, (tuning.MostWeight-h.total)/tuning.UseWeight))
		h.add(memory.BinOf(n), some)
		uses -= some
	}
	return h.answer != was
}

// mostUses is the number of uses of one size after which earlier uses no longer count.
const mostUses = 16 * tuning.MostWeight / tuning.UseWeight

// add adds uses to bin i.
func (h *Histogram) add(i, uses int) {
	size, weight := float64(memory.BinEnd(i)), uses*tuning.UseWeight
	h.weights[i] += uint16(weight)
	h.total += weight
	h.bytes += float64(weight) * size
	h.top = max(h.top, i)
	if uses == 1 {
		h.recent += (size - h.recent) / tuning.RecentUses
	} else {
		h.recent = size + (h.recent-size)*math.Pow(1-1.0/tuning.RecentUses, float64(uses))
	}
	if i <= h.at {
		h.upTo += weight
	}
	for h.upTo*tuning.CoverDen < h.total*tuning.CoverNum {
		h.at++
		h.upTo += int(h.weights[h.at])
	}
	for h.at > 0 && (h.upTo-int(h.weights[h.at]))*tuning.CoverDen >= h.total*tuning.CoverNum {
		h.upTo -= int(h.weights[h.at])
		h.at--
	}
	h.answer = h.worthwhile(h.at)
}

// halve halves the weight of the past.
func (h *Histogram) halve() {
	h.total, h.bytes, h.upTo = 0, 0, 0
	last := h.top
	h.top = 0
	for i := range last + 1 {
		h.weights[i] /= 2
		w := int(h.weights[i])
		h.total += w
		h.bytes += float64(w) * float64(memory.BinEnd(i))
		if i <= h.at {
			h.upTo += w
		}
		if w > 0 {
			h.top = i
		}
	}
}

// Cover returns the size in bytes that covers nine in ten uses, or 0 if too little is known.
func (h *Histogram) Cover() uintptr {
	if h.total < tuning.EnoughWeight {
		return 0
	}
	return memory.BinEnd(h.answer)
}

// worthwhile returns the last bin up to most that has uses and a worthwhile size. A size is worthwhile if, were it
// allocated for every use, with larger uses adding the rest, the total would be no more than twice the bytes used
// lately. If one use in twelve takes 8 MiB, 8 MiB isn't worthwhile.
//
// It is called for each use. Only bins above the free size take time, and most work has none.
// Adding up all 233 each time made Get and Put of a pool take 160 ns instead of 50.
func (h *Histogram) worthwhile(most int) int {
	upTo, freeBin := h.bytes, memory.BinOf(h.freeSize())
	for i := h.top; i > freeBin; i-- {
		w, size := float64(h.weights[i]), float64(memory.BinEnd(i))
		if i <= most && w > 0 && (size*float64(h.total) <= h.bytes+upTo || size <= 2*h.recent) {
			return i
		}
		upTo -= w * size
	}
	most = min(most, freeBin)
	for most > 0 && h.weights[most] == 0 {
		most--
	}
	return most
}

// Room returns how many bytes of blocks an arena may keep: 1.25 times the largest worthwhile size, as a first chunk may
// be too large by as much. It is 0 if too little is known.
func (h *Histogram) Room() uintptr {
	if h.total < tuning.EnoughWeight {
		return 0
	}
	n := h.freeSize()
	if h.top > memory.BinOf(n) {
		n = max(n, memory.BinEnd(h.worthwhile(h.top)))
	}
	return n + n/4
}

// Add adds the uses of another Histogram.
func (h *Histogram) Add(o *Histogram) {
	for i := range o.top + 1 {
		w := min(int(o.weights[i]), 1<<16-1-int(h.weights[i]))
		h.weights[i] += uint16(w)
		h.total += w
		h.bytes += float64(w) * float64(memory.BinEnd(i))
	}
	h.top = max(h.top, o.top)
}

// Quantile returns the size in bytes that covers num of den uses, or 0 if too little is known.
func (h *Histogram) Quantile(num, den int) uintptr {
	if h.total < tuning.EnoughWeight {
		return 0
	}
	upTo := 0
	for i := range h.top + 1 {
		if upTo += int(h.weights[i]); upTo*den >= h.total*num {
			return memory.BinEnd(i)
		}
	}
	return memory.BinEnd(h.top)
}

// Mean returns how many bytes a use takes on average, or 0 if too little is known.
func (h *Histogram) Mean() uintptr {
	if h.total < tuning.EnoughWeight {
		return 0
	}
	return uintptr(h.bytes / float64(h.total))
}

// Recurring returns the size in bytes that at least two uses have taken, or 0 if there were none: a single one, however
// large, may never come again.
func (h *Histogram) Recurring() uintptr {
	above := 0
	for i := h.top; i > 0; i-- {
		if above += int(h.weights[i]); above > tuning.UseWeight {
			return memory.BinEnd(i)
		}
	}
	return 0
}

// Rare reports whether less than one use in 64 took more than n bytes.
func (h *Histogram) Rare(n uintptr) bool {
	above := 0
	for i := h.top; i > memory.BinOf(n); i-- {
		above += int(h.weights[i])
	}
	return above*64 < h.total
}
