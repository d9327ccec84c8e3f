package syntax

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file finds the end of a value before it is decoded, by its brackets and quotes alone. Each
// byte is visited once, in whatever pieces the input comes: the Frame has the state of the search.
// Decoding finds the errors in the value; here a correct value must end at its end, and a wrong one
// anywhere.

// A Frame is the state of the search for the end of a value. The zero Frame begins one.
type Frame struct {
	At     int // bytes of the value visited
	depth  int // number of open brackets
	inText bool
	Number number.Part // of a number, which ends at the first other byte
	word   int         // the length of a word, or 0
}

// Find continues the search in b, which begins with the value and its bytes of the last time, and
// has more. It reports whether the value ends at f.At. A number at the end of b may go on, unless
// the input ends there, which the caller knows.
func (f *Frame) Find(b []byte) (done bool) {
	for f.At < len(b) {
		switch {
		// Each case continues where the search was at the last end of b.
		case f.inText:
			if !f.findQuote(b) {
				return false
			}
			if f.inText = false; f.depth == 0 {
				return true
			}
		case f.Number != number.NoNumber:
			next := f.Number.Next(b[f.At])
			// The byte isn't part of the number any more, and isn't visited.
			if next == number.NoNumber && f.Number.Complete() {
				return true
			}
			f.At++
			if f.Number = next; next == number.NoNumber { // a wrong byte is part of the value
				return true
			}
		case f.word > 0:
			if f.At++; f.At == f.word {
				return true
			}
		case f.structure(b):
			return true
		}
	}
	return false
}

// findQuote moves behind the closing quote of a string. A backslash at the end stays, to be visited
// with the byte after it.
func (f *Frame) findQuote(b []byte) bool {
	for f.At < len(b) {
		i := f.At
		// Words without a quote or a backslash. Control characters don't matter here.
		for i+8 <= len(b) {
			w := mem.Load64(b, i)
			x, y := w^'"'*text.Lows, w^'\\'*text.Lows
			if m := ((x-text.Lows)&^x | (y-text.Lows)&^y) & text.Highs; m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		f.At = i
		switch {
		case i >= len(b):
			return false
		case b[i] == '"':
			f.At++
			return true
		case b[i] == '\\':
			if i+1 >= len(b) {
				return false
			}
			f.At++
		}
		f.At++
	}
	return false
}

// structure visits the bytes outside of strings from f.At on, up to one that matters: the first
// byte of a value without brackets, a quote, or the last bracket.
func (f *Frame) structure(b []byte) (done bool) {
	for ; f.At < len(b); f.At++ {
		switch b[f.At] {
		case '"':
			f.inText = true
			f.At++
			return false
		case '{', '[':
			f.depth++
		case '}', ']':
			// Decoding checks that the brackets match.
			if f.depth--; f.depth <= 0 {
				f.At++
				return true
			}
		default:
			if f.depth == 0 {
				return f.begin(b[f.At])
			}
		}
	}
	return false
}

// begin records the kind of a value without brackets or quotes by its first byte c. A byte that
// can't begin a value is a value by itself, which decoding reports.
func (f *Frame) begin(c byte) (done bool) {
	f.At++
	switch {
	case c == '-':
		f.Number = number.AfterSign
	case c-'0' <= 9:
		f.Number = number.AfterSign.Next(c)
	case c == 't' || c == 'n':
		f.word = len("true")
	case c == 'f':
		f.word = len("false")
	default:
		return true
	}
	return false
}
