package number

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file writes floats as ECMAScript does, which encoding/json follows. Exponents are used below
// 1e-6 and from 1e21 on.

// AppendFloat64 appends f: shortest finds its digits, and digits17 places the point. Integers up to
// 1e15 are written as such. b needs no room. It panics with NotFinite for infinities and NaN, so
// that its callers need no error result.
func AppendFloat64(b []byte, f float64) []byte {
	b = mem.Room(b, Room)
	u := math.Float64bits(f)
	if i := int64(f); float64(i) == f && -1e15 < f && f < 1e15 && (i != 0 || u == 0) {
		return AppendInt(b, i)
	}
	exp := int(u >> 52 & 0x7ff)
	if exp == 0x7ff {
		panic(NotFinite{f, 64})
	}
	c := u & (1<<52 - 1)
	edge := uint(0)
	if c == 0 {
		edge = 1
	}
	tens, last, k, ok := shortest(c|1<<52, exp-1075, edge)
	// Subnormal floats have no implicit bit, and shortest doesn't support them.
	if !ok || exp == 0 {
		return appendFloat(b, f, 64)
	}
	if f < 0 {
		n := len(b)
		b = b[:n+1]
		b[n] = '-'
	}
	// The sixteen digits of tens, and the last. If the first is a zero, all move up by one.
	high := tens / 1e8
	d := digits17{spread(high), spread(tens - high*1e8), last}
	if d.first&0xff == 0 {
		d = digits17{d.first>>8 | d.second<<56, d.second>>8 | last<<56, 0}
		k--
	}
	return d.append(b, k+17)
}

// AppendFloat32 is AppendFloat64 for a float32, which needs fewer digits, nine at most.
func AppendFloat32(b []byte, f float32) []byte {
	b = mem.Room(b, Room)
	u := math.Float32bits(f)
	if i := int64(f); -1<<24 < i && i < 1<<24 && float32(i) == f && (i != 0 || u == 0) {
		return AppendInt(b, i)
	}
	exp := int(u >> 23 & 0xff)
	if exp == 0xff {
		panic(NotFinite{float64(f), 32})
	}
	c := uint64(u & (1<<23 - 1))
	edge := uint(0)
	if c == 0 {
		edge = 1
	}
	tens, last, k, ok := shortest(c|1<<23, exp-150, edge)
	if !ok || exp == 0 {
		return appendFloat(b, float64(f), 32)
	}
	if f < 0 {
		n := len(b)
		b = b[:n+1]
		b[n] = '-'
	}
	first := spread(tens)
	zero := uint(bits.TrailingZeros64(first)) &^ 7
	return digits17{first>>zero | last<<(64-zero), last >> zero, 0}.append(b, k+9-int(zero>>3))
}

// digits17 are the 17 digits of a float as numbers from 0 to 9, the first in the lowest byte of
// first; last has only one. The first digit isn't zero; zeros at the end don't count.
type digits17 struct{ first, second, last uint64 }

// append appends the digits, with the point behind the first point digits: 0 or less means that
// many zeros behind "0.", more than there are digits means zeros at the end, and beyond that it
// writes an exponent. There must be Room.
func (d digits17) append(b []byte, point int) []byte {
	n := len(b)
	size := 17
	if d.last == 0 {
		size = 16 - bits.LeadingZeros64(d.second)>>3
		if d.second == 0 {
			size = 8 - bits.LeadingZeros64(d.first)>>3
		}
	}
	first, second, last := d.first|zeros, d.second|zeros, d.last|'0'
	switch {
	case 0 < point && point < 8 && point < size:
		d.pointed(b, n, point)
		return b[:n+size+1]
	// "0.00000" in one word, and the digits over its surplus.
	case -6 < point && point <= 0:
		mem.Put64(b, n, zeros^('0'^'.')<<8)
		n += 2 - point
		mem.Put64(b, n, first)
		mem.Put64(b, n+8, second)
		mem.Put64(b, n+16, last)
		return b[:n+size]
	case 0 < point && point <= 21:
		mem.Put64(b, n, first)
		mem.Put64(b, n+8, second)
		mem.Put64(b, n+16, last|zeros)
		if point >= size {
			return b[:n+point]
		}
		b = b[:n+size+1]
		// Too long for pointed: move the digits behind the point by one.
		copy(b[n+point+1:], b[n+point:])
		b[n+point] = '.'
		return b
	}
	if size == 1 {
		b = b[:n+1]
		b[n] = byte(first)
	} else {
		d.pointed(b, n, 1)
		b = b[:n+size+1]
	}
	return appendExponent(b, point-1)
}

// pointed writes the digits at b[n:] with the point behind the first few, seven at most: it splits
// the words there, and shifts the rest by a byte.
func (d digits17) pointed(b []byte, n, point int) {
	first, second := d.first|zeros, d.second|zeros
	shift := uint(point) * 8 & 63
	whole := uint64(1)<<shift - 1
	mem.Put64(b, n, first&whole|'.'<<shift|first&^whole<<8)
	mem.Put64(b, n+8, first>>56|second<<8)
	mem.Put64(b, n+16, second>>56|(d.last|'0')<<8)
}

// appendExponent appends e, an exponent with its sign, and no zeros in front of it.
func appendExponent(b []byte, exp int) []byte {
	if exp < 0 {
		return AppendUint(append(b, 'e', '-'), uint64(-exp))
	}
	return AppendUint(append(b, 'e', '+'), uint64(exp))
}

// appendFloat is for the floats that shortest isn't sure about. It gets the digits from strconv,
// and changes the exponent to ECMAScript's form.
func appendFloat(b []byte, f float64, size int) []byte {
	abs := math.Abs(f)
	if f == 0 || size == 64 && (abs >= 1e-6 && abs < 1e21) ||
		size == 32 && (float32(abs) >= 1e-6 && float32(abs) < 1e21) {
		return strconv.AppendFloat(b, f, 'f', -1, size)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, size)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 becomes e-9
		b = b[:n-1]
	}
	return b
}

// NotFinite is the panic value of AppendFloat64 and AppendFloat32 for floats that JSON has no
// number for.
type NotFinite struct {
	F    float64
	Size int // bits
}
