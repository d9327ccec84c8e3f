package number

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file has the grammar of numbers: it skips a number, and finds its end byte by byte in an
// input that comes in pieces.

// A Part is the state of an automaton: the position of a byte in a number. NoNumber is both the
// state before a number, and a final state.
type Part uint8

// The parts of a number in their order.
const (
	NoNumber Part = iota
	AfterSign
	afterZero // the zero that it begins with
	inDigits
	afterPoint
	inFraction
	afterE
	afterExponentSign
	inExponent
)

// Complete reports whether the number may end in this part.
func (p Part) Complete() bool {
	return p == afterZero || p == inDigits || p == inFraction || p == inExponent
}

// Next returns the part after the byte c, or NoNumber if c isn't part of the number.
func (p Part) Next(c byte) Part {
	switch {
	case c == '0' && p == AfterSign:
		return afterZero
	case c-'0' <= 9:
		return behindDigit[p]
	case c == '.' && (p == afterZero || p == inDigits):
		return afterPoint
	case c|0x20 == 'e' && (p == afterZero || p == inDigits || p == inFraction):
		return afterE
	case (c == '+' || c == '-') && p == afterE:
		return afterExponentSign
	}
	return NoNumber
}

// behindDigit has the parts after a digit, by the part before; a leading zero is the exception.
var behindDigit = [...]Part{AfterSign: inDigits, inDigits: inDigits, afterPoint: inFraction, inFraction: inFraction,
	afterE: inExponent, afterExponentSign: inExponent, inExponent: inExponent}

// ParseUint parses a JSON integer, without a sign. It returns ErrSyntax for other text, such as 1.0
// and 1e2, and ErrRange for integers of more than 64 bits.
func ParseUint(b []byte) (uint64, error) {
	if len(b) == 0 || len(b) > 1 && b[0] == '0' || SkipDigits(b, 0) != len(b) {
		return 0, strconv.ErrSyntax
	}
	u, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		return math.MaxUint64, strconv.ErrRange
	}
	return u, nil
}

// Skip returns the end of the number at i, or -1 if there is no valid one. It accepts the same
// numbers as Read, and takes half the time.
func Skip(data []byte, i int) int {
	if uint(i) < uint(len(data)) && data[i] == '-' {
		i++
	}
	if uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
		return -1
	}
	if data[i] == '0' {
		i++
	} else {
		i = SkipDigits(data, i)
	}
	if uint(i) < uint(len(data)) && data[i] == '.' {
		if i++; uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
			return -1
		}
		i = SkipDigits(data, i)
	}
	if uint(i) < uint(len(data)) && data[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(data)) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
			return -1
		}
		i = SkipDigits(data, i)
	}
	return i
}

// SkipDigits returns the end of the digits from i on, which is i if there are none.
func SkipDigits(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := notDigits(mem.Load64(data, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		i++
	}
	return i
}
