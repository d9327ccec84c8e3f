package learn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tuning"
)

// This file tests histograms and hints from within.

// distributions are sequences of how much memory pieces of work use.
var distributions = map[string]func(r *rand.Rand, i int) uintptr{
	"nothing":        func(*rand.Rand, int) uintptr { return 0 },
	"constant":       func(*rand.Rand, int) uintptr { return 5000 },
	"end of bucket":  func(*rand.Rand, int) uintptr { return 1 << 20 },
	"uniform":        func(r *rand.Rand, _ int) uintptr { return uintptr(r.IntN(100_000)) },
	"uniform, small": func(r *rand.Rand, _ int) uintptr { return uintptr(r.IntN(200)) },
	"exponential":    func(r *rand.Rand, _ int) uintptr { return uintptr(r.ExpFloat64() * 10_000) },
	"heavy tail":     func(r *rand.Rand, _ int) uintptr { return uintptr(1000 / (r.Float64() + 1e-4)) },
	"85 to 15":       func(r *rand.Rand, _ int) uintptr { return oneIn(r.Float64() < 0.15, 200_000, 1000) },
	"97 to 3":        func(r *rand.Rand, _ int) uintptr { return oneIn(r.Float64() < 0.03, 200_000, 1000) },
	"every fifth":    func(_ *rand.Rand, i int) uintptr { return oneIn(i%5 == 0, 200_000, 1000) },
	"spikes":         func(_ *rand.Rand, i int) uintptr { return oneIn(i%500 == 499, 1<<30, 3000) },
	"drift":          func(_ *rand.Rand, i int) uintptr { return uintptr(1000 + 10*i) },
	"drift down":     func(_ *rand.Rand, i int) uintptr { return uintptr(1_000_000 - 10*i) },
}

func oneIn(large bool, yes, no uintptr) uintptr {
	if large {
		return yes
	}
	return no
}

// TestHistogramAnswer compares the answer with quantiles of the latest uses, found by sorting: nine in ten should be
// covered, within the error of a sample of some hundred, and by at most a quarter too much.
func TestHistogramAnswer(t *testing.T) {
	const uses, latest = 20_000, 384
	for name, next := range distributions {
		var s Histogram
		var all []uintptr
		r := rand.New(rand.NewPCG(7, 11))
		for i := range uses {
			n := next(r, i)
			all = append(all, n)
			before := s.Cover()
			changed := s.Note(n, 1)
			got := s.Cover()
			if i >= 8 && changed != (before != got) {
				t.Fatalf("%s, use %d: changed %v, from %d to %d", name, i, changed, before, got)
			}
			if few := i+1 < tuning.EnoughWeight/tuning.UseWeight; few != (got == 0) {
				t.Fatalf("%s: the answer is %d after %d uses", name, got, i+1)
			}
			if i < latest || i%17 != 0 {
				continue
			}
			recent := slices.Sorted(slices.Values(all[i+1-latest:]))
			least, most := recent[latest*85/100], recent[latest*95/100]
			if got < least || got > max(most+most/4, memory.BinEnd(0)) {
				t.Fatalf("%s: after %d uses the answer is %d; want %d to %d, or a quarter more", name, i+1, got, least, most)
			}
		}
	}
}

// TestHistogramOfManyUses: uses that are noted together have the same effect as one by one.
func TestHistogramOfManyUses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var together, apart Histogram
	for range 2000 {
		n, uses := uintptr(1)<<r.IntN(22), 1+r.IntN(40)
		if r.IntN(50) == 0 {
			uses *= 20
		}
		together.Note(n, uses)
		for range uses {
			apart.Note(n, 1)
		}
		if d := together.recent/apart.recent - 1; d < -1e-9 || d > 1e-9 {
			t.Fatalf("the mean of late is %v, not %v", together.recent, apart.recent)
		}
		if together.recent = apart.recent; together != apart {
			t.Fatalf("%d uses of %d bytes: %+v together, and %+v one by one", uses, n, together, apart)
		}
	}
}

