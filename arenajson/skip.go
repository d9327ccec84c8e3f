package arenajson

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how values are skipped that nobody needs. They are checked all the same:
// their syntax, their UTF-8, and that names are unique.

// space returns where what follows the white space at i begins.
func space(data []byte, i int) int {
	if uint(i) < uint(len(data)) && data[i] > ' ' {
		return i
	}
	return spaceSlow(data, i)
}

func spaceSlow(data []byte, i int) int {
	if i+33 < len(data) && data[i] == '\n' {
		// Up to 32 spaces follow as a rule. Unrolled, each of these branches is predicted apart.
		j := i + 1
		x := mem.Load64(data, j) ^ ' '*lows
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*lows
		}
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*lows
		}
		if x == 0 {
			j += 8
			x = mem.Load64(data, j) ^ ' '*lows
		}
		if i = j + bits.TrailingZeros64(x)>>3; data[i] > ' ' {
			return i
		}
	}
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		x := w ^ ' '*lows
		if x == 0 {
			i += 8
			continue
		}
		n := bits.TrailingZeros64(x) >> 3
		i += n
		switch byte(w >> (8 * uint(n))) {
		case '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	for uint(i) < uint(len(data)) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// skip returns where the value at i ends, or -1 if it isn't valid.
func (d *reader) skip(i int) int {
	data := d.data
	if uint(i) >= uint(len(data)) {
		return -1
	}
	switch data[i] {
	case '"':
		return d.skipText(i)
	case '{':
		return d.skipObject(i)
	case '[':
		return d.skipArray(i)
	case 't':
		return skipWord(data, i, wordTrue)
	case 'f':
		return skipWord(data, i+1, wordFalse)
	case 'n':
		return skipWord(data, i, wordNull)
	}
	return skipNumber(data, i)
}

// The last four bytes of words.
const (
	wordTrue  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordFalse = 'a' | 'l'<<8 | 's'<<16 | 'e'<<24
	wordNull  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
)

// skipWord returns where a word ends of which the last four bytes are at i, or -1 if they aren't w.
func skipWord(data []byte, i int, w uint32) int {
	if i+4 > len(data) || mem.Load32(data, i) != w {
		return -1
	}
	return i + 4
}

// word returns where a word at i ends, or -1 if it isn't there.
func (d *reader) word(i int, w string) int {
	if len(d.data)-i < len(w) || string(d.data[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// skipNumber returns where the number at i ends, or -1.
func skipNumber(data []byte, i int) int {
	if uint(i) < uint(len(data)) && data[i] == '-' {
		i++
	}
	if uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
		return -1
	}
	if data[i] == '0' {
		i++
	} else {
		i = skipDigits(data, i)
	}
	if uint(i) < uint(len(data)) && data[i] == '.' {
		if i++; uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
			return -1
		}
		i = skipDigits(data, i)
	}
	if uint(i) < uint(len(data)) && data[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(data)) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if uint(i) >= uint(len(data)) || data[i]-'0' > 9 {
			return -1
		}
		i = skipDigits(data, i)
	}
	return i
}

func skipDigits(data []byte, i int) int {
	for i+8 <= len(data) {
		if m := notDigits(mem.Load64(data, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		i++
	}
	return i
}

// enter counts a level of nesting, and says whether there may be one more.
func (d *reader) enter() bool {
	d.depth--
	return d.depth >= 0
}

func (d *reader) skipArray(i int) int {
	if !d.enter() {
		return -1
	}
	data := d.data
	i = space(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.depth++
		return i + 1
	}
	for {
		if i = d.skip(i); i < 0 {
			return -1
		}
		i = space(data, i)
		switch {
		case uint(i) >= uint(len(data)):
			return -1
		case data[i] == ',':
			i = space(data, i+1)
		case data[i] == ']':
			d.depth++
			return i + 1
		default:
			return -1
		}
	}
}

func (d *reader) skipObject(i int) int {
	if !d.enter() {
		return -1
	}
	data := d.data
	i = space(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == '}' {
		d.depth++
		return i + 1
	}
	names := d.openNames()
	for {
		var ok bool
		if i, ok = d.skipName(&names, i); !ok {
			break
		}
		if i = d.skip(i); i < 0 {
			break
		}
		i = space(data, i)
		if uint(i) >= uint(len(data)) {
			break
		}
		if data[i] == ',' {
			i = space(data, i+1)
			continue
		}
		if data[i] != '}' {
			break
		}
		d.closeNames(&names)
		d.depth++
		return i + 1
	}
	d.closeNames(&names)
	return -1
}

// skipName reads the name at i, checks that it is new, and returns where its value begins.
func (d *reader) skipName(names *nameSet, i int) (int, bool) {
	start := i + 1
	if d.flags&allowDuplicateNames != 0 {
		i = d.skipText(i)
	} else {
		var name []byte
		name, i = d.text(i)
		if i >= 0 && !d.addName(names, name, start, !within(d.data, name, start)) {
			return 0, false
		}
	}
	if i < 0 {
		return 0, false
	}
	return d.colon(i)
}

// colon returns where the value behind a name begins that ends at i.
func (d *reader) colon(i int) (int, bool) {
	data := d.data
	if uint(i) < uint(len(data)) && data[i] != ':' {
		i = space(data, i)
	}
	if uint(i) >= uint(len(data)) || data[i] != ':' {
		return 0, false
	}
	return space(data, i+1), true
}

// within says whether a text that text returned for start is a part of the input.
func within(data, text []byte, start int) bool {
	return len(text) == 0 || &text[0] == &data[start]
}
