package text

import (
	"strconv"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds how strings are written that have nothing to escape, and finds
// out which have: those are written in writeescaped.go.
//
// All of it copies words while it looks at them, and stores behind what it has come
// to, for which there is textRoom. Whatever of a word turns out to be special is
// overwritten.

// QuoteRune returns the first character of b in quotes, for error messages; a byte
// that isn't UTF-8 as an escape.
func QuoteRune(b []byte) string {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return `'\x` + strconv.FormatUint(uint64(b[0]), 16) + `'`
	}
	return strconv.QuoteRune(r)
}

// textRoom is how much room a string needs besides its bytes: the quotes, and words
// that are written to them.
const textRoom = 16

// Append appends s with its quotes, as the flags have it: whether HTML or
// JavaScript is escaped, and whether what isn't UTF-8 is replaced. Where it may not
// be, Append panics with a UTF8Error, so that its callers need no result for that.
func Append(b []byte, s string, f option.Flags) []byte {
	b = mem.Room(b, len(s)+textRoom)
	data, n := mem.Bytes(s), len(b)
	b = b[:n+1]
	b[n] = '"'
	if len(data) < 8 || f&option.EscapeHTML != 0 {
		return appendOther(b, data, f)
	}
	n++
	i := 0
	// Four words at a time, as long as all is plain.
	for ; i+32 <= len(data); i += 32 {
		w, x, y, z := mem.Load64(data, i), mem.Load64(data, i+8), mem.Load64(data, i+16), mem.Load64(data, i+24)
		mem.Put64(b, n+i, w)
		mem.Put64(b, n+i+8, x)
		mem.Put64(b, n+i+16, y)
		mem.Put64(b, n+i+24, z)
		if notPlain(w)|notPlain(x)|notPlain(y)|notPlain(z) != 0 {
			break
		}
	}
	for ; i+8 <= len(data); i += 8 {
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if notPlain(w) != 0 {
			return appendSpecial(b[:n+i], data, i, f)
		}
	}
	// What is left is less than a word: take the last word, though some of it was
	// copied before.
	i = len(data) - 8 // the rest, and some once more
	w := mem.Load64(data, i)
	mem.Put64(b, n+i, w)
	if notPlain(w) != 0 {
		return appendSpecial(b[:n+i], data, i, f)
	}
	n += len(data)
	b = b[:n+1]
	b[n] = '"'
	return b
}

// notPlain is special with two operations less: a quote, with its bit 1 turned, is
// just above the control characters, and nothing else gets between.
func notPlain(w uint64) uint64 {
	return (w | (w ^ 2*Lows - 0x21*Lows) | (w ^ '\\'*Lows - Lows)) & Highs
}

// appendOther is Append for short strings, and with the option EscapeHTML, behind
// the first quote.
func appendOther(b, data []byte, f option.Flags) []byte {
	if len(data) < 8 {
		return appendShort(b, data, f)
	}
	n, i := len(b), 0
	for ; i+16 <= len(data); i += 16 {
		w, x := mem.Load64(data, i), mem.Load64(data, i+8)
		mem.Put64(b, n+i, w)
		mem.Put64(b, n+i+8, x)
		if notPlain(w)|Markup(w)|notPlain(x)|Markup(x) != 0 {
			return appendSpecial(b[:n+i], data, i, f)
		}
	}
	for last := len(data) - 8; i < len(data); i += 8 {
		i = min(i, last)
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if notPlain(w)|Markup(w) != 0 {
			return appendSpecial(b[:n+i], data, i, f)
		}
	}
	n += len(data)
	b = b[:n+1]
	b[n] = '"'
	return b
}

// Markup returns the highest bit of each byte that EscapeHTML escapes, up to the
// lowest: of < and >, which differ in bit 1, and of &.
func Markup(w uint64) uint64 {
	return (((w ^ '<'*Lows) &^ (2 * Lows)) - Lows | ((w ^ '&'*Lows) - Lows)) & Highs
}

// appendShort is Append for less than eight bytes, behind the first quote: two
// loads that overlap, or three bytes, make a word of it.
func appendShort(b, data []byte, f option.Flags) []byte {
	n := len(b)
	var w uint64
	switch size := len(data); {
	case size >= 4:
		low, high := mem.Load32(data, 0), mem.Load32(data, size-4)
		w = uint64(low) | uint64(high)<<32
		mem.Put32(b, n, low)
		mem.Put32(b, n+size-4, high)
	case size > 0:
		w = uint64(data[0]) | uint64(data[size>>1])<<(size>>1*8) | uint64(data[size-1])<<(size*8-8)
		mem.Put32(b, n, uint32(w))
		w |= '.' * Lows << (size * 8) // which is plain
	default:
		w = '.' * Lows
	}
	if notPlain(w) != 0 || f&option.EscapeHTML != 0 && Markup(w) != 0 {
		return appendSpecial(b, data, 0, f)
	}
	b = b[:n+len(data)+1]
	b[n+len(data)] = '"'
	return b
}

// Within reports whether what a string says, which was read from start on, is a
// part of the input, and not a copy of what its escapes stand for.
func Within(data, text []byte, start int) bool {
	return len(text) == 0 || &text[0] == &data[start]
}
