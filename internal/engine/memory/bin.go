package memory

import "math/bits"

// This file holds the bins into which sizes are sorted, for shelves and for histograms. It must not depend on the
// things that have these sizes. Bin 0 is for up to binLeast bytes. From there on there are four bins for each power of
// two, so that a size is at most a fifth smaller than the largest of its bin.
//
//	bin    0      1     2     3      4      5      6      7      8      9
//	up to  64    80    96   112    128    160    192    224    256    320  bytes
//
// For example 200 bytes belong to bin 7, of 193 to 224: BinOf(200) = 7, BinEnd(7) = 224.

const (
	binLeast = 1 << binLog
	binLog   = 6

	// Bins is how many there are.
	Bins = 1 + 4*(bits.UintSize-binLog)
)

// BinOf returns the number of the bin for n bytes.
func BinOf(n uintptr) int {
	if n <= binLeast {
		return 0
	}
	n-- // the upper end of each bin belongs to it
	log := bits.Len(uint(n)) - 1
	return 1 + 4*(log-binLog) + int(n>>(log-2))&3
}

// BinEnd returns the largest size in a bin.
func BinEnd(i int) uintptr {
	if i == 0 {
		return binLeast
	}
	log := binLog + (i-1)/4
	return uintptr(5+(i-1)%4) << (log - 2)
}
