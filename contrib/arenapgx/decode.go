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
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/jackc/pgx/v5"
)

// This file reads values. Each way either reads a value as pgx would, or doesn't read it and leaves it to pgx: NULL where
// there is no room for it, numbers that are too big, values that are malformed. So all errors are pgx's.

// An op is a way to read a value.
type op uint8

const (
	viaPgx op = iota
	asPointer
	asNull
	asSlice
	asInt2
	asInt4
	asInt8
	asTextInt
	asFloat4
	asFloat8
	asTextFloat
	asBool
	asTextBool
	asString
	asBytes
	asHexBytes
	asUUID
	asUUIDText
	asTimestamptz
	asTimestamp
	asDate
	asNumeric
	asNumericFloat
	asNumericInt
	asNumericText
	asJSON
)

// A scanner reads the rows of one result.
type scanner struct {
	arena   *arena.Arena
	rows    pgx.Rows
	mode    Mode
	plan    *plan // nil before the first row
	find    func(pgx.Rows, Mode) *plan
	targets []any // what pgx scans of a row; nil if nothing
}

func newScanner[T any](a *arena.Arena, rows pgx.Rows, mode []Mode) *scanner {
	s := &scanner{arena: a, rows: rows, find: planOf[T]}
	if len(mode) > 0 {
		s.mode = mode[len(mode)-1]
	}
	return s
}

// prepare finds the plan. There are no columns before the first row.
func (s *scanner) prepare() {
	s.plan = s.find(s.rows, s.mode)
	for i := range s.plan.columns {
		if loc := s.plan.columns[i].loc; loc != nil && s.arena.SelfContained() {
			s.arena.KeepAlive(loc)
		}
	}
}

// row reads the current row to p, which is zero.
func (s *scanner) row(p unsafe.Pointer) error {
	if s.plan == nil {
		s.prepare()
	}
	if s.plan.err != nil {
		return s.plan.err
	}
	values, columns := s.rows.RawValues(), s.plan.columns
	if len(values) != len(columns) {
		values = nil
	}
	left := false
	for i := range columns {
		c := &columns[i]
		if values == nil || !s.value(c, values[i], unsafe.Add(p, c.offset)) {
			s.leave(i, unsafe.Add(p, c.offset))
			left = true
		}
	}
	if !left {
		return nil
	}
	return s.scan(p)
}

// leave notes that column i, which belongs to p, is left to pgx.
func (s *scanner) leave(i int, p unsafe.Pointer) {
	if s.targets == nil {
		s.targets = make([]any, len(s.plan.columns))
	}
	t := s.plan.columns[i].typ
	if s.arena.SelfContained() && layout.HasPointers(t) {
		s.targets[i] = reflect.New(t).Interface()
		return
	}
	s.targets[i] = reflect.NewAt(t, p).Interface()
}

// scan lets pgx scan what was left to it. A self-contained arena must not point to what pgx allocates: there the value
// on the heap stays alive beside its copy.
func (s *scanner) scan(p unsafe.Pointer) error {
	defer clear(s.targets)
	if err := s.rows.Scan(s.targets...); err != nil {
		return err
	}
	if !s.arena.SelfContained() {
		return nil
	}
	for i, target := range s.targets {
		c := &s.plan.columns[i]
		if target != nil && layout.HasPointers(c.typ) {
			reflect.NewAt(c.typ, unsafe.Add(p, c.offset)).Elem().Set(reflect.ValueOf(target).Elem())
			s.arena.KeepAlive(target)
		}
	}
	return nil
}

