package memory

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// This file tests from within how chunks are lent.

// randomChunks returns chunks of few sizes. A block may be exactly as large as a request while its chunk is smaller.
func randomChunks(most int) (chunks []Chunk) {
	for range rand.IntN(most) {
		size := uintptr(1+rand.IntN(16)) << (6 + rand.IntN(4))
		chunks = append(chunks, Chunk{Mem: unsafe.Pointer(new(byte)), Size: size, Total: size + 8*uintptr(rand.IntN(4))})
	}
	return chunks
}

// bestToLend is what lend looks for: of those with least bytes the smallest of want
// bytes and more but not much more, or else the largest.
func bestToLend(chunks []Chunk, least, want uintptr) (best Chunk, ok bool) {
	fit := slices.DeleteFunc(slices.Clone(chunks), func(c Chunk) bool { return c.Size < least || c.Total > tuning.LendFactor*want })
	slices.SortFunc(fit, func(c, d Chunk) int { return cmp.Compare(c.Total, d.Total) })
	for _, c := range fit {
		if best, ok = c, true; c.Total >= want {
			break
		}
	}
	return best, ok
}

// TestLendTheBest compares lent chunks with the best ones, in lists so short that lend sees all of it: in any order, in
// which an arena leaves its own chunks or children give theirs back. Each chunk is lent once.
func TestLendTheBest(t *testing.T) {
	for range 20_000 {
		chunks := randomChunks(2 * tuning.SearchMax)
		var l list
		for _, c := range chunks {
			if perBin(chunks, c) > tuning.SearchMax {
				chunks = nil
				break
			}
			if rand.IntN(2) == 0 {
				l.shelve(c)
			} else {
				l.chunks = append(l.chunks, c)
			}
		}
		for misses := 0; len(chunks) > 0 && misses < 20; {
			least := uintptr(1+rand.IntN(200)) << 5
			want := least + uintptr(rand.IntN(3)*rand.IntN(40))<<5
			got, ok := l.lend(least, want, nil)
			best, any := bestToLend(chunks, least, want)
			if ok != any || ok && (got.Size < least || BinOf(got.Total) != BinOf(best.Total) || got.Total < want && best.Total >= want) {
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
func perBin(chunks []Chunk, c Chunk) (n int) {
	for _, d := range chunks {
		if BinOf(c.Total) == BinOf(d.Total) {
			n++
		}
	}
	return n
}

// TestLendFromMany: in a long list, too, a chunk that is lent is as large as asked for
// and not much larger than wanted; and one is, if all those of a bin would do.
func TestLendFromMany(t *testing.T) {
	var l list
	var chunks []Chunk
	for range 100_000 {
		if rand.IntN(1000) == 0 {
			l, chunks = list{}, randomChunks(1000)
			l.chunks = slices.Clone(chunks)
		}
		least := uintptr(1+rand.IntN(200)) << 5
		want := least + uintptr(rand.IntN(3)*rand.IntN(40))<<5
		got, ok := l.lend(least, want, nil)
		if ok && (got.Size < least || got.Total > tuning.LendFactor*want) {
			t.Fatalf("lend(%d, %d): %+v", least, want, got)
		}
		sure := slices.ContainsFunc(chunks, func(c Chunk) bool {
			low := BinEnd(BinOf(c.Total)-1) + 1
			return low >= least+3*8 && BinEnd(BinOf(c.Total)) <= tuning.LendFactor*want
		})
		if sure && !ok {
			t.Fatalf("lend(%d, %d): none", least, want)
		}
		if ok {
			l.shelve(got)
		}
	}
}

// TestUnusedChunksOnTheShelf: what counts unused chunks counts those on the shelf, and
// what releases them releases these.
func TestUnusedChunksOnTheShelf(t *testing.T) {
	for range 1000 {
		r := newRegion(Config{})
		sum := uintptr(0)
		for _, c := range randomChunks(50) {
			sum += c.Total
			r.lose(-c.Total)
			r.chunks.shelve(c)
		}
		n, gone := r.chunks.len(), uintptr(0)
		if r.Unused() != sum || r.chunks.needed() != sum || r.Len() != n || r.space.Reserved() != sum {
			t.Fatalf("%d unused bytes of %d, %d needed, %d reserved in %d chunks", r.Unused(), sum, r.chunks.needed(), r.space.Reserved(), r.Len())
		}
		r.dropIf(&r.chunks, func(c *Chunk) bool {
			if c.Size%128 == 0 {
				gone += c.Total
				return true
			}
			return false
		})
		if r.total != sum-gone || r.Unused() != sum-gone || r.chunks.shelf != nil && slices.ContainsFunc(r.chunks.shelf.bins, func(b bin) bool { return len(b.chunks) == 0 }) {
			t.Fatalf("%d bytes of %d are left, %d unused; %d should be gone", r.total, sum, r.Unused(), gone)
		}
		r.space.DropUnused()
		if r.total != 0 || r.chunks.len() != 0 {
			t.Fatalf("%d bytes are left, in %d chunks", r.total, r.chunks.len())
		}
	}
}
