package arena

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// This file holds how many uses of arenas took how many bytes, all of them since the pool was made; what package
// learn knows fades, and is of some uses only. It may not know what is done with that.

// A Histogram says how many bytes pieces of work have handed out between Get and Put, those of children not counted.
type Histogram struct {
	Count uint64  // pieces of work that ended by Put or Free
	Sum   float64 // bytes that they took
	Zero  uint64  // of Count, those that took nothing

	// Buckets has the others: under i those that took at most 2^(i/4) bytes, but more than 2^((i-1)/4). These are the
	// buckets of Prometheus' schema 2, and of OpenTelemetry's scale 2 with one less.
	Buckets []uint64
}

// bucketsOfOctave is into how many buckets a power of two is divided.
const bucketsOfOctave = 4

// Within a power of two each eighth has at most one end of a bucket, a number 2^(i/4): endsBefore says how many ends lie
// before it, and endWithin which number there is in it, times 2^63.
var (
	endsBefore = [8]uint8{0, 1, 2, 2, 3, 3, 4, 4}
	endWithin  = [8]uint64{1 << 63, 0x9837f0518db8a96f, none, 0xb504f333f9de6484, none, 0xd744fccad69d6af4, none, none}
)

const none = 1<<64 - 1

// bucketOf returns the bucket of n bytes, of which there is one at least.
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

// add adds what another histogram has.
func (h *Histogram) add(o Histogram) {
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

// sizes counts the uses of one arena by their bytes. Only who has the arena writes; anybody may read.
//
// The counts are words, written as ordinary variables are and read by package atomic: Go's memory model has it that who reads a
// word sees a value that was written there, and an atomic store would take a quarter of the time of Get and Put.
type sizes struct {
	zero    uintptr
	buckets atomic.Pointer[bucketRange]
}

// A bucketRange is a part of the buckets, in whole octaves: most arenas need a few.
type bucketRange struct {
	first int
	n     []uintptr
}

// note counts a use.
func (s *sizes) note(used uint64) {
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

// with returns a copy that has bucket i as well.
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

// histogram returns what was counted, without the sum.
func (s *sizes) histogram() Histogram {
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

// clone returns a copy that shares nothing with h.
func (h Histogram) clone() Histogram {
	h.Buckets = slices.Clone(h.Buckets)
	return h
}
