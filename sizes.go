package arena

import "math/bits"

// A sizes learns how much memory pieces of work need, from how much the last
// ones have used: it is a histogram of some hundred uses, in which old ones
// fade.
//
// It answers with the size that covers nine in ten of them. A single use, however
// large, doesn't change that. What has become rare is forgotten after some
// hundred uses, and what has become common is learned within a few dozen.
type sizes struct {
	weights [sizeBuckets]uint16 // of the uses in each bucket
	total   int                 // of all weights
	at      int                 // the bucket of the answer
	upTo    int                 // the sum of weights[:at+1]
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

	// Bucket 0 is for up to smallestSize bytes. From there on are four for each
	// power of two, so that an answer is at most a quarter too large.
	smallestSize = 64
	sizeBuckets  = 1 + 4*(bits.UintSize-smallestLog)
	smallestLog  = 6
)

// bucketOf returns the bucket of uses of n bytes.
func bucketOf(n uintptr) int {
	if n <= smallestSize {
		return 0
	}
	n-- // the upper end of each bucket belongs to it
	log := bits.Len(uint(n)) - 1
	return 1 + 4*(log-smallestLog) + int(n>>(log-2))&3
}

// bucketEnd returns the largest use in a bucket.
func bucketEnd(i int) uintptr {
	if i == 0 {
		return smallestSize
	}
	log := smallestLog + (i-1)/4
	return uintptr(5+(i-1)%4) << (log - 2)
}

// note adds a use of n bytes. It reports whether the answer has changed.
func (s *sizes) note(n uintptr) (changed bool) {
	if s.total >= sizesMany {
		s.halve()
	}
	i, was := bucketOf(n), s.at
	s.weights[i] += useWeight
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
	return s.at != was
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
	return bucketEnd(s.at)
}

// rare says whether less than one use in 64 took more than n bytes.
func (s *sizes) rare(n uintptr) bool {
	above := 0
	for _, w := range s.weights[bucketOf(n)+1:] {
		above += int(w)
	}
	return above*64 < s.total
}
