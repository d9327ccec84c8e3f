package arenajson

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

//go:generate go run ./internal/genpowers

// This file holds how numbers are read: eight digits at a time, and floats by Eisel and
// Lemire's method (Lemire, Number Parsing at a Gigabyte per Second, 2021). What it can't
// decide goes to strconv.

const (
	zeros    = 0x3030303030303030 // "00000000"
	aboveNi  = 0x7676767676767676 // added to a byte above 9, it sets the highest bit
	highBits = 0x8080808080808080 // of each byte
)

// notDigits returns the highest bit of each byte of w that isn't a digit; of those above
// the lowest such byte nothing is known.
func notDigits(w uint64) uint64 {
	w ^= zeros
	return (w + aboveNi | w) & highBits
}

// eight returns the number of eight digits, the first in the lowest byte.
func eight(w uint64) uint64 {
	w -= zeros
	w = w*10 + w>>8
	return (w&0x000000ff000000ff*0x000f424000000064 + w>>16&0x000000ff000000ff*0x0000271000000001) >> 32
}

// tens are the powers of ten that fit a uint64.
var tens = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// digits reads digits from i on, puts them behind those of u, and returns where they end.
// With more than 19 digits in all, the result is the lowest 64 bits of the number.
func digits(data []byte, i int, u uint64) (uint64, int) {
	for i+8 <= len(data) {
		w := mem.Load64(data, i)
		m := notDigits(w)
		if m == 0 {
			u = u*1e8 + eight(w)
			i += 8
			continue
		}
		n := uint(bits.TrailingZeros64(m)) &^ 7 // bits of digits
		if n == 0 {
			return u, i
		}
		w = w<<(64-n) | zeros>>n
		return u*tens[n>>3] + eight(w), i + int(n>>3)
	}
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		u = u*10 + uint64(data[i]-'0')
		i++
	}
	return u, i
}

// A decimal is what a JSON number says.
type decimal struct {
	mantissa uint64 // of all digits, if they are 19 at most
	exp      int    // of ten
	digits   int    // from the first that isn't zero on, those of the exponent aside
	neg      bool
}

// readDecimal reads the number at i, and returns where it ends, or -1 if it isn't one.
func readDecimal(data []byte, i int) (d decimal, end int) {
	if uint(i) < uint(len(data)) && data[i] == '-' {
		d.neg = true
		i++
	}
	if uint(i) >= uint(len(data)) {
		return d, -1
	}
	if c := data[i]; c == '0' {
		i++
	} else if c-'1' <= 8 {
		start := i
		d.mantissa, i = digits(data, i, 0)
		d.digits = i - start
	} else {
		return d, -1
	}
	if uint(i) < uint(len(data)) && data[i] == '.' {
		i++
		point := i
		if d.mantissa == 0 {
			for uint(i) < uint(len(data)) && data[i] == '0' {
				i++
			}
		}
		d.digits -= i
		d.mantissa, i = digits(data, i, d.mantissa)
		d.digits += i
		if i == point {
			return d, -1
		}
		d.exp = point - i
	}
	if uint(i) < uint(len(data)) && data[i]|0x20 == 'e' {
		return d.exponent(data, i+1)
	}
	return d, i
}

// quickFloat reads the most usual kind of number: up to seven digits, a point, and up to sixteen
// more. It returns an end of -1 for all others, and near the end of the input.
func quickFloat(data []byte, i int) (f float64, end int) {
	if len(data)-i < 40 {
		return 0, -1
	}
	j := i
	if data[i] == '-' {
		j++
	}
	w := mem.Load64(data, j)
	n := uint(bits.TrailingZeros64(notDigits(w))) &^ 7 // bits of digits
	if n == 0 || n == 64 || byte(w>>n) != '.' || byte(w) == '0' && n > 8 {
		return 0, -1
	}
	u := eight(w<<(64-n) | zeros>>n)
	point := j + int(n>>3) + 1
	j = point
	for {
		w = mem.Load64(data, j)
		m := notDigits(w)
		if m != 0 {
			n = uint(bits.TrailingZeros64(m)) &^ 7
			break
		}
		if j-point >= 8 {
			return 0, -1
		}
		u = u*1e8 + eight(w)
		j += 8
	}
	if n > 0 {
		u = u*tens[n>>3] + eight(w<<(64-n)|zeros>>n)
		j += int(n >> 3)
	}
	if j == point || byte(w>>n)|0x20 == 'e' || j-i > 20 { // 19 digits and the point are exact in any case
		return 0, -1
	}
	e := point - j
	if u>>53 == 0 {
		f = float64(u) / exact[-e]
	} else {
		var ok bool
		if f, ok = nearest(u, e); !ok {
			return 0, -1
		}
	}
	if data[i] == '-' {
		f = -f
	}
	return f, j
}

