// Package number reads and writes JSON numbers: functions on bytes, without any state.
//
// Reading has three stages, each slower and rarer than the one before.
//
//	(1) QuickFloat reads the usual kind, digits with a point among them, in words of
//	    eight digits.
//	(2) Read splits any number into its digits and an exponent. Float64 and ManyDigits
//	    find the nearest float by Eisel and Lemire's method.
//	(3) ParseFloat calls strconv, where 128 bits of a power of ten don't decide.
//
// Writing has two: shortest computes the shortest decimal of a float by Schubfach, and strconv does
// so where shortest isn't sure. Both use the same table of powers of ten.
//
// The package must not depend on strings, types or decoders: its functions get a text and an
// offset, and return a value and its end.
package number

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file reads digits and parses numbers: eight digits at a time, by arithmetic on a word that
// holds them as bytes.

//go:generate go run ../genpowers

// Words of eight bytes, for arithmetic on all of them at once.
const (
	zeros    = 0x3030303030303030 // "00000000"
	aboveNi  = 0x7676767676767676 // added to a byte above 9, it sets the highest bit
	highBits = 0x8080808080808080 // of each byte
)

// notDigits returns the highest bit of each byte of w that isn't a digit. The bits above the lowest
// such byte are undefined, since a carry may come from it.
//
// With w xor "00000000" a digit is a number from 0 to 9. Adding 0x76 to it stays below 0x80; other
// bytes exceed that, or have the highest bit already.
func notDigits(w uint64) uint64 {
	w ^= zeros
	return (w + aboveNi | w) & highBits
}

// eight returns the number written as eight digits, the first digit in the lowest byte.
//
// Three steps combine neighbours: bytes to pairs (times 10), pairs to fours (times 100), and fours
// to all (times 10,000). The last two are one multiplication for each half.
func eight(w uint64) uint64 {
	w -= zeros
	w = w*10 + w>>8
	return (w&0x000000ff000000ff*0x000f424000000064 + w>>16&0x000000ff000000ff*0x0000271000000001) >> 32
}

// Digits reads digits from i on, appends them to those of u, and returns their end. With more than
// 19 digits in all, the result is the lowest 64 bits of the number, and the caller has to count the
// digits.
func Digits(data []byte, i int, u uint64) (uint64, int) {
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		m := notDigits(w)
		if m == 0 {
			u = u*1e8 + eight(w)
			i += 8
			continue
		}
		// The digits end within the word: shift them up to its end, and zeros in front of them.
		n := uint(bits.TrailingZeros64(m)) &^ 7 // bits of digits
		if n == 0 {
			return u, i
		}
		w = w<<(64-n) | zeros>>n
		return u*tens[n>>3] + eight(w), i + int(n>>3)
	}
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		u = u*10 + uint64(data[i]-'0')
		i++
	}
	return u, i
}

// A decimal is the exact value of a JSON number.
type decimal struct {
	mantissa uint64 // of all digits, if they are 19 at most
	exp      int    // of ten
	digits   int    // from the first nonzero one on, without those of the exponent
	neg      bool
}

// Read reads the number at i, and returns its end, or an end of -1 if it isn't a JSON number. It
// checks the whole grammar: no zeros in front, digits on both sides of a point, digits in the
// exponent.
func Read(data []byte, i int) (d decimal, end int) {
	if uint(i) < uint(len(data)) && data[i] == '-' {
		d.neg = true
		i++
	}
	if uint(i) >= uint(len(data)) {
		return d, -1
	}
	if c := data[i]; c == '0' {
		i++
	} else if c-'1' <= 8 {
		start := i
		d.mantissa, i = Digits(data, i, 0)
		d.digits = i - start
	} else {
		return d, -1
	}
	if uint(i) < uint(len(data)) && data[i] == '.' {
		i++
		point := i
		if d.mantissa == 0 {
			for uint(i) < uint(len(data)) && data[i] == '0' {
				i++
			}
		}
		// Zeros between the point and the first nonzero digit only move the point.
		d.digits -= i
		d.mantissa, i = Digits(data, i, d.mantissa)
		d.digits += i
		if i == point {
			return d, -1
		}
		d.exp = point - i
	}
	if uint(i) < uint(len(data)) && data[i]|0x20 == 'e' {
		return d.exponent(data, i+1)
	}
	return d, i
}

// exponent reads the exponent after an e. Exponents beyond a million aren't increased further: they
// all mean zero or out of range, for any number of digits.
func (d decimal) exponent(data []byte, i int) (decimal, int) {
	neg := false
	if uint(i) < uint(len(data)) && (data[i] == '+' || data[i] == '-') {
		neg = data[i] == '-'
		i++
	}
	start, e := i, 0
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		if e < 1e6 {
			e = e*10 + int(data[i]-'0')
		}
		i++
	}
	if i == start {
		return d, -1
	}
	if neg {
		e = -e
	}
	d.exp += e
	return d, i
}
