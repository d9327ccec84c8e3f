package arenajson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how strings are read. Eight bytes at a time are looked at for what ends
// a run of ordinary ones: a quote, a backslash, a control character, or what isn't ASCII.

// What there is in each byte of a word: its lowest bit, and its highest.
const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special returns the highest bit of each byte of w that isn't ordinary; of those above
// the lowest such byte nothing is known.
func special(w uint64) uint64 {
	return (w | (w - 0x20*lows) | ((w ^ '"'*lows) - lows) | ((w ^ '\\'*lows) - lows)) & highs
}

// ordinary says which bytes may stand in a string as they are, of one byte each.
var ordinary = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// run returns where the run of ordinary bytes from i on ends.
func run(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := special(mem.Load64(data, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for uint(i) < uint(len(data)) && ordinary[data[i]] {
		i++
	}
	return i
}

// text reads the string at i, where there must be a quote, and returns what it says and
// where it ends. That is a part of the input, or of d.scratch up to the next call if it
// has escapes. On an error it returns an end of -1.
func (d *reader) text(i int) (b []byte, end int) {
	data := d.data
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		return nil, -1
	}
	i++
	start := i
	for {
		i = run(data, i)
		if uint(i) >= uint(len(data)) {
			return nil, -1
		}
		switch c := data[i]; {
		case c == '"':
			return data[start:i:i], i + 1
		case c >= 0x80:
			j := wide(data, i)
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

// escaped is text for a string in which something other than text comes at i.
//
//go:noinline
func (d *reader) escaped(start, i int) ([]byte, int) {
	data, b := d.data, append(d.scratch[:0], d.data[start:i]...)
	for {
		if uint(i) >= uint(len(data)) {
			return nil, -1
		}
		var n int
		switch c := data[i]; {
		case c == '"':
			d.scratch = b
			return b, i + 1
		case c == '\\':
			if b, n = unicodes(b, data, i); n > i {
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
			n = run(data, i)
			b = append(b, data[i:n]...)
			i = n
		default:
			if n = wide(data, i); n == i {
				if d.flags&allowInvalidUTF8 == 0 {
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

// unicodes appends what a run of escapes \uXXXX at i stands for, and returns where it ends: at what
// is none, isn't valid or is half of a pair of surrogates, or near the end of the input.
func unicodes(b, data []byte, i int) ([]byte, int) {
	n := len(b)
	b = b[:cap(b)]
	for ; i+8 <= len(data); i += 6 {
		w := mem.Load64(data, i)
		r := hexes[byte(w>>16)]<<12 | hexes[byte(w>>24)]<<8 | hexes[byte(w>>32)]<<4 | hexes[byte(w>>40)] // negative if one is
		if uint16(w) != '\\'|'u'<<8 || r < 0 || utf16.IsSurrogate(r) {
			break
		}
		if len(b)-n < 4 {
			b = append(b, make([]byte, 64+n)...)
			b = b[:cap(b)]
		}
		u := uint32(r)
		switch {
		case u < 0x80:
			b[n] = byte(u)
			n++
		case u < 0x800:
			binary.LittleEndian.PutUint16(b[n:], uint16(0x80c0|u>>6|u&0x3f<<8))
			n += 2
		default:
			binary.LittleEndian.PutUint32(b[n:], 0x8080e0|u>>12|u>>6&0x3f<<8|u&0x3f<<16)
			n += 3
		}
	}
	return b[:n], i
}

// escapes are what follows a backslash, and what it stands for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape appends what the escape at i stands for, and returns where it ends or -1.
func (d *reader) escape(b []byte, i int) ([]byte, int) {
	data := d.data
	if i+1 >= len(data) {
		return b, -1
	}
	if c := escapes[data[i+1]]; c != 0 {
		return append(b, c), i + 2
	}
	r := hex4(data, i)
	if r < 0 {
		return b, -1
	}
	i += 6
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, hex4(data, i)); pair != utf8.RuneError {
			return utf8.AppendRune(b, pair), i + 6
		}
		if d.flags&allowInvalidUTF8 == 0 {
			return b, -1
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(b, r), i
}

// hex4 returns what an escape \uXXXX at i stands for, or -1 if there is none.
func hex4(data []byte, i int) rune {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return -1
	}
	w := mem.Load32(data, i+2)
	return hexes[byte(w)]<<12 | hexes[byte(w>>8)]<<8 | hexes[byte(w>>16)]<<4 | hexes[byte(w>>24)] // negative if one is
}

// hexes are the values of hexadecimal digits; all other bytes have -1.
var hexes = func() (t [256]rune) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = rune(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			t[c] = rune(c|0x20-'a') + 10
		default:
			t[c] = -1
		}
	}
	return
}()

// skipText is text for a string that nobody needs: it returns where it ends, or -1.
func (d *reader) skipText(i int) int {
	data := d.data
	if uint(i) >= uint(len(data)) || data[i] != '"' {
		return -1
	}
	i++
	for {
		i = run(data, i)
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
			j := wide(data, i)
			if j == i {
				if d.flags&allowInvalidUTF8 == 0 {
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

// skipEscape returns where the escape at i ends, or -1.
func (d *reader) skipEscape(i int) int {
	data := d.data
	if i+1 >= len(data) {
		return -1
	}
	if escapes[data[i+1]] != 0 {
		return i + 2
	}
	r := hex4(data, i)
	if r < 0 {
		return -1
	}
	i += 6
	if d.flags&allowInvalidUTF8 == 0 && utf16.IsSurrogate(r) {
		if utf16.DecodeRune(r, hex4(data, i)) == utf8.RuneError {
			return -1
		}
		i += 6
	}
	return i
}
