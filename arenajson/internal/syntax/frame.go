package syntax

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how the end of a value is found before it is read, by its
// brackets and quotes alone. Each byte is looked at once, in whatever pieces the
// input comes: what the search is in the middle of is in the Frame. What is wrong
// with the value is found when it is read; all that matters here is that a value
// that is right ends where it should, and one that is wrong ends somewhere.

// A Frame is how far the search for the end of a value is. The zero Frame begins
// one.
type Frame struct {
	At     int // bytes of the value looked at
	depth  int // brackets that are open
	inText bool
	Number number.Part // of a number, which ends where something else begins
	word   int         // it is a word, or nothing at all, that has so many bytes
}

// Find goes on with the search in b, which begins with the value and has what it
// had the last time, and more. It reports whether the value ends at f.At. A number
// that b ends with may go on, unless the input ends there, which the caller knows.
func (f *Frame) Find(b []byte) (done bool) {
	for f.At < len(b) {
		switch {
		// Each case goes on where the search was when b ended the last time.
		case f.inText:
			if !f.findQuote(b) {
				return false
			}
			if f.inText = false; f.depth == 0 {
				return true
			}
		case f.Number != number.NoNumber:
			next := f.Number.Next(b[f.At])
			// The byte isn't part of the number any more, and isn't looked at.
			if next == number.NoNumber && f.Number.Complete() {
				return true
			}
			f.At++
			if f.Number = next; next == number.NoNumber { // and what is wrong with it is part of the value
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

// findQuote moves behind the quote that ends a string. A backslash at the end
// stays, to be looked at with what follows it.
func (f *Frame) findQuote(b []byte) bool {
	for f.At < len(b) {
		i := f.At
		// Words without a quote or a backslash. Control characters don't matter
		// here.
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

// structure looks at the bytes outside of strings from f.At on, up to one that
// matters: the first byte of a value without brackets, a quote, or the last
// bracket.
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
			// Which bracket closes which is found when the value is read.
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

// begin notes what a value is that begins with c, and has neither brackets nor
// quotes. What can't begin a value is one of one byte, which will be found wrong.
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