// TestHistogramSpikeIsNoAnswer: one huge use in 10,000 changes nothing, not even
// when it is among the first.
func TestHistogramSpikeIsNoAnswer(t *testing.T) {
	for _, at := range []int{0, 1, 9, 100, 255, 256, 257, 5000, 9999} {
		var s Histogram
		for i := range 10_000 {
			n := uintptr(20_000)
			if i == at {
				n = 1 << 30
			}
			s.Note(n, 1)
			if got := s.Cover(); i > 10 && (got < 20_000 || got > 25_000) {
				t.Fatalf("spike at %d: the answer is %d after %d uses", at, got, i+1)
			}
		}
	}
}

// TestHistogramLearnAndForget bounds after how many uses the answer follows.
func TestHistogramLearnAndForget(t *testing.T) {
	var s Histogram
	phase := func(n uintptr, times, within int, what string) {
		t.Helper()
		right := -1
		for i := range times {
			s.Note(n, 1)
			if got := s.Cover(); got < n || got > n+n/4 {
				right = -1
			} else if right < 0 {
				right = i + 1
			}
		}
		if right < 0 || right > within {
			t.Errorf("%s: right after %d uses; want at most %d", what, right, within)
		}
	}
	phase(1000, 2000, 8, "first")
	if !s.Rare(memory.BinEnd(memory.BinOf(1000))) || s.Rare(500) {
		t.Error("what is rare isn't what never happened")
	}
	phase(100_000, 2000, 40, "up")
	phase(1000, 2000, 600, "down")
	if !s.Rare(4000) {
		t.Error("100,000 isn't rare after 2,000 uses without")
	}
	phase(1<<20, 100, 40, "up again")
	if s.Rare(1 << 18) {
		t.Error("what happened 100 times is rare")
	}
}

// TestHistogramRareToTheUse: exactly one in 64 is not rare, less is.
func TestHistogramRareToTheUse(t *testing.T) {
	for small, want := range map[int]bool{62: false, 63: false, 64: true} {
		var s Histogram
		s.Note(10_000, 1)
		for range small {
			s.Note(100, 1)
		}
		if s.Rare(100) != want {
			t.Errorf("1 in %d: rare is %t", small+1, !want)
		}
	}
}

// TestHistogramInvariants: the sums that are kept are those of the weights, and the
// answer is the smallest bucket that covers enough.
func TestHistogramInvariants(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 17))
	for name, next := range distributions {
		var s Histogram
		for i := range 3000 {
			s.Note(next(r, i), 1)
			total, upTo := 0, 0
			for j, w := range s.weights {
				if total += int(w); j <= s.at {
					upTo += int(w)
				}
			}
			below := upTo - int(s.weights[s.at])
			if total != s.total || upTo != s.upTo || total >= tuning.MostWeight+tuning.UseWeight || upTo*tuning.CoverDen < total*tuning.CoverNum || s.at > 0 && below*tuning.CoverDen >= total*tuning.CoverNum {
				t.Fatalf("%s, use %d: total %d, kept as %d; %d up to bucket %d, kept as %d; %d below",
					name, i, total, s.total, upTo, s.at, s.upTo, below)
			}
		}
	}
}

// TestFirstChunkThatFits: a first chunk must be too small, or four times too large,
// to be exchanged.
func TestFirstChunkThatFits(t *testing.T) {
	var n sizeHint
	var s memory.Space
	var r memory.Region
	s.Init(&r, new(memory.Window), &memory.Config{Chunk: 4 << 10, MaxChunk: 1 << 20, MaxRetained: 64 << 20}, false)
	*testkit.Field[uintptr](&r, "peak") = 10_000
	for i := range uint64(100) {
		n.note(&r, i+1)
	}
	if n.first < 10_000 || n.first > 20_000 {
		t.Fatalf("10,000 bytes are used, and the first chunk is to have %d", n.first)
	}
	for total, misfit := range map[uintptr]bool{n.first - 1: true, n.first: false, 4*n.first - 1: false, 4 * n.first: true} {
		if n.misfit(total) != misfit {
			t.Errorf("a chunk of %d bytes where %d are wanted is unfit: %t", total, n.first, !misfit)
		}
	}
}
