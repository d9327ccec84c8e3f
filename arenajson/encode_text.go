package arenajson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how strings are written.

const hexDigits = "0123456789abcdef"

// text appends a string with its quotes. It copies words while it looks at them.
func (e *encoder) text(b []byte, s string) []byte {
	data := mem.Bytes(s)
	if cap(b)-len(b) < len(data)+2 || len(data) < 8 || e.flags&escapeHTML != 0 {
		return e.textRun(b, data)
	}
	n := len(b)
	to := b[n : n+len(data)+2]
	to[0] = '"'
	i := 0
	for ; i+8 <= len(data); i += 8 {
		w := mem.Load64(data, i)
		if special(w) != 0 {
			return e.textRun(b, data)
		}
		binary.LittleEndian.PutUint64(to[1+i:], w)
	}
	i = len(data) - 8
	w := mem.Load64(data, i)
	if special(w) != 0 {
		return e.textRun(b, data)
	}
	binary.LittleEndian.PutUint64(to[1+i:], w)
	to[1+len(data)] = '"'
	return b[:n+len(to)]
}

// textRun is text for a string of any kind.
func (e *encoder) textRun(b, data []byte) []byte {
	b = append(b, '"')
	i := e.plain(data, 0)
	if i == len(data) {
		b = append(b, data...)
		return append(b, '"')
	}
	return append(e.textSlow(b, data, i), '"')
}

// plain returns where the run of bytes from i on ends that are written as they are. It doesn't
// look beyond ASCII.
func (e *encoder) plain(data []byte, i int) int {
	html := e.flags&escapeHTML != 0
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		m := special(w)
		if html {
			// What isn't < or > or & with bit 1 cleared is none of them.
			m |= (((w ^ '<'*lows) &^ (2 * lows)) - lows | ((w ^ '&'*lows) - lows)) & highs
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

// textSlow is text for a string in which something other than a run of plain bytes is at i.
func (e *encoder) textSlow(b, data []byte, i int) []byte {
	start := 0
	for i < len(data) {
		c := data[i]
		if c >= utf8.RuneSelf {
			if b, start, i = e.rune(b, data, start, i); i < len(data) && data[i] < utf8.RuneSelf {
				i = e.plain(data, i)
			}
			continue
		}
		if e.flags&escapeHTML != 0 && (c == '<' || c == '>' || c == '&') || !ordinary[c] {
			b = append(b, data[start:i]...)
			b = appendEscape(b, c)
			start = i + 1
		}
		i = e.plain(data, i+1)
	}
	return append(b, data[start:]...)
}

// rune deals with what isn't ASCII at i. What is before start is written.
func (e *encoder) rune(b, data []byte, start, i int) ([]byte, int, int) {
	if j := wide(data, i); j > i && e.flags&escapeJS == 0 {
		return b, start, j
	}
	r, n := utf8.DecodeRune(data[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		if e.flags&allowInvalidUTF8 == 0 {
			e.fail(stringType, errUTF8)
		}
		b = append(b, data[start:i]...)
		if classic && e.flags&legacy != 0 {
			b = append(b, `\ufffd`...)
		} else {
			b = append(b, "\ufffd"...)
		}
		return b, i + n, i + n
	case r == '\u2028' || r == '\u2029':
		if e.flags&escapeJS != 0 {
			b = append(b, data[start:i]...)
			return append(b, '\\', 'u', '2', '0', '2', hexDigits[r&15]), i + n, i + n
		}
	}
	return b, start, i + n
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
