package text

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file writes strings with characters to escape, or beyond ASCII, which must be UTF-8. It must
// not depend on the reading of strings, though both look for the same bytes.

// HexDigits are the digits of escapes, which encoding/json writes in lower case.
const HexDigits = "0123456789abcdef"

// appendSpecial appends the part of a string from i on, and the closing quote. It copies a word at
// a time, and continues behind its plain part.
//
// Invariant: b has room for the rest of the string and for two words more. Room is made again only
// after writing more than was read.
//
//go:noinline
func appendSpecial(b, data []byte, i int, f option.Flags) []byte {
	end := len(data)
	// Short strings get zeros behind, so that words can be loaded; a zero counts as special.
	if end < 8 {
		var short [8]byte
		copy(short[:], data)
		data = short[:]
	}
	html := uint64(0)
	if f&option.EscapeHTML != 0 {
		html = Highs
	}
	b = mem.Room(b, end-i+2*textRoom)
	n := len(b)
	for i < end {
		w := wordAt(data, i)
		mem.Put64(b, n, w)
		m := notPlain(w) | Markup(w)&html
		if m == 0 {
			i, n = i+8, n+8
			continue
		}
		plain := bits.TrailingZeros64(m) >> 3
		i, n = i+plain, n+plain
		switch {
		case i >= end: // one of the zeros behind
		case data[i] < 0x80:
			// Escapes often come in a row: examine the next byte before the next word.
			for again := true; again; again = i < end && needs[data[i]]&(f|always) != 0 {
				x := escaped[data[i]]
				mem.Put64(b, n, x)
				i, n = i+1, n+int(x>>56)
				b = mem.Room(b[:n], end-i+2*textRoom)
			}
		// A character of two bytes between those of ASCII, as in most languages of Europe.
		case plain < 6 && w>>(plain*8)&0x80c0e0 == 0x80c0 && w>>(plain*8)&0x1e != 0:
			i, n = i+2, n+2
		default:
			b, i = appendWide(b[:n], data, i, end, f)
			n = len(b)
		}
	}
	b = b[:n+1]
	b[n] = '"'
	return b
}

// wordAt returns the word at i; its bytes behind data are zero. At least one of them must be in
// data, which must have a word.
func wordAt(data []byte, i int) uint64 {
	if i+8 <= len(data) {
		return mem.Load64(data, i)
	}
	return mem.Load64(data, len(data)-8) >> (uint(i+8-len(data)) * 8 & 63)
}

// escaped has the escapes of characters of one byte, the first byte lowest, with the number of
// bytes, at most six, in the highest one.
var escaped = func() (t [128]uint64) {
	for c := range t {
		text := []byte{'\\', 'u', '0', '0', HexDigits[c>>4], HexDigits[c&15]}
		switch c {
		case '"', '\\':
			text = []byte{'\\', byte(c)}
		case '\b':
			text = []byte(`\b`)
		case '\f':
			text = []byte(`\f`)
		case '\n':
			text = []byte(`\n`)
		case '\r':
			text = []byte(`\r`)
		case '\t':
			text = []byte(`\t`)
		}
		t[c] = uint64(len(text)) << 56
		for i, x := range text {
			t[c] |= uint64(x) << (8 * i)
		}
	}
	return t
}()

// always isn't an option, but set in all of them: some characters are always escaped.
const always option.Flags = 1 << 31

// needs has the options with which a character of one byte is escaped.
var needs = func() (t [256]option.Flags) {
	for c := range 0x80 {
		switch {
		case !ordinary[c]:
			t[c] = always
		case c == '<' || c == '>' || c == '&':
			t[c] = option.EscapeHTML
		}
	}
	return
}()

// AppendEscape appends the escape of a character of one byte, even if it doesn't need one.
func AppendEscape(b []byte, c byte) []byte {
	n := len(b)
	b = mem.Room(b, 8)
	mem.Put64(b, n, escaped[c])
	return b[:n+int(escaped[c]>>56)]
}

// fineThrees reports that two characters of three bytes each are valid, and not escaped with any
// option: no overlong form, no surrogate, neither U+2028 nor U+2029.
func fineThrees(w uint64) bool {
	const separators, mask = 0xa880e2a880e2, 0xfefffffeffff // U+2028 and U+2029
	x := w & threesLow
	return (x+threesOdd)&(x^threesHigh+threesOdd)&((w^separators)&mask+threesOdd)&threesTop == threesTop
}

// appendWide appends the characters from i on up to one of ASCII, or the end, and returns that
// position. It maintains the invariant of appendSpecial.
func appendWide(b, data []byte, i, end int, f option.Flags) ([]byte, int) {
	n := len(b)
	for i < end {
		for i+8 <= len(data) {
			w := mem.Load64(data, i)
			mem.Put64(b, n, w)
			switch {
			// The usual cases, two or four characters a word. The result has the same length.
			case w&threesMask == threes && fineThrees(w):
				i, n = i+6, n+6
				continue
			case w&twosMask == twos && (w&twosLow+twosOdd)&twosTop == twosTop:
				i, n = i+8, n+8
				continue
			}
			break
		}
		if i >= end {
			break
		}
		w := wordAt(data, i)
		mem.Put64(b, n, w)
		size := 0
		switch {
		case w&0xc0c0f0 == 0x8080e0: // three bytes: E0 A0 80 to EF BF BF, without surrogates
			if w&0x200f == 0 || w&0x200f == 0x200d {
				break
			}
			if w&0xfeffff == 0xa880e2 && f&option.EscapeJS != 0 {
				b = append(b[:n], '\\', 'u', '2', '0', '2', HexDigits[w>>16&15])
				i += 3
				n = len(b)
				b = mem.Room(b, end-i+2*textRoom)
				continue
			}
			size = 3
		case w&0xc0e0 == 0x80c0 && w&0x1e != 0: // two: C2 80 to DF BF
			size = 2
		case w&0xc0c0c0f8 == 0x808080f0: // four: F0 90 80 80 to F4 8F BF BF
			if hi := w&7<<2 | w>>12&3; hi != 0 && hi <= 16 {
				size = 4
			}
		case w&0x80 == 0: // ASCII
			return b[:n], i
		}
		if size == 0 {
			b = appendInvalid(b[:n], f)
			i++
			n = len(b)
			b = mem.Room(b, end-i+2*textRoom)
			continue
		}
		i, n = i+size, n+size
	}
	return b[:n], i
}

// appendInvalid appends the replacement of an invalid byte: U+FFFD, which the original
// encoding/json writes as an escape.
func appendInvalid(b []byte, f option.Flags) []byte {
	switch {
	case f&option.AllowInvalidUTF8 == 0:
		panic(UTF8Error{})
	case option.Classic && f&option.Legacy != 0:
		return append(b, `\ufffd`...)
	}
	return append(b, "\ufffd"...)
}

// Error returns the message of encoding/json/v2.
func (UTF8Error) Error() string { return "invalid UTF-8" }
