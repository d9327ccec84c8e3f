package text

import (
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how UTF-8 beyond ASCII is checked: a word at a time, where that
// has characters of two or three bytes only, and else one character at a time.

// A UTF8Error says that a string isn't valid UTF-8. Append panics with it.
type UTF8Error struct{}

// ErrUTF8 is a UTF8Error.
var ErrUTF8 error = UTF8Error{}

// What two characters of three bytes, and four of two, look like in a word, and of what their first
// bytes must have a bit each.
const (
	threes, threesMask = 0x8080e08080e0, 0xc0c0f0c0c0f0
	threesLow          = 0x00200f00200f // in which E0 80 to E0 9F are 0
	threesHigh         = 0x00200d00200d // which are ED A0 to ED BF: surrogates
	threesOdd          = 0x7fffff7fffff // added to what isn't 0, it sets the highest bit
	threesTop          = 0x800000800000

	twos, twosMask = 0x80c080c080c080c0, 0xc0e0c0e0c0e0c0e0
	twosLow        = 0x001e001e001e001e // in which C0 and C1 are 0
	twosOdd        = 0x7fff7fff7fff7fff
	twosTop        = 0x8000800080008000
)

// SkipWide returns where the run of valid UTF-8 beyond ASCII from i on ends. It is
// i if what is there isn't valid: an overlong form, a surrogate, a lone byte, or
// cut off.
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
