package memory

import (
	"cmp"
	"slices"
	"unsafe"
	"weak"
)

// This file answers questions about a region's chunks: which there are, which parts of them are in use, and whether an
// address lies there. It must not depend on the uses of the answers, and changes nothing. Nothing else in the engine
// calls it.
//
// A chunk is in use, or unused and on the list, or unused and on the shelf. The allocated part of the current chunk is
// noted in the region, that of all others in the Chunk. Each function here has to treat these two cases.

// Unused returns the bytes of the blocks in which nothing is in use. The current chunk
// counts as in use, but may be empty, as it is after Reset. It takes time in proportion to
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

// InUse yields copies of the chunks in use, with their allocated parts. Ordinary chunks come first, then the big ones,
// each in the order in which they came into use.
func (r *Region) InUse(yield func(c Chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for i, c := range l.chunks[:l.used] {
			if l == &r.chunks && r.isCurrent(i) { // its Chunk is out of date
				c.lo, c.hi = r.lo, r.hi()
			}
			if !yield(c) {
				return
			}
		}
	}
}

// isCurrent reports whether chunk i of those in use is the current one. Its address doesn't tell: in a lasting space
// the chunk may have been cut out of another one, at whose beginning it lies.
func (r *Region) isCurrent(i int) bool { return r.mem != nil && i == r.chunks.used-1 }

// Chunks yields all chunks, those on the shelf too. The Chunk of the current one has an outdated allocated part. The
// pointers are valid until the region gets or loses a chunk.
func (r *Region) Chunks(yield func(c *Chunk) bool) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		for c := range l.all {
			if !yield(c) {
				return
			}
		}
	}
}

// Big returns the big chunks in use, in the order in which they were allocated. Each
// holds one allocation. The slice is the region's own: it must not be changed, and is
// valid until the next allocation.
func (r *Region) Big() []Chunk { return r.big.chunks[:r.big.used] }

// Len returns the number of chunks, in use or not, big or not: which is that of the
// region's blocks from the Go heap.
func (r *Region) Len() int { return r.chunks.len() + r.big.len() }

// Holds reports whether the n bytes at p lie within allocated memory. It checks the current chunk first and the oldest
// last, since most questions are about the newest memory; a miss takes time in proportion to the number of chunks. It
// doesn't tell one allocation from the next: a range that covers parts of two is held as well.
func (r *Region) Holds(p unsafe.Pointer, n uintptr) bool {
	if r.mem != nil {
		c := Chunk{Mem: r.mem, Size: r.size, lo: r.lo, hi: r.hi()}
		if c.holds(p, n) {
			return true
		}
	}
	for _, l := range [...]*list{&r.big, &r.chunks} { // the newest first, as Realloc mostly needs it
		for i := l.used - 1; i >= 0; i-- {
			if !(l == &r.chunks && r.isCurrent(i)) && l.chunks[i].holds(p, n) {
				return true
			}
		}
	}
	return false
}

// Kept returns the chunks in use, and those to which values may point. It is called at the end of a space, for the
// owner that keeps the values alive from then on. So nothing is current afterwards, and each Chunk has its own state.
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

// Owns reports whether p points at an allocated value. A p in the middle of a chunk, in a window, or in reclaimed
// memory points at nothing of this space.
func (s *Space) Owns(p unsafe.Pointer) bool {
	for r := range s.Busy {
		if r.Holds(p, 1) {
			return true
		}
	}
	return false
}

// An Index answers as Space.Owns did when the Index was made, in logarithmic time. It keeps the
// memory alive. It has the two parts of each chunk that were allocated, since another chunk may lie between them.
type Index []Chunk

// Index returns the index of the space as it is.
func (s *Space) Index() Index { return Index(nil).Add(s) }

// Add returns the index of another space, too.
func (x Index) Add(s *Space) Index {
	for r := range s.Busy {
		for c := range r.InUse {
			x = c.appendPart(x, 0, c.lo)
			x = c.appendPart(x, c.hi, c.Size)
		}
	}
	slices.SortFunc(x, func(c, d Chunk) int { return cmp.Compare(uintptr(c.Mem), uintptr(d.Mem)) })
	return x
}

// appendPart appends an allocated part of a chunk, unless it is empty.
func (c Chunk) appendPart(x Index, from, to uintptr) Index {
	if from == to {
		return x
	}
	c.Mem, c.Size = unsafe.Add(c.Mem, from), to-from // fact 1
	c.lo, c.hi = c.Size, c.Size
	return append(x, c)
}

// Owns reports whether p points at an allocated value.
func (x Index) Owns(p unsafe.Pointer) bool { return x.Find(p) != nil }

// Find returns the chunk with the allocated value at which p points, or nil.
func (x Index) Find(p unsafe.Pointer) *Chunk {
	byAddress := func(c Chunk, p uintptr) int { return cmp.Compare(uintptr(c.Mem), p) }
	i, found := slices.BinarySearchFunc(x, uintptr(p), byAddress)
	if !found {
		i--
	}
	if i < 0 || !x[i].holds(p, 1) {
		return nil
	}
	return &x[i]
}

// Scrub erases all allocated memory, without reclaiming it. It is for the end of a space whose values must not be read
// any more, though the memory may live on.
func (s *Space) Scrub() {
	for r := range s.Busy {
		for c := range r.InUse {
			r.eraseUsed(&c)
		}
	}
}

// Weak returns weak pointers to the chunks in use.
func (s *Space) Weak() (chunks []weak.Pointer[byte]) {
	for r := range s.Busy {
		for c := range r.InUse {
			if c.Size > 0 {
				chunks = append(chunks, weak.Make((*byte)(c.Mem)))
			}
		}
	}
	return chunks
}
