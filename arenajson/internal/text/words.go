package text

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how strings are read. Eight bytes at a time are looked at for what ends
// a run of ordinary ones: a quote, a backslash, a control character, or what isn't ASCII.

// What there is in each byte of a word: its lowest bit, and its highest.
const (
	Lows  = 0x0101010101010101
	Highs = 0x8080808080808080
)

// special returns the highest bit of each byte of w that isn't ordinary; of those above
// the lowest such byte nothing is known.
func special(w uint64) uint64 {
	return (w | (w - 0x20*Lows) | ((w ^ '"'*Lows) - Lows) | ((w ^ '\\'*Lows) - Lows)) & Highs
}

// ordinary says which bytes may stand in a string as they are, of one byte each.
var ordinary = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// Run returns where the run of ordinary bytes from i on ends.
func Run(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := special(mem.Load64(data, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for uint(i) < uint(len(data)) && ordinary[data[i]] {
		i++
	}
	return i
}
