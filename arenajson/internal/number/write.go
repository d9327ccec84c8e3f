package number

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file writes the digits of integers: eight at a time, by arithmetic on the bytes of a word,
// and without a branch for their number. It stores whole words, so some bytes behind the result are
// overwritten. Callers must provide that room.

// Room is the capacity behind b's length that appending a number needs: 8 bytes more than the
// longest, -0.00000 and 17 digits, since it is written in words.
const Room = 40

// spread returns the eight digits of u, which is below 1e8, as numbers from 0 to 9, the first in
// the lowest byte. It is the reverse of eight: it divides both halves by 100 and then by 10 at
// once, each time by a multiplication and a shift, which are exact for these numbers.
func spread(u uint64) uint64 {
	high := u * 109951163 >> 40 // u / 10000, for all such u
	u = high | (u-high*10000)<<32
	high = u * 10486 >> 20 & 0x7f0000007f // the hundreds of each half
	u = high | (u-high*100)<<16
	high = u * 103 >> 10 & 0x000f000f000f000f
	return high | (u-high*10)<<8
}

// AppendUint appends u in decimal. There must be Room.
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

// AppendInt appends i in decimal, with a minus if it is negative. There must be Room.
func AppendInt(b []byte, i int64) []byte {
	if i >= 0 {
		return AppendUint(b, uint64(i))
	}
	n := len(b)
	b = b[:n+1]
	b[n] = '-'
	return AppendUint(b, -uint64(i))
}

// few is AppendUint for u below 1e8: it shifts the zeros in front out of the word.
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

// eightMore appends the digits of u, which is below 1e8, with leading zeros up to eight.
func eightMore(b []byte, u uint64) []byte {
	n := len(b)
	mem.Put64(b, n, spread(u)|zeros)
	return b[:n+8]
}
