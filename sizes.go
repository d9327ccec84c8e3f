package arena

import "github.com/harena-go/arena/internal/memory"

// A sizes learns how much memory pieces of work need, from how much the last
// ones have used: it is a histogram of some hundred uses, in which old ones
// fade.
//
// It answers with the size that covers nine in ten of them, or less if it isn't
// worth that. A single use, however large, doesn't change the answer. What has
// become rare is forgotten after some hundred uses, and what has become common is
// learned within a few dozen.
type sizes struct {
	weights [memory.Bins]uint16 // of the uses in each bucket
	total   int                 // of all weights
	at      int                 // the bucket up to which nine in ten uses are
	upTo    int                 // the sum of weights[:at+1]
	answer  int                 // the bucket of the answer
	lately  float64             // bytes, a mean in which old uses fade soon
}

const (
	// coverNum of coverDen uses are covered.
	coverNum, coverDen = 9, 10

	// useWeight is what a use weighs at first. Weights halve, so that it must be
	// a power of two, and large enough for a single use to count for a while.
	useWeight = 16

	// sizesFew is the weight that is needed for an answer.
	sizesFew = 8 * useWeight

	// sizesMany is the weight at which all weights are halved. The share that
	// the answer covers is then right to within 2 to 3 points (one standard
	// deviation) when sizes are random.
	sizesMany = 256 * useWeight
)

// note adds a use of n bytes. It reports whether the answer has changed.
func (s *sizes) note(n uintptr) (changed bool) {
	if s.total >= sizesMany {
		s.halve()
	}
	i, was := memory.BinOf(n), s.answer
	s.weights[i] += useWeight
	s.lately += (float64(memory.BinEnd(i)) - s.lately) / latelyUses
	s.total += useWeight
	if i <= s.at {
		s.upTo += useWeight
	}
	for s.upTo*coverDen < s.total*coverNum {
		s.at++
		s.upTo += int(s.weights[s.at])
	}
	for s.at > 0 && (s.upTo-int(s.weights[s.at]))*coverDen >= s.total*coverNum {
		s.upTo -= int(s.weights[s.at])
		s.at--
	}
	s.answer = s.worthwhile(s.at)
	return s.answer != was
}

// halve makes the past weigh half as much.
func (s *sizes) halve() {
	s.total, s.upTo = 0, 0
	for i := range s.weights {
		s.weights[i] /= 2
		s.total += int(s.weights[i])
		if i <= s.at {
			s.upTo += int(s.weights[i])
		}
	}
}

// cover returns how many bytes cover nine in ten uses, or 0 if too little is
// known.
func (s *sizes) cover() uintptr {
	if s.total < sizesFew {
		return 0
	}
	return memory.BinEnd(s.answer)
}

const (
	// freeSize is up to how many bytes any size is worthwhile: 150 arenas that have
	// as much take 38 MB together.
	freeSize = 256 << 10

	// latelyUses is in how many uses the mean of late follows: after 0.7 times as many
	// of a size, that is worthwhile whatever was before. If it is one in three uses that
	// have it, by chance, this takes a coincidence of three standard deviations.
	latelyUses = 32
)

// worthwhile returns the last bucket up to most that has uses and whose size is
// worthwhile for all to have: those who use less of it, and those who use more and
// take that as well, have no more than twice what they use, all together; or so it
// was lately. If one in twelve uses 8 MiB, 8 MiB are not.
func (s *sizes) worthwhile(most int) int {
	if most > memory.BinOf(freeSize) {
		bytes := s.bytes(memory.Bins)
		upTo := s.bytes(most + 1)
		for ; most > memory.BinOf(freeSize); most-- {
			end, w := float64(memory.BinEnd(most)), float64(s.weights[most])
			if w > 0 && (end*float64(s.total) <= bytes+upTo || end <= 2*s.lately) {
				return most
			}
			upTo -= w * end
		}
	}
	for most > 0 && s.weights[most] == 0 {
		most--
	}
	return most
}

// bytes returns the sum of the uses in the first n buckets, by their weights.
func (s *sizes) bytes(n int) (sum float64) {
	for i, w := range s.weights[:n] {
		sum += float64(w) * float64(memory.BinEnd(i))
	}
	return sum
}

// room returns how many bytes of blocks an arena may keep: the most that is worthwhile
// and a quarter, by which a first chunk may be too large. It is 0 if too little is known.
func (s *sizes) room() uintptr {
	if s.total < sizesFew {
		return 0
	}
	n := max(freeSize, memory.BinEnd(s.worthwhile(memory.Bins-1)))
	return n + n/4
}

// rare says whether less than one use in 64 took more than n bytes.
func (s *sizes) rare(n uintptr) bool {
	above := 0
	for _, w := range s.weights[memory.BinOf(n)+1:] {
		above += int(w)
	}
	return above*64 < s.total
}
