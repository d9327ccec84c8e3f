package memory

import "math/bits"

// This file holds the bins into which sizes are sorted: bin 0 is for up to binLeast
// bytes, and from there on are four for each power of two, so that what is in a bin
// is smaller than its largest by a quarter at most.

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
