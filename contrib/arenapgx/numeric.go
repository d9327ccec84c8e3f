package arenapgx

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"github.com/harena-go/arena"
)

// A decimal is coef * 10^exp.
type decimal struct {
	coef int64
	exp  int // from -maxExp to maxExp
}

const maxExp = 20

// decimalOf returns a numeric in binary format as pgx does, or false if its digits don't fit into an int64.
func decimalOf(src []byte) (d decimal, ok bool) {
	if len(src) < 8 {
		return d, false
	}
	digits := int(binary.BigEndian.Uint16(src)) // each is one of 10,000
	weight := int(int16(binary.BigEndian.Uint16(src[2:])))
	sign := binary.BigEndian.Uint16(src[4:])
	scale := int(int16(binary.BigEndian.Uint16(src[6:])))
	if digits > 4 || len(src) != 8+2*digits || sign != 0 && sign != 0x4000 {
		return d, false
	}
	if digits == 0 {
		return d, true
	}
	for i := range digits {
		digit := binary.BigEndian.Uint16(src[8+2*i:])
		if digit > 9999 {
			return d, false
		}
		d.coef = d.coef*10_000 + int64(digit)
	}
	d.exp = (weight - digits + 1) * 4
	if scale > 0 { // the number of digits to show after the point
		for have := (digits - weight - 1) * 4; have != scale; {
			switch {
			case have > scale+maxExp || have < scale-maxExp || d.coef > math.MaxInt64/10:
				return d, false
			case have > scale:
				d.coef /= 10
				d.exp++
				have--
			default:
				d.coef *= 10
				d.exp--
				have++
			}
		}
	}
	for d.exp >= 0 && d.coef != 0 && d.coef%10 == 0 {
		d.coef /= 10
		d.exp++
	}
	if sign != 0 {
		d.coef = -d.coef
	}
	return d, d.exp <= maxExp && d.exp >= -maxExp
}

// bigInt returns v, with its words allocated from the arena.
func bigInt(a *arena.Arena, v int64) *big.Int {
	i := arena.New[big.Int](a)
	if bits.UintSize != 64 || v == 0 || a == nil {
		return i.SetInt64(v)
	}
	words := arena.MakeSlice[big.Word](a, 1, 1)
	words[0] = big.Word(max(v, -v))
	i.SetBits(words)
	if v < 0 {
		i.Neg(i)
	}
	return i
}

// powers are powers of ten; a float64 represents them exactly.
var powers = [maxExp + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20}

// float returns the nearest float: one operation on exact numbers rounds once.
func (d decimal) float() (float64, bool) {
	f := float64(d.coef)
	switch {
	case d.coef >= 1<<53 || d.coef <= -1<<53:
		return 0, false
	case d.exp >= 0:
		return f * powers[d.exp], true
	}
	return f / powers[-d.exp], true
}

// int returns the number if it is an integer.
func (d decimal) int() (int64, bool) {
	v := d.coef
	for range d.exp {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return 0, false
		}
		v *= 10
	}
	for range -d.exp {
		if v%10 != 0 {
			return 0, false
		}
		v /= 10
	}
	return v, true
}

// decimalText returns the text of a number, with all its digits.
func decimalText(a *arena.Arena, d decimal) string {
	var room [64]byte
	b := strconv.AppendInt(room[:0], d.coef, 10)
	if d.exp >= 0 {
		b = append(b, zeros[:d.exp]...)
		return a.AllocBytesToString(b)
	}
	sign := 0
	if d.coef < 0 {
		sign = 1
	}
	if missing := -d.exp - (len(b) - sign) + 1; missing > 0 { // at least one digit before the point
		b = slices.Insert(b, sign, []byte(zeros[:missing])...)
	}
	b = slices.Insert(b, len(b)+d.exp, '.')
	return a.AllocBytesToString(b)
}

const zeros = "000000000000000000000"
