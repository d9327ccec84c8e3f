// Package wire reads the elements of the wire format: varints, lengths and text. Its functions depend on
// bytes alone. The decoder reads the short forms itself, without a call; the others are here.
//
// A message is a sequence of fields, in any order. A field is a tag (the number of the field and the wire
// type) and a value:
//
//	08        96 01                  field 1, a varint: 150
//	15        00 00 80 3f            field 2, 4 bytes: a float, 1
//	1a 07     74 65 73 74 69 6e 67   field 3, 7 bytes: "testing", or a message, or a packed list
//	23 ... 24                        field 4, a group: a message between two tags
//
// A varint is a number with seven bits in each byte, the lowest first. All bytes but the last have the high
// bit. Tags and lengths are varints.
//
// A function gets the input b and an offset, and returns the offset of the end, or -1 if the input is
// malformed. The input ends at len(b). Bytes up to cap(b) may be loaded, so that words can be loaded near the
// end, but they mean nothing (fact D of package mem).
package wire

import (
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// Wire types, the lowest three bits of a tag.
const (
	TypeVarint = iota
	TypeFixed64
	TypeBytes
	TypeGroup
	TypeEnd
	TypeFixed32
)

// The lowest and the highest bit of each byte of a word.
const (
	lows  = 0x0101010101010101
	Highs = 0x8080808080808080
)

// Varint reads the varint at i, and returns its end, or -1. It tests eight bytes together: the first one
// without its high bit is the last of the varint.
func Varint(b []byte, i int) (v uint64, end int) {
	if i+8 > cap(b) || i < 0 {
		return varintSlow(b, i)
	}
	w := mem.Load64(b, i)
	m := ^w & Highs
	if m == 0 {
		return varintSlow(b, i)
	}
	if i += bits.TrailingZeros64(m)>>3 + 1; i > len(b) {
		return 0, -1
	}
	return Squeeze(w, m), i
}

// Squeeze returns the number of the varint in w, the first byte lowest. The lowest bit in m is the high bit of
// the varint's last byte. If m is 0, all bytes belong to the varint.
//
// Each byte has seven bits of the number. The three steps join two bytes to 14 bits, two of these to 28,
// and two of those to 56.
func Squeeze(w, m uint64) uint64 {
	w &= (m ^ (m - 1)) & 0x7f7f7f7f7f7f7f7f
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	return w&0x0fffffff | w&0x0fffffff00000000>>4
}

// varintSlow is Varint byte by byte, for the end of the input and for 9 and 10 bytes.
//
//go:noinline
func varintSlow(b []byte, i int) (v uint64, end int) {
	if i < 0 || i > len(b) {
		return 0, -1
	}
	v, n := protowire.ConsumeVarint(b[i:])
	if n < 0 {
		return 0, -1
	}
	return v, i + n
}

// LongTag reads the tag at i, which has more than one byte. It returns 0, which isn't a valid tag, for a tag
// that is too large or malformed.
func LongTag(b []byte, i int) (tag uint, end int) {
	if i+1 < len(b) && b[i+1] < 0x80 {
		return uint(b[i]&0x7f) | uint(b[i+1])<<7, i + 2
	}
	v, end := Varint(b, i)
	if end < 0 || v > 1<<32-1 {
		return 0, i
	}
	return uint(v), end
}

// Length reads the length at i, and returns its end, or -1 if fewer bytes follow.
func Length(b []byte, i int) (n, end int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		n, end = int(b[i]), i+1
	} else {
		n, end = LongLength(b, i)
	}
	if n > len(b)-end {
		return 0, -1
	}
	return n, end
}

// LongLength is Length for more than one byte, without the comparison. For a malformed length it returns
// math.MaxInt, which is too large for any input.
func LongLength(b []byte, i int) (n, end int) {
	if i+1 < len(b) && b[i+1] < 0x80 {
		return int(b[i]&0x7f) | int(b[i+1])<<7, i + 2
	}
	v, end := Varint(b, i)
	if end < 0 || v > uint64(len(b)) {
		return math.MaxInt, 0
	}
	return int(v), end
}

// Valid reports whether the n bytes of b from i on, which are within b, are valid UTF-8. Most text is ASCII,
// and is tested eight bytes at a time: the last bytes together with bytes before them, and text of fewer than
// eight bytes together with bytes after it.
func Valid(b []byte, i, n int) bool {
	if n < 8 {
		return i+8 <= cap(b) && IsShortASCII(b, i, n) || validSlow(b, i, n)
	}
	return IsASCII(b, i, n) || validSlow(b, i, n)
}

// IsShortASCII is IsASCII for fewer than 8 bytes, where 8 may be loaded.
func IsShortASCII(b []byte, i, n int) bool {
	return mem.Load64(b, i)&(1<<(8*uint(n))-1)&Highs == 0
}

// IsASCII reports whether the n bytes of b from i on, at least 8 and within b, are ASCII. The last word may
// overlap the one before.
func IsASCII(b []byte, i, n int) bool {
	last := i + n - 8
	w := mem.Load64(b, last)
	for ; i < last; i += 8 {
		w |= mem.Load64(b, i)
	}
	return w&Highs == 0
}

// validSlow is a function of its own, to be Valid's only call.
//
//go:noinline
func validSlow(b []byte, i, n int) bool { return utf8.Valid(b[i : i+n]) }

// VarintsIn returns the number of varints that end in the n bytes of b from i on, which are within b: the
// number of bytes without the high bit.
func VarintsIn(b []byte, i, n int) int {
	count, end := 0, i+n
	for ; i+8 <= end; i += 8 {
		count += bits.OnesCount64(^mem.Load64(b, i) & Highs)
	}
	for ; i < end; i++ {
		if b[i] < 0x80 {
			count++
		}
	}
	return count
}

// Unzigzag32 returns the signed number of 32 bits whose zigzag encoding, with the sign as the lowest bit, is v.
func Unzigzag32(v uint64) uint32 { return uint32(v)>>1 ^ -(uint32(v) & 1) }

// Unzigzag64 is Unzigzag32 for 64 bits.
func Unzigzag64(v uint64) uint64 { return v>>1 ^ -(v & 1) }
