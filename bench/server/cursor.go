package server

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A cursor reads one line from left to right. The first thing that is wrong
// stays in what, and at says where; everything read afterwards is empty, so
// that callers look at what now and then and not after each step.
type cursor struct {
	line    []byte
	at      int
	what    string // is wrong; "" so far
	scratch []byte // for text with escapes
	used    int    // bytes of scratch that this line's texts take
}

func (c *cursor) start(line []byte) {
	c.line, c.at, c.what, c.used = line, 0, "", 0
}

// fail notes what is wrong at the present position.
func (c *cursor) fail(what string) {
	if c.what == "" {
		c.what = what
		c.line = c.line[:c.at] // nothing more to read
	}
}

// peek skips white space and returns the next byte, 0 at the end. A byte that
// is 0 itself is nowhere allowed.
func (c *cursor) peek() byte {
	for c.at < len(c.line) {
		switch b := c.line[c.at]; b {
		case ' ', '\t', '\r':
			c.at++
		case 0:
			c.fail("a zero byte")
		default:
			return b
		}
	}
	return 0
}

// accept skips b if it is what comes next.
func (c *cursor) accept(b byte) bool {
	if c.at < len(c.line) && c.line[c.at] == b || c.peek() == b {
		c.at++
		return true
	}
	return false
}

// quoted reads a text in quotes, with JSON's escapes. The result is a part of
// the line or of the scratch buffer: it is good until the next line, and must be
// copied to be kept.
func (c *cursor) quoted() []byte {
	if !c.accept('"') {
		c.fail(`a text in quotes should be here`)
		return nil
	}
	text := c.line[c.at:]
	n := plain(text)
	if n < len(text) && text[n] == '"' {
		c.at += n + 1
		return text[:n]
	}
	c.at += n
	return c.unescape(c.at - n)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns how many bytes of a text come before a quote, a backslash or
// a control character. It looks at eight at a time: of each kind that it looks
// for, a byte becomes one with its highest bit set.
func plain(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if hit := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= ' ' {
		i++
	}
	return i
}

// unescape reads the rest of a text whose beginning, up to c.at, is plain.
func (c *cursor) unescape(begin int) []byte {
	// Texts of the same line stay where they are when the buffer grows: in the
	// old one.
	out := append(c.scratch[c.used:c.used], c.line[begin:c.at]...)
	for c.at < len(c.line) && c.what == "" {
		switch b := c.line[c.at]; {
		case b == '"':
			c.at++
			if room := cap(c.scratch) - c.used; cap(out) != room {
				c.scratch, c.used = out[:0:cap(out)], 0
			}
			c.used += len(out)
			return out[:len(out):len(out)]
		case b == '\\':
			c.at++
			out = c.escape(out)
		case b < ' ':
			c.fail("a control character in a text")
		default:
			n := plain(c.line[c.at:])
			out = append(out, c.line[c.at:c.at+n]...)
			c.at += n
		}
	}
	c.fail("a text without an end")
	return nil
}

// escape reads what follows a backslash.
func (c *cursor) escape(out []byte) []byte {
	if c.at >= len(c.line) {
		return out
	}
	b := c.line[c.at]
	c.at++
	switch b {
	case '"', '\\', '/':
		return append(out, b)
	case 'n':
		return append(out, '\n')
	case 't':
		return append(out, '\t')
	case 'r':
		return append(out, '\r')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'u':
		return utf8.AppendRune(out, c.escapedRune())
	}
	c.at--
	c.fail("an unknown escape")
	return out
}

// escapedRune reads the digits of \u, and those of a second one where two make
// up one character.
func (c *cursor) escapedRune() rune {
	r := rune(c.hex(4))
	if !utf16.IsSurrogate(r) {
		return r
	}
	if rest := c.line[c.at:]; len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		before := c.at
		c.at += 2
		if both := utf16.DecodeRune(r, rune(c.hex(4))); both != utf8.RuneError {
			return both
		}
		c.at = before
	}
	return utf8.RuneError
}

// hex reads n hexadecimal digits.
func (c *cursor) hex(n int) (v uint64) {
	for range n {
		if c.at >= len(c.line) {
			c.fail("a hexadecimal digit should be here")
			return 0
		}
		d := hexDigit[c.line[c.at]]
		if d > 15 {
			c.fail("a hexadecimal digit should be here")
			return 0
		}
		v = v<<4 | uint64(d)
		c.at++
	}
	return v
}

// hexDigit has each digit's value, and more than 15 for what isn't one.
var hexDigit = func() (t [256]byte) {
	for b := range t {
		t[b] = 255
	}
	for i, b := range hexDigits {
		t[b] = byte(i)
		t[unicode.ToUpper(b)] = byte(i)
	}
	return t
}()
