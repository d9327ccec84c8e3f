package text

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file decodes escapes. Its results for invalid ones differ from all others; the callers
// report them.

// IsEscaped reports whether the quote at i is escaped, by an odd number of backslashes in front.
func IsEscaped(data []byte, i int) bool {
	n := 0
	for i--; i >= 0 && data[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// AppendUnicodes appends the characters of a run of escapes \uXXXX at i, and returns its end: at
// the first other byte, at an invalid escape or half of a surrogate pair, or near the end of the
// input. Text in other alphabets is often written so, and a loop over single escapes would take
// twice as long.
func AppendUnicodes(b, data []byte, i int) ([]byte, int) {
	n := len(b)
	b = b[:cap(b)]
	for ; i+8 <= len(data); i += 6 {
		w := mem.Load64(data, i)
		// Negative if one of the digits is invalid.
		r := Hexes[byte(w>>16)]<<12 | Hexes[byte(w>>24)]<<8 | Hexes[byte(w>>32)]<<4 | Hexes[byte(w>>40)]
		if uint16(w) != '\\'|'u'<<8 || r < 0 || utf16.IsSurrogate(r) {
			break
		}
		// Each escape stores four bytes, and counts its own.
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

// Escapes has the characters of escapes by the byte behind the backslash; all other bytes have 0,
// as has u, which has a code behind it.
var Escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Hex4 returns the character of an escape \uXXXX at i, which may be half of a surrogate pair, or -1
// if there is none or it is cut off.
func Hex4(data []byte, i int) rune {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return -1
	}
	w := mem.Load32(data, i+2)
	return Hexes[byte(w)]<<12 | Hexes[byte(w>>8)]<<8 | Hexes[byte(w>>16)]<<4 | Hexes[byte(w>>24)] // negative if one is
}

// Hexes are the values of hexadecimal digits by their bytes; all other bytes have -1, which makes a
// sum of four negative.
var Hexes = func() (t [256]rune) {
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
