package arenapgx

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/harena-go/arena/arenajson"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file reads values. Each function reads a value as pgx would, or leaves it to pgx: NULL for a type without NULL,
// numbers that are too big, malformed values. So all errors are pgx's.

// value reads a value to p, which is zero, and reports whether it did. src is nil for NULL.
func value(a *arena.Arena, c *column, src []byte, p unsafe.Pointer) bool {
	switch c.op {
	case asInt2:
		return len(src) == 2 && arenaext.StoreInt(c.kind, p, int64(int16(binary.BigEndian.Uint16(src))))
	case asInt4:
		return len(src) == 4 && arenaext.StoreInt(c.kind, p, int64(int32(binary.BigEndian.Uint32(src))))
	case asInt8:
		return len(src) == 8 && arenaext.StoreInt(c.kind, p, int64(binary.BigEndian.Uint64(src)))
	case asString:
		if src == nil {
			return false
		}
		*(*string)(p) = a.AllocBytesToString(src)
		return true
	case asPointer:
		return pointer(a, c, src, p)
	case asNull:
		if src == nil {
			return true
		}
		*(*bool)(unsafe.Add(p, c.valid)) = true
		return value(a, c.elem, src, p)
	case asTimestamptz, asTimestamp, asDate:
		t, ok := timeOf(c.op, src)
		if c.loc != nil {
			t = t.In(c.loc)
		}
		*(*time.Time)(p) = t
		return ok
	case asFloat4:
		return len(src) == 4 &&
			arenaext.StoreFloat(c.kind, p, float64(math.Float32frombits(binary.BigEndian.Uint32(src))))
	case asFloat8:
		return len(src) == 8 && arenaext.StoreFloat(c.kind, p, math.Float64frombits(binary.BigEndian.Uint64(src)))
	case asBool:
		if len(src) != 1 {
			return false
		}
		*(*bool)(p) = src[0] == 1
		return true
	case asUUID:
		if len(src) != 16 {
			return false
		}
		*(*[16]byte)(p) = [16]byte(src)
		return true
	}
	return rarer(a, c, src, p)
}

// rarer is value for longer or less common conversions.
func rarer(a *arena.Arena, c *column, src []byte, p unsafe.Pointer) bool {
	switch c.op {
	case asSlice:
		return array(a, c, src, p)
	case asBytes:
		*(*[]byte)(p) = arena.CopySlice(a, src)
		return true
	case asHexBytes:
		return hexBytes(a, src, p)
	case asUUIDText:
		if len(src) != 16 {
			return false
		}
		*(*string)(p) = uuidText(a, [16]byte(src))
		return true
	case asNumeric, asNumericFloat, asNumericInt, asNumericText:
		return numeric(a, c, src, p)
	case asTextInt:
		if c.kind >= reflect.Uint && len(src) > 0 && src[0] < '0' {
			return false // a sign, which pgx accepts for signed integers only
		}
		v, err := strconv.ParseInt(text(src), 10, 64)
		return err == nil && arenaext.StoreInt(c.kind, p, v)
	case asTextFloat:
		v, err := strconv.ParseFloat(text(src), 8*int(c.typ.Size()))
		return err == nil && arenaext.StoreFloat(c.kind, p, v)
	case asTextBool:
		if len(src) != 1 || src[0] != 't' && src[0] != 'f' {
			return false
		}
		*(*bool)(p) = src[0] == 't'
		return true
	case asJSON:
		v, opts := reflect.NewAt(c.typ, p).Interface(), v1
		if c.apart {
			a, opts = nil, v1Batch
		}
		return src != nil && arenajson.Unmarshal(a, src, v, opts) == nil
	}
	return false
}

var (
	v1      = arenajson.DefaultOptionsV1()
	v1Batch = arenajson.JoinOptions(v1, arenajson.Batch())
)

// text returns src as a string for a call that doesn't keep it.
func text(src []byte) string { return unsafe.String(unsafe.SliceData(src), len(src)) }

// pointer reads a value to newly allocated memory, and NULL as nil.
func pointer(a *arena.Arena, c *column, src []byte, p unsafe.Pointer) bool {
	if src == nil || c.null != "" && string(src) == c.null {
		return true
	}
	q := c.key.New(a)
	*(*unsafe.Pointer)(p) = q
	return value(a, c.elem, src, q)
}

// The server counts from the year 2000. Times outside of the years 1 to 9999 are left to pgx.
const (
	year2000             = 946_684_800 // seconds after 1970
	minMicros, maxMicros = -63_082_281_600_000_000, 252_455_616_000_000_000
	dayMicros            = 24 * 60 * 60 * 1_000_000
)

// timeOf returns the time of a timestamp or a date in binary format.
func timeOf(as op, src []byte) (t time.Time, ok bool) {
	var micros int64
	switch {
	case as == asDate && len(src) == 4:
		days := int64(int32(binary.BigEndian.Uint32(src)))
		if days < minMicros/dayMicros || days >= maxMicros/dayMicros { // micros might overflow an int64
			return t, false
		}
		micros = days * dayMicros
	case as != asDate && len(src) == 8:
		micros = int64(binary.BigEndian.Uint64(src))
	default:
		return t, false
	}
	if micros < minMicros || micros >= maxMicros {
		return t, false
	}
	t = time.Unix(year2000+micros/1_000_000, micros%1_000_000*1000)
	if as != asTimestamptz {
		t = t.UTC()
	}
	return t, true
}

// hexBytes reads bytes in text format.
func hexBytes(a *arena.Arena, src []byte, p unsafe.Pointer) bool {
	if src == nil {
		return true
	}
	if len(src) < 2 || src[0] != '\\' || src[1] != 'x' || len(src)%2 != 0 {
		return false
	}
	b := a.AllocBytesUninit(len(src)/2 - 1)
	_, err := hex.Decode(b, src[2:])
	*(*[]byte)(p) = b
	return err == nil
}

// uuidText returns the text of a UUID.
func uuidText(a *arena.Arena, u [16]byte) string {
	b := a.AllocBytesUninit(36)
	at := 0
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			b[at] = '-'
			at++
		}
		hex.Encode(b[at:], u[:n])
		at += 2 * n
		u = [16]byte(append(u[n:], u[:n]...))
	}
	return text(b)
}

// numeric reads a numeric in binary format. NaN, infinities and more than 16 digits are left to pgx.
func numeric(a *arena.Arena, c *column, src []byte, p unsafe.Pointer) bool {
	if src == nil {
		return c.op == asNumeric
	}
	d, ok := decimalOf(src)
	if !ok {
		return false
	}
	switch c.op {
	case asNumeric:
		*(*pgtype.Numeric)(p) = pgtype.Numeric{Int: bigInt(a, d.coef), Exp: int32(d.exp), Valid: true}
		return true
	case asNumericFloat:
		v, ok := d.float()
		return ok && arenaext.StoreFloat(c.kind, p, v)
	case asNumericInt:
		v, ok := d.int()
		return ok && arenaext.StoreInt(c.kind, p, v)
	}
	*(*string)(p) = decimalText(a, d)
	return true
}
