package arenajson

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how strings are written.

const hexDigits = "0123456789abcdef"

// textRoom is how much room a string needs besides its bytes: the quotes, and words written to them.
const textRoom = 16

// text appends a string with its quotes. It copies words while it looks at them.
func (e *encoder) text(b []byte, s string) []byte {
	b = room(b, len(s)+textRoom)
	data, n := mem.Bytes(s), len(b)
	b = b[:n+1]
	b[n] = '"'
	if len(data) < 8 || e.flags&escapeHTML != 0 {
		return e.otherText(b, data)
	}
	n++
	i := 0
	for ; i+8 <= len(data); i += 8 {
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if m := notPlain(w); m != 0 {
			return e.textFrom(b[:n+i], data, i, m)
		}
	}
	i = len(data) - 8 // the rest, and some once more
	w := mem.Load64(data, i)
	mem.Put64(b, n+i, w)
	if m := notPlain(w); m != 0 {
		return e.textFrom(b[:n+i], data, i, m)
	}
	n += len(data)
	b = b[:n+1]
	b[n] = '"'
	return b
}

// textFrom is text from i on, where m says what there is that isn't plain.
//
//go:noinline
func (e *encoder) textFrom(b, data []byte, i int, m uint64) []byte {
	plain := bits.TrailingZeros64(m) >> 3
	return append(e.textSlow(b[:len(b)+plain], data, i+plain), '"')
}

// notPlain is special with two operations less: a quote, with its bit 1 turned, is just above the
// control characters, and nothing else gets between.
func notPlain(w uint64) uint64 {
	return (w | (w ^ 2*lows - 0x21*lows) | (w ^ '\\'*lows - lows)) & highs
}

// otherText is text for short strings, and with the option escapeHTML, behind the first quote.
func (e *encoder) otherText(b, data []byte) []byte {
	if len(data) < 8 {
		return e.shortText(b, data)
	}
	n := len(b)
	for i, last := 0, len(data)-8; i < len(data); i += 8 {
		i = min(i, last)
		w := mem.Load64(data, i)
		mem.Put64(b, n+i, w)
		if m := notPlain(w) | markup(w); m != 0 {
			return e.textFrom(b[:n+i], data, i, m)
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

// shortText is text for less than eight bytes, behind the first quote.
func (e *encoder) shortText(b, data []byte) []byte {
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
	if notPlain(w) != 0 || e.flags&escapeHTML != 0 && markup(w) != 0 {
		return append(e.textSlow(b, data, 0), '"')
	}
	b = b[:n+len(data)+1]
	b[n+len(data)] = '"'
	return b
}

// plain returns where the run of bytes from i on ends that are written as they are. It doesn't
// look beyond ASCII.
func (e *encoder) plain(data []byte, i int) int {
	html := e.flags&escapeHTML != 0
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		m := notPlain(w)
		if html {
			m |= markup(w)
		}
		if m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) && ordinary[data[i]] && !(html && (data[i] == '<' || data[i] == '>' || data[i] == '&')) {
		i++
	}
	return i
}

// textSlow appends what of a string is from i on, where there is something that isn't plain.
func (e *encoder) textSlow(b, data []byte, i int) []byte {
	if e.flags&escapeJS != 0 {
		for {
			end := separator(data, i)
			if end < 0 {
				break
			}
			b = e.textPart(b, data[:end], i)
			b = append(b, '\\', 'u', '2', '0', '2', hexDigits[data[end+2]&15])
			i = end + 3
		}
	}
	return e.textPart(b, data, i)
}

// separator returns where from i on U+2028 or U+2029 comes next, or -1. No part of another character
// looks like them.
func separator(data []byte, i int) int {
	for {
		n := bytes.Index(data[i:], []byte("\u2028"[:2]))
		if n < 0 || i+n+2 >= len(data) {
			return -1
		}
		i += n
		if data[i+2]&^1 == 0xa8 {
			return i
		}
		i += 2
	}
}

// textPart is textSlow without a look for separators.
func (e *encoder) textPart(b, data []byte, i int) []byte {
	start := i
	for i < len(data) {
		c := data[i]
		switch { // the first case is for shortText, which doesn't say where
		case ordinary[c] && (e.flags&escapeHTML == 0 || c != '<' && c != '>' && c != '&'):
		case c < utf8.RuneSelf:
			b = append(b, data[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
		default:
			if j := wideRun(data, i); j > i {
				i = j
				break
			}
			b = append(b, data[start:i]...)
			b = e.invalid(b)
			i++
			start = i
		}
		i = e.plain(data, i)
	}
	return append(b, data[start:]...)
}

// wideRun is wide for texts that are likely to be long in characters of three bytes: it takes two of
// them at once. A first byte of E0 needs, and one of ED forbids, bit 5 in the second.
func wideRun(data []byte, i int) int {
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		v := w >> 24
		if w&0xc0c0f0c0c0f0 != 0x8080e08080e0 || w&0x200f == 0 || w&0x200f == 0x200d || v&0x200f == 0 || v&0x200f == 0x200d {
			break
		}
		i += 6
	}
	return wide(data, i)
}

// invalid appends what stands for a byte that isn't UTF-8.
func (e *encoder) invalid(b []byte) []byte {
	switch {
	case e.flags&allowInvalidUTF8 == 0:
		e.fail(stringType, errUTF8)
	case classic && e.flags&legacy != 0:
		return append(b, `\ufffd`...)
	}
	return append(b, "\ufffd"...)
}

// appendEscape appends what stands for a character of one byte.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
