package arenajson

import "github.com/harena-go/arena/arenajson/internal/mem"

// This file holds how strings are written that have nothing to escape, and which have: that these are
// written in encode_special.go.

// textRoom is how much room a string needs besides its bytes: the quotes, and words written to them.
const textRoom = 16

// appendText appends a string with its quotes. It copies words while it looks at them.
func appendText(b []byte, s string, f flags) []byte {
	b = mem.Room(b, len(s)+textRoom)
	data, n := mem.Bytes(s), len(b)
	b = b[:n+1]
	b[n] = '"'
	if len(data) < 8 || f&escapeHTML != 0 {
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
	return (w | (w ^ 2*lows - 0x21*lows) | (w ^ '\\'*lows - lows)) & highs
}

// appendOther is appendText for short strings, and with the option escapeHTML, behind the first quote.
func appendOther(b, data []byte, f flags) []byte {
	if len(data) < 8 {
		return appendShort(b, data, f)
	}
	n := len(b)
	for i, last := 0, len(data)-8; i < len(data); i += 8 {
		i = min(i, last)
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if notPlain(w)|markup(w) != 0 {
			return appendSpecial(b[:n+i], data, i, f)
		}
	}
	n += len(data)
	b = b[:n+1]
	b[n] = '"'
	return b
}

// markup is special for what the option escapeHTML escapes: < and >, which differ in bit 1, and &.
func markup(w uint64) uint64 {
	return (((w ^ '<'*lows) &^ (2 * lows)) - lows | ((w ^ '&'*lows) - lows)) & highs
}

// appendShort is appendText for less than eight bytes, behind the first quote.
func appendShort(b, data []byte, f flags) []byte {
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
		w |= '.' * lows << (size * 8) // which is plain
	default:
		w = '.' * lows
	}
	if notPlain(w) != 0 || f&escapeHTML != 0 && markup(w) != 0 {
		return appendSpecial(b, data, 0, f)
	}
	b = b[:n+len(data)+1]
	b[n+len(data)] = '"'
	return b
}