// value reads a value to p, which is zero, and reports whether it did. src is nil for NULL.
func (s *scanner) value(c *column, src []byte, p unsafe.Pointer) bool {
	switch c.op {
	case asInt2:
		return len(src) == 2 && storeInt(c.kind, p, int64(int16(binary.BigEndian.Uint16(src))))
	case asInt4:
		return len(src) == 4 && storeInt(c.kind, p, int64(int32(binary.BigEndian.Uint32(src))))
	case asInt8:
		return len(src) == 8 && storeInt(c.kind, p, int64(binary.BigEndian.Uint64(src)))
	case asString:
		if src == nil {
			return false
		}
		*(*string)(p) = s.arena.AllocBytesToString(src)
		return true
	case asPointer:
		return s.pointer(c, src, p)
	case asNull:
		if src == nil {
			return true
		}
		*(*bool)(unsafe.Add(p, c.valid)) = true
		return s.value(c.elem, src, p)
	case asTimestamptz, asTimestamp, asDate:
		t, ok := timeOf(c.op, src)
		if c.loc != nil {
			t = t.In(c.loc)
		}
		*(*time.Time)(p) = t
		return ok
	case asFloat4:
		return len(src) == 4 && storeFloat(c.kind, p, float64(math.Float32frombits(binary.BigEndian.Uint32(src))))
	case asFloat8:
		return len(src) == 8 && storeFloat(c.kind, p, math.Float64frombits(binary.BigEndian.Uint64(src)))
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
	return s.rarer(c, src, p)
}

// rarer is value for the ways that are longer or less common.
func (s *scanner) rarer(c *column, src []byte, p unsafe.Pointer) bool {
	switch c.op {
	case asSlice:
		return s.slice(c, src, p)
	case asBytes:
		if src != nil {
			*(*[]byte)(p) = append(s.bytes(len(src))[:0], src...)
		}
		return true
	case asHexBytes:
		return s.hexBytes(src, p)
	case asUUIDText:
		if len(src) != 16 {
			return false
		}
		*(*string)(p) = s.uuid([16]byte(src))
		return true
	case asNumeric, asNumericFloat, asNumericInt, asNumericText:
		return s.numeric(c, src, p)
	case asTextInt:
		if c.kind >= reflect.Uint && len(src) > 0 && src[0] < '0' {
			return false // a sign, which pgx takes for signed integers only
		}
		v, err := strconv.ParseInt(text(src), 10, 64)
		return err == nil && storeInt(c.kind, p, v)
	case asTextFloat:
		v, err := strconv.ParseFloat(text(src), 8*int(c.typ.Size()))
		return err == nil && storeFloat(c.kind, p, v)
	case asTextBool:
		if len(src) != 1 || src[0] != 't' && src[0] != 'f' {
			return false
		}
		*(*bool)(p) = src[0] == 't'
		return true
	case asJSON:
		v := reflect.NewAt(c.typ, p).Interface()
		return src != nil && arenajson.Unmarshal(s.arena, src, v, v1) == nil
	}
	return false
}

var v1 = arenajson.DefaultOptionsV1()

// text returns src as a string for a call that doesn't keep it.
func text(src []byte) string { return unsafe.String(unsafe.SliceData(src), len(src)) }

// pointer reads a value to memory of its own, and NULL as nil.
func (s *scanner) pointer(c *column, src []byte, p unsafe.Pointer) bool {
	if src == nil || c.null != "" && string(src) == c.null {
		return true
	}
	q := c.key.New(s.arena)
	*(*unsafe.Pointer)(p) = q
	return s.value(c.elem, src, q)
}

// storeInt stores v to a number of a kind if it fits.
func storeInt(k reflect.Kind, p unsafe.Pointer, v int64) bool {
	switch k {
	case reflect.Int64:
		*(*int64)(p) = v
	case reflect.Int32:
		*(*int32)(p) = int32(v)
		return v == int64(int32(v))
	case reflect.Int:
		*(*int)(p) = int(v)
		return v == int64(int(v))
	case reflect.Int16:
		*(*int16)(p) = int16(v)
		return v == int64(int16(v))
	case reflect.Int8:
		*(*int8)(p) = int8(v)
		return v == int64(int8(v))
	case reflect.Uint64:
		*(*uint64)(p) = uint64(v)
		return v >= 0
	case reflect.Uint32:
		*(*uint32)(p) = uint32(v)
		return v == int64(uint32(v))
	case reflect.Uint:
		*(*uint)(p) = uint(v)
		return v >= 0 && uint64(v) <= math.MaxUint
	case reflect.Uint16:
		*(*uint16)(p) = uint16(v)
		return v == int64(uint16(v))
	case reflect.Uint8:
		*(*uint8)(p) = uint8(v)
		return v == int64(uint8(v))
	default:
		return storeFloat(k, p, float64(v))
	}
	return true
}

// storeFloat stores v to a float of a kind.
func storeFloat(k reflect.Kind, p unsafe.Pointer, v float64) bool {
	switch k {
	case reflect.Float64:
		*(*float64)(p) = v
	case reflect.Float32:
		*(*float32)(p) = float32(v)
	default:
		return false
	}
	return true
}

// The server counts from the year 2000. Outside of the years 1 to 9999 times are left to pgx.
const (
	year2000             = 946_684_800 // seconds after 1970
	minMicros, maxMicros = -63_082_281_600_000_000, 252_455_616_000_000_000
	dayMicros            = 24 * 60 * 60 * 1_000_000
)

// timeOf returns the time that a timestamp or a date in binary format stands for.
func timeOf(as op, src []byte) (t time.Time, ok bool) {
	var micros int64
	switch {
	case as == asDate && len(src) == 4:
		micros = int64(int32(binary.BigEndian.Uint32(src))) * dayMicros
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

// bytes allocates n bytes, which aren't nil even if there are none.
func (s *scanner) bytes(n int) []byte {
	if n == 0 || s.arena == nil {
		return make([]byte, n)
	}
	return s.arena.AllocBytesUninit(n)
}

// hexBytes reads bytes in text format.
func (s *scanner) hexBytes(src []byte, p unsafe.Pointer) bool {
	if src == nil {
		return true
	}
	if len(src) < 2 || src[0] != '\\' || src[1] != 'x' || len(src)%2 != 0 {
		return false
	}
	b := s.bytes(len(src)/2 - 1)
	_, err := hex.Decode(b, src[2:])
	*(*[]byte)(p) = b
	return err == nil
}

// uuid returns the text of a UUID.
func (s *scanner) uuid(u [16]byte) string {
	b := s.bytes(36)
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

// slice reads an array of one dimension. Elements that aren't read leave all of it to pgx.
func (s *scanner) slice(c *column, src []byte, p unsafe.Pointer) bool {
	if src == nil {
		return true
	}
	const header = 12 // dimensions, flags, type of the elements; then length and lower bound of each dimension
	if len(src) < header {
		return false
	}
	n := 0
	switch binary.BigEndian.Uint32(src) {
	case 0:
		src = src[header:]
	case 1:
		if len(src) < header+8 {
			return false
		}
		n = int(int32(binary.BigEndian.Uint32(src[header:])))
		src = src[header+8:]
	default:
		return false
	}
	if n < 0 || n > len(src)/4 {
		return false
	}
	size := c.elem.typ.Size()
	all := c.key.MakeSlice(s.arena, n)
	*(*[]struct{})(p) = unsafe.Slice((*struct{})(all), n)
	for i := range n {
		if len(src) < 4 {
			return false
		}
		length := int(int32(binary.BigEndian.Uint32(src)))
		src = src[4:]
		var elem []byte
		if length >= 0 {
			if length > len(src) {
				return false
			}
			elem, src = src[:length:length], src[length:]
		} else if length != -1 {
			return false
		}
		if !s.value(c.elem, elem, unsafe.Add(all, uintptr(i)*size)) {
			return false
		}
	}
	return len(src) == 0
}
