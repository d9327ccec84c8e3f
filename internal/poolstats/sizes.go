package poolstats

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// This file counts all pieces of work since the pool was made by their bytes. The hints of package learn fade, and
// cover only some of them.

// A Histogram counts pieces of work by the bytes that they allocated. It is arena.Histogram, which says more.
type Histogram struct {
	Count   uint64
	Sum     float64
	Zero    uint64
	Buckets []uint64
}

// bucketsOfOctave is the number of buckets from one power of two to the next.
const bucketsOfOctave = 4

// Buckets end at 2^(i/4). An eighth of the way from one power of two to the next has one end at most. endsBefore is the
// number of ends before an eighth, and endWithin the end in it, times 2^63.
var (
	endsBefore = [8]uint8{0, 1, 2, 2, 3, 3, 4, 4}
	endWithin  = [8]uint64{1 << 63, 0x9837f0518db8a96f, none, 0xb504f333f9de6484, none, 0xd744fccad69d6af4, none, none}
)

const none = 1<<64 - 1

// bucketOf returns the bucket of n bytes; n is not 0.
func bucketOf(n uint64) int {
	shift := bits.LeadingZeros64(n)
	m := n << shift
	eighth := m >> 60 & 7
	i := (63-shift)*bucketsOfOctave + int(endsBefore[eighth])
	if m > endWithin[eighth] {
		i++
	}
	return i
}

// Add adds another histogram.
func (h *Histogram) Add(o Histogram) {
	h.Count += o.Count
	h.Sum += o.Sum
	h.Zero += o.Zero
	if more := len(o.Buckets) - len(h.Buckets); more > 0 {
		h.Buckets = append(h.Buckets, make([]uint64, more)...)
	}
	for i, n := range o.Buckets {
		h.Buckets[i] += n
	}
}

// Sizes counts the pieces of work of one arena by their bytes. Only the goroutine that has the arena writes; any may
// read.
//
// The counts are words, written as ordinary variables and read by package atomic. By Go's memory model a reader of a
// word sees a value that was written there; an atomic store would take a quarter of the time of Get and Put.
type Sizes struct {
	zero    uintptr
	buckets atomic.Pointer[bucketRange]
}

// A bucketRange is a part of the buckets, in whole octaves. Most arenas need a few.
type bucketRange struct {
	first int
	n     []uintptr
}

// Note counts a piece of work.
func (s *Sizes) Note(used uint64) {
	if used == 0 {
		increase(&s.zero)
		return
	}
	i := bucketOf(used)
	r := s.buckets.Load()
	if r == nil || i < r.first || i >= r.first+len(r.n) {
		r = r.with(i)
		s.buckets.Store(r)
	}
	increase(&r.n[i-r.first])
}

// increase adds one to a count that others may be reading.
//
//go:norace
func increase(n *uintptr) { *n++ }

// with returns a copy that has bucket i too.
func (r *bucketRange) with(i int) *bucketRange {
	first := i - i%bucketsOfOctave
	end := first + bucketsOfOctave
	if r != nil {
		first = min(first, r.first)
		end = max(end, r.first+len(r.n))
	}
	w := &bucketRange{first, make([]uintptr, end-first)}
	if r != nil {
		copy(w.n[r.first-first:], r.n)
	}
	return w
}

// Histogram returns the counts, without the sum of bytes.
func (s *Sizes) Histogram() Histogram {
	h := Histogram{Zero: uint64(atomic.LoadUintptr(&s.zero))}
	h.Count = h.Zero
	r := s.buckets.Load()
	if r == nil {
		return h
	}
	h.Buckets = make([]uint64, r.first+len(r.n))
	for i := range r.n {
		h.Buckets[r.first+i] = uint64(atomic.LoadUintptr(&r.n[i]))
		h.Count += h.Buckets[r.first+i]
	}
	return h
}

// Clone returns a copy that shares no memory with h.
func (h Histogram) Clone() Histogram {
	h.Buckets = slices.Clone(h.Buckets)
	return h
}
