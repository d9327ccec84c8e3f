package arena

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// This file tests from within how chunks are lent.

// randomChunks returns chunks of few sizes, of which a block may be just as large as
// asked for and what it offers not.
func randomChunks(most int) (chunks []chunk) {
	for range rand.IntN(most) {
		size := uintptr(1+rand.IntN(16)) << (6 + rand.IntN(4))
		chunks = append(chunks, chunk{mem: unsafe.Pointer(new(byte)), size: size, total: size + 8*uintptr(rand.IntN(4))})
	}
	return chunks
}

// bestToLend is what lend looks for: of those with least bytes the smallest of want
// bytes and more but not much more, or else the largest.
func bestToLend(chunks []chunk, least, want uintptr) (best chunk, ok bool) {
	fit := slices.DeleteFunc(slices.Clone(chunks), func(c chunk) bool { return c.size < least || c.total > lendFactor*want })
	slices.SortFunc(fit, func(c, d chunk) int { return cmp.Compare(c.total, d.total) })
	for _, c := range fit {
		if best, ok = c, true; c.total >= want {
			break
		}
	}
	return best, ok
}

// TestLendTheBest compares what is lent with that, in lists so short that lend sees all
// of it: whatever the order, in which an arena leaves its own chunks or children give
// theirs back. Each chunk is lent once.
func TestLendTheBest(t *testing.T) {
	for range 20_000 {
		chunks := randomChunks(2 * searchMax)
		var l list
		for _, c := range chunks {
			if perBin(chunks, c) > searchMax {
				chunks = nil
				break
			}
			if rand.IntN(2) == 0 {
				l.shelf.put(c)
			} else {
				l.chunks = append(l.chunks, c)
			}
		}
		for misses := 0; len(chunks) > 0 && misses < 20; {
			least := uintptr(1+rand.IntN(200)) << 5
			want := least + uintptr(rand.IntN(3)*rand.IntN(40))<<5
			got, ok := l.lend(least, want)
			best, any := bestToLend(chunks, least, want)
			if ok != any || ok && (got.size < least || bucketOf(got.total) != bucketOf(best.total) || got.total < want && best.total >= want) {
				t.Fatalf("lend(%d, %d) of %+v: %+v, %t; want one like %+v, %t", least, want, chunks, got, ok, best, any)
			}
			if !ok {
				misses++
				continue
			}
			i := slices.Index(chunks, got)
			if i < 0 {
				t.Fatalf("%+v was lent twice", got)
			}
			chunks = slices.Delete(chunks, i, i+1)
			if n := l.len(); n != len(chunks) {
				t.Fatalf("there are %d chunks, want %d", n, len(chunks))
			}
		}
	}
}

// perBin returns how many chunks lie in one bin with c.
func perBin(chunks []chunk, c chunk) (n int) {
	for _, d := range chunks {
		if bucketOf(c.total) == bucketOf(d.total) {
			n++
		}
	}
	return n
}

// TestLendFromMany: in a long list, too, a chunk that is lent is as large as asked for
// and not much larger than wanted; and one is, if all those of a bin would do.
func TestLendFromMany(t *testing.T) {
	var l list
	var chunks []chunk
	for range 100_000 {
		if rand.IntN(1000) == 0 {
			l, chunks = list{}, randomChunks(1000)
			l.chunks = slices.Clone(chunks)
		}
		least := uintptr(1+rand.IntN(200)) << 5
		want := least + uintptr(rand.IntN(3)*rand.IntN(40))<<5
		got, ok := l.lend(least, want)
		if ok && (got.size < least || got.total > lendFactor*want) {
			t.Fatalf("lend(%d, %d): %+v", least, want, got)
		}
		sure := slices.ContainsFunc(chunks, func(c chunk) bool {
			low := bucketEnd(bucketOf(c.total)-1) + 1
			return low >= least+3*8 && bucketEnd(bucketOf(c.total)) <= lendFactor*want
		})
		if sure && !ok {
			t.Fatalf("lend(%d, %d): none", least, want)
		}
		if ok {
			l.shelf.put(got)
		}
	}
}

// TestUnusedChunksOnTheShelf: what counts unused chunks counts those on the shelf, and
// what lets go of them lets go of these.
func TestUnusedChunksOnTheShelf(t *testing.T) {
	for range 1000 {
		a := NewArena()
		sum := uintptr(0)
		for _, c := range randomChunks(50) {
			sum += c.total
			a.total += c.total
			a.chunks.shelf.put(c)
		}
		n, gone := a.chunks.len(), uintptr(0)
		if s := a.Stats(); a.unused() != sum || a.chunks.needed() != sum || s.Chunks != n || s.Reserved != int(sum) {
			t.Fatalf("%d unused bytes of %d, %d needed: %v", a.unused(), sum, a.chunks.needed(), s)
		}
		a.dropIf(&a.chunks, func(c *chunk) bool {
			if c.size%128 == 0 {
				gone += c.total
				return true
			}
			return false
		})
		if a.total != sum-gone || a.unused() != sum-gone || slices.ContainsFunc(a.chunks.shelf.bins, func(b bin) bool { return len(b.chunks) == 0 }) {
			t.Fatalf("%d bytes of %d are left, %d unused; %d should be gone", a.total, sum, a.unused(), gone)
		}
		a.region.dropUnused(true)
		if a.total != 0 || a.chunks.len() != 0 {
			t.Fatalf("%d bytes are left, in %d chunks", a.total, a.chunks.len())
		}
	}
}
