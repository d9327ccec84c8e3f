package memory

import (
	"cmp"
	"slices"

	"github.com/harena-go/arena/internal/tuning"
)

// A shelf holds the unused chunks of a list that pass between a parent and its children: those that a child has given
// back, and those that a child may borrow. Adding one, and finding one that fits, takes constant time. A nil shelf is
// empty. It must not depend on the chunks' former owners, or on their further use.
//
// They lie in bins by the sizes of their blocks, four for each power of two as in bin.go,
// each with the last one on top:
//
//	bins[0]  number  9    257 ..  320 bytes   [300 260]
//	bins[1]  number 13    513 ..  640 bytes   [640]
//	bins[2]  number 21   2049 .. 2560 bytes   [2112 2560 2304]  ◀── the top
//
// A request for least 400 and want 500 to most 2000 bytes begins at bin 12, of 449 to 512,
// finds it missing, and takes the chunk of 640 from the next. One for want 3000 to most
// 12000, least 2000, finds nothing from there on, and goes down: it takes the 2304.
//
// Invariant: bins are sorted by their numbers. An empty one may stay until filter is called.
type shelf struct {
	bins []bin   // by number; a few are empty
	room []Chunk // an empty list that a child has left, for the next one; or nil
}

// A bin has the chunks of a few sizes. Within a bin they are in the order in which they
// came. The last to come is the first to go, as it is most likely in a cache.
type bin struct {
	number int // BinOf the total of its chunks
	chunks []Chunk
}

// at returns where the bin with a number is, or would be. A family uses about a dozen of
// some 230 numbers.
func (s *shelf) at(number int) (i int, there bool) {
	return slices.BinarySearchFunc(s.bins, number, func(b bin, number int) int { return cmp.Compare(b.number, number) })
}

// put puts an unused chunk on the shelf. The caller has counted it and keeps counting it: a
// shelf does no accounting.
func (s *shelf) put(c Chunk) {
	number := BinOf(c.Total)
	i, there := s.at(number)
	if !there {
		s.bins = slices.Insert(s.bins, i, bin{number: number})
	}
	s.bins[i].chunks = append(s.bins[i].chunks, c)
}

// pick takes a chunk that offers least bytes off the shelf: one of the smallest bin with blocks of
// want to most bytes, or else one of the largest below. It looks at a few in each bin, so it may
// miss a chunk that fits if many don't. fits reports whether one does; nil means that all do.
func (s *shelf) pick(least, want, most uintptr, fits func(c *Chunk) bool) (c Chunk, ok bool) {
	if s == nil {
		return
	}
	from, _ := s.at(BinOf(want))
	for i := from; i < len(s.bins) && s.bins[i].number <= BinOf(most); i++ {
		if c, ok = s.bins[i].pick(least, want, most, fits); ok {
			return c, true
		}
	}
	for i := min(from, len(s.bins)-1); i >= 0 && s.bins[i].number >= BinOf(least); i-- {
		if c, ok = s.bins[i].pick(least, 0, want, fits); ok {
			return c, true
		}
	}
	return
}

// pick takes the topmost chunk that offers least bytes, of a block of min to max bytes. The
// comparison is needed because a bin at the end of the range may have sizes on both sides of it.
func (b *bin) pick(least, min, max uintptr, fits func(c *Chunk) bool) (c Chunk, ok bool) {
	// It goes from the top down by at most tuning.SearchMax chunks.
	chunks := b.chunks
	n := len(chunks)
	for i := n - 1; i >= 0 && i >= n-tuning.SearchMax; i-- {
		if c = chunks[i]; least <= c.Size && min <= c.Total && c.Total <= max && (fits == nil || fits(&chunks[i])) {
			b.remove(i, n)
			return c, true
		}
	}
	return Chunk{}, false
}

// remove takes the chunk i of n off the bin.
func (b *bin) remove(i, n int) {
	if len(b.chunks) != n {
		panicConcurrent()
	}
	b.chunks = slices.Delete(b.chunks, i, i+1)
}

// all yields the chunks on the shelf, the smallest bin first. They may be changed, not moved.
func (s *shelf) all(yield func(c *Chunk) bool) {
	if s == nil {
		return
	}
	for _, b := range s.bins {
		for i := range b.chunks {
			if !yield(&b.chunks[i]) {
				return
			}
		}
	}
}

// len returns how many chunks there are, in all bins.
func (s *shelf) len() (n int) {
	if s == nil {
		return 0
	}
	for _, b := range s.bins {
		n += len(b.chunks)
	}
	return n
}

// filter removes the chunks for which keep returns false, from the smallest bin on, and the memory of empty bins.
func (s *shelf) filter(keep func(c *Chunk) bool) {
	if s == nil {
		return
	}
	for i := range s.bins {
		s.bins[i].chunks = filter(s.bins[i].chunks, keep)
	}
	s.bins = slices.DeleteFunc(s.bins, func(b bin) bool { return len(b.chunks) == 0 })
}
