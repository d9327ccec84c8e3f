// Package text has what can be told of JSON text by looking at words of it: where a
// run of ordinary bytes ends, what an escape stands for, what white space there is,
// which name is which; and it writes strings. All are functions on bytes, without
// any state.
//
// A string is looked at in words of eight bytes, wherever that many are left. Four
// operations find the lowest byte of a word that isn't ordinary: a quote, a
// backslash, a control character, or what isn't ASCII. What follows is handled by
// what that byte is.
//
// Reading and writing look for nearly the same bytes but must not depend on each
// other: reading stops at a special byte, and writing copies each word before it
// has looked at it.
package text

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how the end of a run of ordinary bytes is found.

// Words whose bytes each have the lowest bit set, or the highest. A byte times Lows
// is a word of that byte.
const (
	Lows  = 0x0101010101010101
	Highs = 0x8080808080808080
)

// special returns the highest bit of each byte of w that isn't ordinary; of those
// above the lowest such byte nothing is known.
//
// Subtracting 1 from a byte that is zero borrows, which sets its highest bit: so w
// xor a word of quotes has a zero for each quote. Subtracting 0x20 does it for
// control characters.
func special(w uint64) uint64 {
	return (w | (w - 0x20*Lows) | ((w ^ '"'*Lows) - Lows) | ((w ^ '\\'*Lows) - Lows)) & Highs
}

// ordinary says of each byte whether it may stand in a string as it is, and is a
// character by itself.
var ordinary = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// Run returns where the run of ordinary bytes from i on ends: at the first special
// one, or at the end of data.
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
