package text

import (
	"strconv"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

func QuoteRune(b []byte) string {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return `'\x` + strconv.FormatUint(uint64(b[0]), 16) + `'`
	}
	return strconv.QuoteRune(r)
}

// This file holds how strings are written that have nothing to escape, and which have: that these are
// written in encode_special.go.

// textRoom is how much room a string needs besides its bytes: the quotes, and words written to them.
const textRoom = 16

// Append appends a string with its quotes. It copies words while it looks at them.
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
	for ; i+8 <= len(data); i += 8 {
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if notPlain(w) != 0 {
			return appendSpecial(b[:n+i], data, i, f)
		}
	}
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

// notPlain is special with two operations less: a quote, with its bit 1 turned, is just above the
// control characters, and nothing else gets between.
func notPlain(w uint64) uint64 {
	return (w | (w ^ 2*Lows - 0x21*Lows) | (w ^ '\\'*Lows - Lows)) & Highs
}

// appendOther is appendText for short strings, and with the option escapeHTML, behind the first quote.
func appendOther(b, data []byte, f option.Flags) []byte {
	if len(data) < 8 {
		return appendShort(b, data, f)
	}
	n := len(b)
	for i, last := 0, len(data)-8; i < len(data); i += 8 {
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

// Markup is special for what the option escapeHTML escapes: < and >, which differ in bit 1, and &.
func Markup(w uint64) uint64 {
	return (((w ^ '<'*Lows) &^ (2 * Lows)) - Lows | ((w ^ '&'*Lows) - Lows)) & Highs
}

// appendShort is appendText for less than eight bytes, behind the first quote.
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

// Within says whether a text that text returned for start is a part of the input.
func Within(data, text []byte, start int) bool {
	return len(text) == 0 || &text[0] == &data[start]
}
