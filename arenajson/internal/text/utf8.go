package text

import (
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file checks UTF-8 beyond ASCII: a word at a time if all its characters have two or three
// bytes, and else one character at a time.

// A UTF8Error reports invalid UTF-8 in a string. Append panics with it.
type UTF8Error struct{}

// ErrUTF8 is a UTF8Error.
var ErrUTF8 error = UTF8Error{}

// The bits of two characters of three bytes, and of four of two, in a word; and masks for their
// first bytes, which must not be zero there.
const (
	threes, threesMask = 0x8080e08080e0, 0xc0c0f0c0c0f0
	threesLow          = 0x00200f00200f // 0 for E0 80 to E0 9F
	threesHigh         = 0x00200d00200d // for ED A0 to ED BF: surrogates
	threesOdd          = 0x7fffff7fffff // added to a nonzero value, it sets the highest bit
	threesTop          = 0x800000800000

	twos, twosMask = 0x80c080c080c080c0, 0xc0e0c0e0c0e0c0e0
	twosLow        = 0x001e001e001e001e // 0 for C0 and C1
	twosOdd        = 0x7fff7fff7fff7fff
	twosTop        = 0x8000800080008000
)

// SkipWide returns the end of the run of valid UTF-8 beyond ASCII from i on. It returns i if the
// first character isn't valid: an overlong form, a surrogate, a lone byte, or cut off.
func SkipWide(data []byte, i int) int {
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		// Two characters of three bytes each, or four of two, as in most alphabets.
		switch {
		case w&threesMask == threes:
			if t := w & threesLow; (t+threesOdd)&(t^threesHigh+threesOdd)&threesTop == threesTop {
				i += 6
				continue
			}
		case w&twosMask == twos:
			if (w&twosLow+twosOdd)&twosTop == twosTop {
				i += 8
				continue
			}
		}
		switch {
		case w&0xc0c0f0 == 0x8080e0: // three bytes: E0 A0 80 to EF BF BF, without surrogates
			if c := w&0x0f | w>>2&0x0800; c&0x080f == 0 || w&0x200f == 0x200d {
				return i
			}
			i += 3
		case w&0xc0e0 == 0x80c0 && w&0x1e != 0: // two: C2 80 to DF BF
			i += 2
		case w&0xc0c0c0f8 == 0x808080f0: // four: F0 90 80 80 to F4 8F BF BF
			if hi := w&7<<2 | w>>12&3; hi == 0 || hi > 16 {
				return i
			}
			i += 4
		default:
			return i
		}
	}
	for uint(i) < uint(len(data)) && data[i] >= 0x80 {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}
