package syntax

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file reads strings. The byte after a run of ordinary bytes decides: the quote, valid UTF-8
// to be kept, an escape, or an error. Only strings with escapes, or with invalid UTF-8 to be
// replaced, are copied: to Scratch, which the next one overwrites.
//
// Text and SkipText accept the same strings.

// Text reads the string at i, which must begin with a quote, and returns its text and its end. The
// text is a part of the input, or with escapes of Scratch, up to the next call. On an error it
// returns an end of -1.
func (d *Reader) Text(i int) (b []byte, end int) {
	data := d.Data
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		return nil, -1
	}
	i++
	start := i
	for {
		i = text.Run(data, i)
		if uint(i) >= uint(len(data)) {
			return nil, -1
		}
		switch c := data[i]; {
		case c == '"':
			return data[start:i:i], i + 1
		// Valid UTF-8 is kept; escaped replaces or reports invalid bytes.
		case c >= 0x80:
			j := text.SkipWide(data, i)
			if j == i {
				return d.escaped(start, i)
			}
			i = j
		case c == '\\':
			return d.escaped(start, i)
		default:
			return nil, -1
		}
	}
}

// escaped is Text for a string that begins at start and must be changed at i: at an escape, or at
// invalid UTF-8. It copies the part before, and then appends piece by piece.
//
//go:noinline
func (d *Reader) escaped(start, i int) ([]byte, int) {
	data, b := d.Data, append(d.Scratch[:0], d.Data[start:i]...)
	for {
		if uint(i) >= uint(len(data)) {
			return nil, -1
		}
		var n int
		switch c := data[i]; {
		case c == '"':
			d.Scratch = b
			return b, i + 1
		case c == '\\':
			// Many escapes in a row first; AppendUnicodes stops at the other ones.
			if b, n = text.AppendUnicodes(b, data, i); n > i {
				i = n
				continue
			}
			if b, n = d.escape(b, i); n < 0 {
				return nil, -1
			}
			i = n
		case c < 0x20:
			return nil, -1
		case c < 0x80:
			n = text.Run(data, i)
			b = append(b, data[i:n]...)
			i = n
		default:
			if n = text.SkipWide(data, i); n == i {
				// Each byte that isn't part of a character becomes U+FFFD.
				if d.Flags&option.AllowInvalidUTF8 == 0 {
					return nil, -1
				}
				b = append(b, "\uFFFD"...)
				i++
				continue
			}
			b = append(b, data[i:n]...)
			i = n
		}
	}
}

// escape appends the character of the escape at i, and returns its end or -1. Half of a surrogate
// pair is an error, or replaced.
func (d *Reader) escape(b []byte, i int) ([]byte, int) {
	data := d.Data
	if i+1 >= len(data) {
		return b, -1
	}
	if c := text.Escapes[data[i+1]]; c != 0 {
		return append(b, c), i + 2
	}
	r := text.Hex4(data, i)
	if r < 0 {
		return b, -1
	}
	i += 6
	if utf16.IsSurrogate(r) {
		// The second half must be an escape, too.
		if pair := utf16.DecodeRune(r, text.Hex4(data, i)); pair != utf8.RuneError {
			return utf8.AppendRune(b, pair), i + 6
		}
		if d.Flags&option.AllowInvalidUTF8 == 0 {
			return b, -1
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(b, r), i
}

// SkipText is Text for a string without a destination: it returns its end, or -1. Escapes are
// checked, and not replaced.
func (d *Reader) SkipText(i int) int {
	data := d.Data
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		return -1
	}
	i++
	for {
		i = text.Run(data, i)
		if uint(i) >= uint(len(data)) {
			return -1
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = d.skipEscape(i); i < 0 {
				return -1
			}
		case c >= 0x80:
			j := text.SkipWide(data, i)
			if j == i {
				if d.Flags&option.AllowInvalidUTF8 == 0 {
					return -1
				}
				j++
			}
			i = j
		default:
			return -1
		}
	}
}

// skipEscape returns the end of the escape at i, or -1.
func (d *Reader) skipEscape(i int) int {
	data := d.Data
	if i+1 >= len(data) {
		return -1
	}
	if text.Escapes[data[i+1]] != 0 {
		return i + 2
	}
	r := text.Hex4(data, i)
	if r < 0 {
		return -1
	}
	i += 6
	// If everything is allowed, the halves need no common check.
	if d.Flags&option.AllowInvalidUTF8 == 0 && utf16.IsSurrogate(r) {
		if utf16.DecodeRune(r, text.Hex4(data, i)) == utf8.RuneError {
			return -1
		}
		i += 6
	}
	return i
}
