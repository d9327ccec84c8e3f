package number

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how the digits of numbers are written: eight at a time, by arithmetic on the bytes
// of a word, and without a branch for how many there are.

// Room is how much room behind b's length those need that write a number: 8 bytes more than
// the longest, -0.00000 and 17 digits, since they write words.
const Room = 40

// spread returns the eight digits of u, below 1e8, as numbers from 0 to 9, the first in the lowest
// byte. It is the reverse of eight.
func spread(u uint64) uint64 {
	high := u * 109951163 >> 40 // u / 10000, for all such u
	u = high | (u-high*10000)<<32
	high = u * 10486 >> 20 & 0x7f0000007f // the hundreds of each half
	u = high | (u-high*100)<<16
	high = u * 103 >> 10 & 0x000f000f000f000f
	return high | (u-high*10)<<8
}

// AppendUint appends u. There must be digitsRoom.
func AppendUint(b []byte, u uint64) []byte {
	switch {
	case u < 1e8:
		return few(b, u)
	case u < 1e16:
		high := u / 1e8
		b = few(b, high)
		return eightMore(b, u-high*1e8)
	}
	high := u / 1e8
	top := high / 1e8
	b = few(b, top)
	b = eightMore(b, high-top*1e8)
	return eightMore(b, u-high*1e8)
}

// AppendInt is appendUint for numbers that may be negative.
func AppendInt(b []byte, i int64) []byte {
	if i >= 0 {
		return AppendUint(b, uint64(i))
	}
	n := len(b)
	b = b[:n+1]
	b[n] = '-'
	return AppendUint(b, -uint64(i))
}

// few is appendUint for what is below 1e8.
func few(b []byte, u uint64) []byte {
	n := len(b)
	if u < 10 {
		b = b[:n+1]
		b[n] = '0' + byte(u)
		return b
	}
	w := spread(u)
	zero := uint(bits.TrailingZeros64(w)) & 56
	mem.Put64(b, n, (w|zeros)>>zero)
	return b[:n+8-int(zero>>3)]
}

// eightMore appends eight digits.
func eightMore(b []byte, u uint64) []byte {
	n := len(b)
	mem.Put64(b, n, spread(u)|zeros)
	return b[:n+8]
}
