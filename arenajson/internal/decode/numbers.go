package decode

import (
	"errors"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file decodes numbers into Go's types of numbers.
//
// Each type has a fast function for plain numbers that fit: digits for integers, and for floats
// those that package number can round with certainty. Everything else goes to number, which is slow
// and complete: null, numbers in strings, numbers that don't fit, and other values. So all errors
// are reported in one place.

// jsonNumber decodes a number into the json.Number at p, unchanged. It accepts a number in a string
// too, and with stringify nothing else.
func (d *decoder) jsonNumber(p unsafe.Pointer, i int, stringify bool) int {
	switch c := d.Peek(i); {
	case c == 'n':
		end := d.Word(i, "null")
		if end >= 0 && d.Flags&option.Legacy == 0 {
			mem.Set(p, "")
		}
		return end
	case c == '"':
		b, end := d.Text(i)
		if end < 0 {
			return -1
		}
		if len(b) == 0 || number.Skip(b, 0) != len(b) {
			if option.Classic && d.Flags&option.Legacy != 0 {
				return d.stop(invalidNumber(d.Data[i:end]))
			}
			return d.mismatch(plan.NumberType, i, strconv.ErrSyntax)
		}
		mem.Set(p, d.keep(b, i+1))
		return end
	case (c == '-' || c-'0' <= 9) && !stringify:
		end := number.Skip(d.Data, i)
		if end >= 0 {
			mem.Set(p, d.keep(d.Data[i:end:end], i))
		}
		return end
	}
	return d.mismatch(plan.NumberType, i, nil)
}

// outOfRange reports the number at i. With the options of v1 the value is nil.
func (d *decoder) outOfRange(i int, err error) int {
	return d.mismatch(reflect.TypeFor[float64](), i, strconvError(err))
}

// strconvError returns the meaning of an error for a valid number: out of range.
func strconvError(err error) error {
	if err == nil {
		return nil
	}
	return strconv.ErrRange
}

// integer decodes a number into the signed integer at p. It leaves all but plain digits that fit to
// number, which reports the wrong ones: 1.0 and 1e2 are wrong in both versions of the standard
// library.
func (d *decoder) integer(n *plan.Node, p unsafe.Pointer, i int) int {
	data, j := d.Data, i
	if uint(i) < uint(len(data)) && data[i] == '-' {
		j++
	}
	if uint(j) >= uint(len(data)) || data[j]-'0' > 9 || d.Flags&option.StringifyNumbers != 0 {
		return d.number(n, p, i, d.Flags&option.StringifyNumbers != 0)
	}
	u, end := uint64(0), j+1
	// A zero stands alone. The caller reports digits behind it.
	if data[j] != '0' {
		u, end = number.Digits(data, j, 0)
	}
	// More digits may have overflowed; an integer has no point or e.
	if end-j > 19 || int64(u) < 0 || uint(end) < uint(len(data)) && (data[end] == '.' || data[end]|0x20 == 'e') {
		return d.number(n, p, i, false)
	}
	x := int64(u)
	if j != i {
		x = -x
	}
	if n.Kind == plan.KindInt64 {
		mem.Set(p, x)
		return end
	}
	// Truncating it to the size of the type must not change it.
	if x<<(64-n.Bits)>>(64-n.Bits) != x {
		return d.number(n, p, i, false)
	}
	setInt(n, p, x)
	return end
}

// setInt stores an integer, signed or not: the bits are the same.
func setInt(n *plan.Node, p unsafe.Pointer, x int64) {
	switch n.Size {
	case 1:
		mem.Set(p, int8(x))
	case 2:
		mem.Set(p, int16(x))
	case 4:
		mem.Set(p, int32(x))
	default:
		mem.Set(p, x)
	}
}

// unsigned is integer for unsigned types.
func (d *decoder) unsigned(n *plan.Node, p unsafe.Pointer, i int) int {
	data := d.Data
	if uint(i) >= uint(len(data)) || data[i]-'0' > 9 || d.Flags&option.StringifyNumbers != 0 {
		return d.number(n, p, i, d.Flags&option.StringifyNumbers != 0)
	}
	u, end := uint64(0), i+1
	if data[i] != '0' {
		u, end = number.Digits(data, i, 0)
	}
	// 20 digits may fit, and are left to number as well.
	if end-i > 19 || uint(end) < uint(len(data)) && (data[end] == '.' || data[end]|0x20 == 'e') ||
		u>>(n.Bits-1)>>1 != 0 {
		return d.number(n, p, i, false)
	}
	setInt(n, p, int64(u))
	return end
}

// float64 decodes a number into the float64 at p, in the fastest certain way.
func (d *decoder) float64(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Flags&option.StringifyNumbers != 0 {
		return d.number(n, p, i, true)
	}
	f, end := number.QuickFloat(d.Data, i)
	if end >= 0 {
		mem.Set(p, f)
		return end
	}
	// All other numbers: parse them, and round with 19 digits, then with more.
	x, end := number.Read(d.Data, i)
	if end < 0 {
		return d.number(n, p, i, false)
	}
	f, ok := x.Float64()
	if !ok {
		if f, ok = x.ManyDigits(d.Data, i, end); !ok {
			return d.number(n, p, i, false)
		}
	}
	mem.Set(p, f)
	return end
}

// number decodes any value into a number; stringify: it is in a string. The fast functions leave
// uncertain cases to it, so it checks everything, and reports the errors.
//
//go:noinline
func (d *decoder) number(n *plan.Node, p unsafe.Pointer, i int, stringify bool) int {
	c := d.Peek(i)
	switch {
	case c == 'n':
		end := d.Word(i, "null")
		if end >= 0 && d.Flags&option.Legacy == 0 {
			setZero(n, p)
		}
		return end
	case c == '"' && stringify:
		b, end := d.Text(i)
		if end < 0 {
			return -1
		}
		if err := d.fromString(n, p, b); err != nil {
			return d.mismatch(n.Type, i, err)
		}
		return end
	case (c == '-' || c-'0' <= 9) && !stringify:
		end := number.Skip(d.Data, i)
		if end < 0 {
			return -1
		}
		if err := fromNumber(n, p, d.Data[i:end]); err != nil {
			return d.mismatch(n.Type, i, err)
		}
		return end
	}
	return d.mismatch(n.Type, i, nil)
}

// fromString decodes the text of a string into a number.
func (d *decoder) fromString(n *plan.Node, p unsafe.Pointer, b []byte) error {
	if d.Flags&option.Legacy != 0 {
		return fromGo(n, p, string(b))
	}
	if n.Kind == plan.KindFloat64 || n.Kind == plan.KindFloat32 {
		if len(b) == 0 || number.Skip(b, 0) != len(b) {
			return strconv.ErrSyntax
		}
	}
	return fromNumber(n, p, b)
}

// fromNumber decodes a JSON number; those for integers are checked as well.
func fromNumber(n *plan.Node, p unsafe.Pointer, b []byte) error {
	switch n.Kind {
	case plan.KindFloat32:
		if x, end := number.Read(b, 0); end == len(b) {
			if f, ok := x.Float32(); ok {
				mem.Set(p, f)
				return nil
			}
		}
		f, err := number.ParseFloat(b, 32)
		if err == nil {
			mem.Set(p, float32(f))
		}
		return err
	case plan.KindFloat64:
		f, err := number.ParseFloat(b, 64)
		if err == nil {
			mem.Set(p, f)
		}
		return err
	case plan.KindUint:
		u, err := number.ParseUint(b)
		switch {
		case err != nil:
			return err
		case u>>(n.Bits-1)>>1 != 0:
			return strconv.ErrRange
		}
		setInt(n, p, int64(u))
		return nil
	}
	return fromInteger(n, p, b)
}

// fromInteger decodes a JSON number into a signed integer.
func fromInteger(n *plan.Node, p unsafe.Pointer, b []byte) error {
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	u, err := number.ParseUint(b)
	// The range has one more negative than positive integers.
	limit := uint64(1) << (n.Bits - 1)
	switch {
	case err != nil:
		return err
	case u > limit || u == limit && !neg:
		return strconv.ErrRange
	case neg:
		u = -u
	}
	setInt(n, p, int64(u))
	return nil
}

// fromGo decodes a number as encoding/json does from strings: by Go's rules, and null unless it is the original.
func fromGo(n *plan.Node, p unsafe.Pointer, s string) (err error) {
	switch n.Kind {
	case plan.KindFloat64:
		var f float64
		if f, err = strconv.ParseFloat(s, 64); err == nil {
			mem.Set(p, f)
		}
	case plan.KindFloat32:
		var f float64
		if f, err = strconv.ParseFloat(s, 32); err == nil {
			mem.Set(p, float32(f))
		}
	case plan.KindUint:
		var u uint64
		if u, err = strconv.ParseUint(s, 10, int(n.Bits)); err == nil {
			setInt(n, p, int64(u))
		}
	default:
		var x int64
		if x, err = strconv.ParseInt(s, 10, int(n.Bits)); err == nil {
			setInt(n, p, x)
		}
	}
	// The string "null" leaves the number unchanged.
	if err != nil && s == "null" && !option.Classic {
		return nil
	}
	return errors.Unwrap(err)
}

// duration decodes a number of nanoseconds with the options of v1. In version 2 a duration must
// have a format, which isn't supported.
func (d *decoder) duration(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Flags&option.Legacy != 0 {
		return d.integer(plan.Nanoseconds, p, i)
	}
	return d.misfit(n.Type, i, i, 0, plan.ErrDuration)
}
