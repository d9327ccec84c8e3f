package number

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file rounds a decimal to the nearest float, by Eisel and Lemire's method (Lemire, Number
// Parsing at a Gigabyte per Second, 2021). It multiplies the digits by 128 bits of the power of
// ten. The product has the 53 bits of the float and those that decide about rounding, unless the
// bits below are all ones or exactly half.

// tens are the powers of ten that fit a uint64, by their exponents.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// exact are the powers of ten that a float64 holds exactly, by their exponents.
var exact = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// nearest returns the float64 nearest to u times ten to the e, unless it is subnormal, too large,
// or too near to the middle of two for 128 bits of the power of ten.
func nearest(u uint64, e int) (f float64, ok bool) {
	if u == 0 {
		return 0, true
	}
	if e < minPower || e > maxPower {
		return 0, false
	}
	shift := bits.LeadingZeros64(u)
	u <<= uint(shift)
	power := &powers[e-minPower]
	hi, lo := bits.Mul64(u, power[0])
	const below = 1<<9 - 1 // the bits below the 55 that decide
	// The lower half of the power could carry into the bits that decide: multiply by it too.
	if hi&below == below && lo+u < lo {
		hi2, lo2 := bits.Mul64(u, power[1])
		var carry uint64
		lo, carry = bits.Add64(lo, hi2, 0)
		hi += carry
		if hi&below == below && lo+1 == 0 && lo2+u < lo2 {
			return 0, false
		}
	}
	top := hi >> 63
	m := hi >> (9 + top) // 54 bits
	// Exactly the middle of two floats, as far as known: to even or up?
	if lo == 0 && hi&below == 0 && m&3 == 1 {
		return 0, false
	}
	// 217706/65536 is the logarithm of 10 to base 2, exact enough for these exponents.
	exp := uint64(e*217706>>16+64+1023-shift) - (top ^ 1)
	// Round to nearest. If that gives another bit, the result is a power of two.
	m = (m + m&1) >> 1
	if m>>53 != 0 {
		m >>= 1
		exp++
	}
	if exp-1 >= 0x7ff-1 {
		return 0, false
	}
	return math.Float64frombits(exp<<52 | m&(1<<52-1)), true
}

// ParseFloat returns the float nearest to the number in b, with size bits, or ErrRange if that is
// infinite. b must be a valid number.
func ParseFloat(b []byte, size int) (float64, error) {
	f, err := strconv.ParseFloat(mem.String(b), size)
	if err != nil {
		return f, strconv.ErrRange
	}
	return f, nil
}