// exponent reads what follows an e.
func (d decimal) exponent(data []byte, i int) (decimal, int) {
	neg := false
	if uint(i) < uint(len(data)) && (data[i] == '+' || data[i] == '-') {
		neg = data[i] == '-'
		i++
	}
	start, e := i, 0
	for uint(i) < uint(len(data)) && data[i]-'0' <= 9 {
		if e < 1e6 {
			e = e*10 + int(data[i]-'0')
		}
		i++
	}
	if i == start {
		return d, -1
	}
	if neg {
		e = -e
	}
	d.exp += e
	return d, i
}

// float64 returns the float64 nearest to d. It isn't sure if ok is false.
func (d decimal) float64() (f float64, ok bool) {
	if d.digits > 19 {
		return 0, false
	}
	if d.mantissa>>53 == 0 && -22 <= d.exp && d.exp <= 22 { // exact, as are powers of ten up to 22
		f = float64(d.mantissa)
		if d.exp < 0 {
			f /= exact[-d.exp]
		} else {
			f *= exact[d.exp]
		}
	} else if f, ok = nearest(d.mantissa, d.exp); !ok {
		return 0, false
	}
	if d.neg {
		f = -f
	}
	return f, true
}

// float32 returns the float32 nearest to d. It isn't sure if ok is false.
func (d decimal) float32() (f float32, ok bool) {
	if d.digits > 19 || d.mantissa>>24 != 0 || d.exp < -10 || d.exp > 10 {
		return 0, false
	}
	f = float32(d.mantissa) // exact, as are powers of ten up to 10
	if d.exp < 0 {
		f /= float32(exact[-d.exp])
	} else {
		f *= float32(exact[d.exp])
	}
	if d.neg {
		f = -f
	}
	return f, true
}

// manyDigits is float64 for the number from i to end, which has more than 19 digits: if the first
// 19 of them lead to the same float as the next larger ones, so does what lies between.
func (d decimal) manyDigits(data []byte, i, end int) (f float64, ok bool) {
	var u uint64
	n, exp := 0, d.exp
	left := d.digits
	for ; i < end && data[i]|0x20 != 'e'; i++ {
		c := data[i] - '0'
		if c > 9 || c == 0 && n == 0 {
			continue // the sign, the point, zeros in front
		}
		if left--; n < 19 {
			u = u*10 + uint64(c)
			n++
		} else {
			exp++
		}
	}
	f, ok = nearest(u, exp)
	g, ok2 := nearest(u+1, exp)
	if !ok || !ok2 || f != g || left != 0 {
		return 0, false
	}
	if d.neg {
		f = -f
	}
	return f, true
}

var exact = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// nearest returns the float64 nearest to u times ten to the e, unless it is subnormal, too
// large, or so near to the middle of two that 128 bits of the power of ten don't tell.
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
	const below = 1<<9 - 1 // what lies below the 55 bits that decide
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
	if lo == 0 && hi&below == 0 && m&3 == 1 {
		return 0, false
	}
	// 217706/65536 is the logarithm of 10 to base 2, exact enough for these exponents.
	exp := uint64(e*217706>>16+64+1023-shift) - (top ^ 1)
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

// parseFloat returns the float nearest to the number in b, of so many bits, or an error if
// it is out of range.
func parseFloat(b []byte, size int) (float64, error) {
	f, err := strconv.ParseFloat(mem.String(b), size)
	if err != nil {
		return f, strconv.ErrRange
	}
	return f, nil
}
