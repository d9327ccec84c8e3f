package text

import (
	"strconv"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file writes strings without characters to escape, and finds the others, which
// writeescaped.go writes.
//
// Its functions copy words while examining them, and store beyond the end of the result, where
// there is textRoom. Special bytes in a word are overwritten.

// QuoteRune returns the first character of b in quotes, for error messages; an invalid byte is
// escaped.
func QuoteRune(b []byte) string {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return `'\x` + strconv.FormatUint(uint64(b[0]), 16) + `'`
	}
	return strconv.QuoteRune(r)
}

// textRoom is the room that a string needs besides its bytes: for the quotes, and for writing whole
// words.
const textRoom = 16

// Append appends s with its quotes. The flags decide whether HTML or JavaScript is escaped, and
// whether invalid UTF-8 is replaced. If it isn't, Append panics with a UTF8Error, so that its
// callers need no error result.
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
	// Four words at a time, while all is plain.
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
	// Less than a word is left: take the last word, whose beginning was copied before.
	i = len(data) - 8 // overlaps the word before
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

// notPlain is special with two operations less: a quote, with its bit 1 flipped, is just above the
// control characters, and no other byte gets between.
func notPlain(w uint64) uint64 {
	return (w | (w ^ 2*Lows - 0x21*Lows) | (w ^ '\\'*Lows - Lows)) & Highs
}

// appendOther is Append for short strings, and with the option EscapeHTML, behind the first quote.
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

// Markup returns the highest bit of each byte that EscapeHTML escapes, < and >, which differ in bit
// 1, and &. The bits above the lowest such byte are undefined.
func Markup(w uint64) uint64 {
	return (((w ^ '<'*Lows) &^ (2 * Lows)) - Lows | ((w ^ '&'*Lows) - Lows)) & Highs
}

// appendShort is Append for less than eight bytes, behind the first quote: two overlapping loads,
// or three bytes, make a word of it.
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
		w |= '.' * Lows << (size * 8) // a plain byte
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

// Within reports whether text, a string that was read from start on, is a part of the input, and
// not an unescaped copy.
func Within(data, text []byte, start int) bool {
	return len(text) == 0 || &text[0] == &data[start]
}
