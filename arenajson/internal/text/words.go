// Package text reads JSON text in words: it finds the ends of runs of ordinary bytes and of white
// space, decodes escapes, and distinguishes names; and it writes strings. All are functions on
// bytes, without any state.
//
// A string is read in words of eight bytes, while that many are left. Four operations find the
// lowest byte of a word that isn't ordinary: a quote, a backslash, a control character, or not
// ASCII. That byte selects the next step.
//
// Reading and writing look for nearly the same bytes but must not depend on each other: reading
// stops at a special byte, and writing copies each word before it examines it.
package text

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file finds the end of a run of ordinary bytes.

// Words with the lowest bit of each byte set, or the highest. A byte times Lows is a word of that
// byte.
const (
	Lows  = 0x0101010101010101
	Highs = 0x8080808080808080
)

// special returns the highest bit of each byte of w that isn't ordinary. The bits above the lowest
// such byte are undefined.
//
// Subtracting 1 from a zero byte borrows, which sets its highest bit: so w xor a word of quotes has
// a zero for each quote. Subtracting 0x20 does it for control characters.
func special(w uint64) uint64 {
	return (w | (w - 0x20*Lows) | ((w ^ '"'*Lows) - Lows) | ((w ^ '\\'*Lows) - Lows)) & Highs
}

// ordinary reports for each byte whether it needs no escape in a string, and is a character by
// itself.
var ordinary = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// Run returns the end of the run of ordinary bytes from i on: the first special one, or the end of
// data.
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
