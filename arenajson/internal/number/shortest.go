package number

import (
	"math/bits"
)

// This file finds the decimal for a float: the shortest that reads back as the float, and of
// several the nearest to it. The interval of the decimals that read back, scaled to the last digit
// that can be needed, is computed with one multiplication of 128 bits, as in Schubfach (Giulietti,
// The Schubfach way to render doubles, 2020), with the powers of ten that reading uses.
//
// A float c * 2^q has neighbours at a distance of 2^q, and 10^k is the largest power of ten up to
// that. Divided by 10^k, the float is s, and the numbers that read back as it lie within u/2 of s,
// with u = 2^q / 10^k from 1 to 10. So at most one of them is a multiple of ten. If there is one it
// is shortest, since all shorter ones are multiples of ten; else the integer nearest to s is.

// shortest returns the decimal for c * 2^q as (tens*10 + last) * 10^k; last is zero if possible.
// edge is 1 for powers of two, whose lower neighbour is half as far, else 0. ok is false if it
// isn't sure: for the smallest floats, and where the decimal is too near to an end of the interval,
// or to the middle between two, for the computed bits.
func shortest(c uint64, q int, edge uint) (tens, last uint64, k int, ok bool) {
	k = q * 315653 >> 20 // the logarithm of 2 to base 10
	if -k > maxPower {
		return 0, 0, 0, false
	}
	power := &powers[-k-minPower]
	// 217706/65536 is the logarithm of 10 to base 2. The sum is from 1 to 4, since u is from 1 to 10.
	shift := uint(q+-k*217706>>16+1) & 7
	hi, mid := bits.Mul64(c<<shift, power[0])
	mid2, _ := bits.Mul64(c<<shift, power[1])
	lo, carry := bits.Add64(mid, mid2, 0)
	hi += carry // s is hi and lo/2^64, or up to 2/2^64 more

	tens = hi / 10
	digit := hi - tens*10
	// The distance of s from the multiple of ten below, and the half of u, in units of 2^-60:
	// exact, or up to 1.2 too large.
	above := digit<<60 | lo>>4
	half := power[0] >> ((5 - shift) & 7)
	down := half >> (edge & 1)
	const ten = 10 << 60
	if above-down+2 <= 4 || above+half-ten+4 <= 8 {
		return 0, 0, 0, false
	}
	// Which of the two multiples of ten a short decimal is can't be predicted, so there is no
	// branch.
	_, isBelow := bits.Sub64(above, down, 0)
	_, isAbove := bits.Sub64(ten, above+half, 0)
	if isBelow|isAbove != 0 {
		return tens + isAbove, 0, k, true
	}
	if edge != 0 || lo-1<<63+4 <= 8 {
		return 0, 0, 0, false
	}
	return tens, digit + lo>>63, k, true // not ten: that would be within half of a multiple
}
