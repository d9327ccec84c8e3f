package number

import (
	"math/bits"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file finds the float nearest to a decimal. Each function reports whether it is sure, and its
// caller has a slower one for the other cases.

// QuickFloat reads the most usual kind of number: up to seven digits, a point, and up to sixteen
// more. It returns an end of -1 for all others, and near the end of the input.
//
// It loads words without bounds checks: 40 bytes must be left, for the longest number that it
// accepts with its sign and point, and one word more.
func QuickFloat(data []byte, i int) (f float64, end int) {
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
	// The digits before the point, shifted to the end of the word.
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
	if j == point || byte(w>>n)|0x20 == 'e' || j-i > 20 { // up to 19 digits and the point are exact
		return 0, -1
	}
	e := point - j
	// Both the digits and the power of ten are exact as floats: one division rounds once.
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

// Float64 returns the float64 nearest to d. ok is false if it isn't sure: with more than 19 digits,
// for subnormal floats, for those out of range, and very near the middle of two.
func (d decimal) Float64() (f float64, ok bool) {
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

// Float32 returns the float32 nearest to d. ok is false if it isn't sure: it is sure only for short
// numbers near one, those that fit 24 bits, scaled by at most 10^10.
func (d decimal) Float32() (f float32, ok bool) {
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

// ManyDigits is Float64 for the number from i to end in data, with more than 19 digits: if its
// first 19 digits and the next larger ones lead to the same float, so does every number between.
func (d decimal) ManyDigits(data []byte, i, end int) (f float64, ok bool) {
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
