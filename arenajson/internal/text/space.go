package text

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file skips white space and words.

// SkipSpace returns the end of the white space at i. Most often there is none, which the inlined
// part finds.
func SkipSpace(data []byte, i int) int {
	if uint(i) < uint(len(data)) && data[i] > ' ' {
		return i
	}
	return spaceSlow(data, i)
}

// spaceSlow is SkipSpace for white space, or the end.
func spaceSlow(data []byte, i int) int {
	if i+33 < len(data) && data[i] == '\n' {
		// Mostly up to 32 spaces follow. Unrolled, each of these branches has its own prediction.
		j := i + 1
		x := mem.Load64(data, j) ^ ' '*Lows
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*Lows
		}
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*Lows
		}
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*Lows
		}
		if i = j + bits.TrailingZeros64(x)>>3; data[i] > ' ' {
			return i
		}
	}
	// Spaces in words. Other white space mostly stands alone, and is skipped byte by byte.
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		x := w ^ ' '*Lows
		if x == 0 {
			i += 8
			continue
		}
		n := bits.TrailingZeros64(x) >> 3
		i += n
		switch byte(w >> (8 * uint(n))) {
		case '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	for uint(i) < uint(len(data)) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// The last four bytes of the words of JSON, the first of them lowest.
const (
	WordTrue  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	WordFalse = 'a' | 'l'<<8 | 's'<<16 | 'e'<<24
	WordNull  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
)

// SkipWord returns the end of a word whose last four bytes are at i, or -1 if they aren't w.
func SkipWord(data []byte, i int, w uint32) int {
	if i+4 > len(data) || mem.Load32(data, i) != w {
		return -1
	}
	return i + 4
}
