package learn

import "github.com/harena-go/arena/internal/memory"

// A Histogram learns how much memory pieces of work need, from how much the last
// ones have used: it counts some hundred uses by their sizes, in which old ones
// fade.
//
// It answers with the size that covers nine in ten of them, or less if it isn't
// worth that. A single use, however large, doesn't change the answer. What has
// become rare is forgotten after some hundred uses, and what has become common is
// learned within a few dozen.
type Histogram struct {
	weights [memory.Bins]uint16 // of the uses in each bin
	// Invariant: upTo is at least nine tenths of total, and without the bin at it is less; both
	// take constant time on average to keep up, as at moves by what has changed.
	total  int     // of all weights
	at     int     // the bin up to which nine in ten uses are
	upTo   int     // the sum of weights[:at+1]
	answer int     // the bin of the answer
	recent float64 // bytes, a mean in which old uses fade soon
}

const (
	// coverNum of coverDen uses are covered.
	coverNum, coverDen = 9, 10

	// useWeight is what a use weighs at first. Weights halve, so that it must be
	// a power of two, and large enough for a single use to count for a while.
	useWeight = 16

	// enoughWeight is the weight that is needed for an answer.
	enoughWeight = 8 * useWeight

	// mostWeight is the weight at which all weights are halved. The share that
	// the answer covers is then right to within 2 to 3 points (one standard
	// deviation) when sizes are random.
	mostWeight = 256 * useWeight
)

// Note adds a use of n bytes. It reports whether the answer has changed.
func (h *Histogram) Note(n uintptr) (changed bool) {
	if h.total >= mostWeight {
		h.halve()
	}
	i, was := memory.BinOf(n), h.answer
	h.weights[i] += useWeight
	h.recent += (float64(memory.BinEnd(i)) - h.recent) / recentUses
	h.total += useWeight
	if i <= h.at {
		h.upTo += useWeight
	}
	for h.upTo*coverDen < h.total*coverNum {
		h.at++
		h.upTo += int(h.weights[h.at])
	}
	for h.at > 0 && (h.upTo-int(h.weights[h.at]))*coverDen >= h.total*coverNum {
		h.upTo -= int(h.weights[h.at])
		h.at--
	}
	h.answer = h.worthwhile(h.at)
	return h.answer != was
}

// halve makes the past weigh half as much.
func (h *Histogram) halve() {
	h.total, h.upTo = 0, 0
	for i := range h.weights {
		h.weights[i] /= 2
		h.total += int(h.weights[i])
		if i <= h.at {
			h.upTo += int(h.weights[i])
		}
	}
}

// Cover returns how many bytes cover nine in ten uses, or 0 if too little is
// known.
func (h *Histogram) Cover() uintptr {
	if h.total < enoughWeight {
		return 0
	}
	return memory.BinEnd(h.answer)
}

const (
	// freeSize is up to how many bytes any size is worthwhile: 150 arenas that have
	// as much take 38 MB together.
	freeSize = 256 << 10

	// recentUses is in how many uses the mean of late follows: after 0.7 times as many
	// of a size, that is worthwhile whatever was before. If it is one in three uses that
	// have it, by chance, this takes a coincidence of three standard deviations.
	recentUses = 32
)

// worthwhile returns the last bin up to most that has uses and whose size is
// worthwhile for all to have: those who use less of it, and those who use more and
// take that as well, have no more than twice what they use, all together; or so it
// was lately. If one in twelve uses 8 MiB, 8 MiB are not.
func (h *Histogram) worthwhile(most int) int {
	if most > memory.BinOf(freeSize) {
		bytes := h.bytes(memory.Bins)
		upTo := h.bytes(most + 1)
		for ; most > memory.BinOf(freeSize); most-- {
			end, w := float64(memory.BinEnd(most)), float64(h.weights[most])
			if w > 0 && (end*float64(h.total) <= bytes+upTo || end <= 2*h.recent) {
				return most
			}
			upTo -= w * end
		}
	}
	for most > 0 && h.weights[most] == 0 {
		most--
	}
	return most
}

// bytes returns the sum of the uses in the first n bins, by their weights. Each use counts
// as the largest size of its bin.
func (h *Histogram) bytes(n int) (sum float64) {
	for i, w := range h.weights[:n] {
		sum += float64(w) * float64(memory.BinEnd(i))
	}
	return sum
}

// Room returns how many bytes of blocks an arena may keep: the most that is worthwhile
// and a quarter, by which a first chunk may be too large. It is 0 if too little is known.
func (h *Histogram) Room() uintptr {
	if h.total < enoughWeight {
		return 0
	}
	n := max(freeSize, memory.BinEnd(h.worthwhile(memory.Bins-1)))
	return n + n/4
}

// Rare says whether less than one use in 64 took more than n bytes.
func (h *Histogram) Rare(n uintptr) bool {
	above := 0
	for _, w := range h.weights[memory.BinOf(n)+1:] {
		above += int(w)
	}
	return above*64 < h.total
}
