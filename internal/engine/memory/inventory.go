package memory

import (
	"cmp"
	"slices"
	"unsafe"
)

// This file holds what can be asked of a region about its chunks: which there are, what
// of them is in use, and whether an address lies there. It must not depend on what the
// answers are for, and changes nothing of what is in use; nothing else in the engine asks
// here.
//
// A chunk is in use, or unused and on the list, or unused and on the shelf. Of the current one,
// the region knows what was allocated, and of all others the Chunk: each function here has to
// take care of that difference.

// Unused returns the bytes of the blocks that nothing is in use of. The current chunk
// is in use, formally, but may be empty: after Reset it is. It takes time in proportion to
// the number of unused chunks.
func (r *Region) Unused() (n uintptr) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for c := range l.unused {
			n += c.Total
		}
	}
	// After Reset, and after a Rewind to where this chunk was begun.
	if r.mem != nil && r.lo == 0 && r.hi() == r.size {
		n += r.chunks.chunks[r.chunks.used-1].Total
	}
	return n
}

// InUse yields the chunks in use, each with what was allocated of it by now. They are
// copies: the Chunk of the current one says what it said when it became current, and the
// region says the rest. Ordinary chunks come first, then the big ones, each in the order in
// which they came into use.
func (r *Region) InUse(yield func(c Chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for _, c := range l.chunks[:l.used] {
			// The current one: its Chunk is out of date.
			if c.Mem == r.mem {
				c.lo, c.hi = r.lo, r.hi()
			}
			if !yield(c) {
				return
			}
		}
	}
}

// Chunks yields all chunks, those on the shelf too. What was allocated of the current one
// isn't known. The pointers are valid until the region gets or loses a chunk.
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
// which those were made. The slice is the region's own: it must not be changed, and is
// good until the next allocation.
func (r *Region) Big() []Chunk { return r.big.chunks[:r.big.used] }

// Len returns the number of chunks, in use or not, big or not: that of blocks from the Go
// heap which the region has.
func (r *Region) Len() int { return r.chunks.len() + r.big.len() }

// Holds reports whether the n bytes at p lie within what was allocated. It asks the current
// chunk first and the oldest last, since most questions are about the newest memory; a miss
// takes time in proportion to the number of chunks. It doesn't tell one allocation from the
// next: a range that covers parts of two is held as well.
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

// Kept returns the chunks in use, and those to which values may point. It is asked at the
// end of a space, for whoever keeps the values alive from then on; hence nothing is current
// afterwards, and each chunk says itself what is in use of it.
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

// Owns reports whether p points at something that was allocated. A p in the middle of a chunk,
// in a window, or in what was reclaimed points at nothing of the space's.
func (s *Space) Owns(p unsafe.Pointer) bool {
	for r := range s.Busy {
		if r.Holds(p, 1) {
			return true
		}
	}
	return false
}

// An Index answers what Space.Owns answered when it was made, in logarithmic time. It keeps the memory alive.
type Index []Chunk

// Index returns the index of the space as it is.
func (s *Space) Index() (x Index) {
	for r := range s.Busy {
		x = slices.AppendSeq(x, r.InUse)
	}
	slices.SortFunc(x, func(c, d Chunk) int { return cmp.Compare(uintptr(c.Mem), uintptr(d.Mem)) })
	return x
}

// Owns reports whether p points at something that was allocated.
func (x Index) Owns(p unsafe.Pointer) bool {
	i, found := slices.BinarySearchFunc(x, uintptr(p), func(c Chunk, p uintptr) int { return cmp.Compare(uintptr(c.Mem), p) })
	if !found {
		i--
	}
	return i >= 0 && x[i].holds(p, 1)
}

// Scrub erases what was allocated, which stays allocated: it is for the end of a space
// whose values must not be read any more, though the memory may live on.
func (s *Space) Scrub() {
	for r := range s.Busy {
		for c := range r.InUse {
			r.eraseUsed(&c)
		}
	}
}
