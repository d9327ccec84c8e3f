package arenaproto

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file holds values that lie in place, in a struct or in a list, and those that methods decode.

// A custom decodes a value by a method of its own.
type custom func(p unsafe.Pointer, b []byte) error

// customOf returns how values of a type are decoded that has a method for it but no tags, or is one
// of package time. Else it is nil.
func customOf(t reflect.Type, tag structTag) custom {
	switch {
	case tag.time && t == reflect.TypeFor[time.Time]():
		return func(p unsafe.Pointer, b []byte) error {
			s, n, err := twoNumbers(b)
			mem.Set(p, time.Unix(s, n).UTC())
			return err
		}
	case tag.time && t == reflect.TypeFor[time.Duration]():
		return func(p unsafe.Pointer, b []byte) error {
			s, n, err := twoNumbers(b)
			mem.Set(p, time.Duration(s)*time.Second+time.Duration(n))
			return err
		}
	case !reflect.PointerTo(t).Implements(unmarshalerType) || t.Kind() == reflect.Struct && hasTags(t):
		return nil
	}
	if !mem.Trusted {
		return func(p unsafe.Pointer, b []byte) error {
			return reflect.NewAt(t, p).Interface().(unmarshaler).Unmarshal(b)
		}
	}
	u := reflect.New(t).Interface().(unmarshaler)
	word := mem.WordAt(unsafe.Pointer(&u))
	return func(p unsafe.Pointer, b []byte) error {
		var u unmarshaler
		mem.Hold(unsafe.Pointer(&u), word, p)
		return u.Unmarshal(b)
	}
}

// twoNumbers decodes a message of seconds and nanoseconds.
func twoNumbers(b []byte) (s, n int64, err error) {
	var v [3]uint64
	for len(b) > 0 {
		num, typ, k := protowire.ConsumeTag(b)
		if k < 0 {
			return 0, 0, ErrStruct
		}
		size := protowire.ConsumeFieldValue(num, typ, b[k:])
		if size < 0 {
			return 0, 0, ErrStruct
		}
		if num <= 2 && typ == protowire.VarintType {
			v[num], _ = protowire.ConsumeVarint(b[k:])
		}
		b = b[k+size:]
	}
	return int64(v[1]), int64(int32(v[2])), nil
}

// hasTags says whether a struct has fields of a message.
func hasTags(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if parseTag(f.Tag.Get("protobuf")).num != 0 || f.Tag.Get("protobuf_oneof") != "" {
			return true
		}
	}
	return false
}

// inPlace reads the n bytes at i to a struct that lies at p, or to a value that has a method for it.
func (d *decoder) inPlace(f *op, p unsafe.Pointer, b []byte, i, n int) int {
	if f.custom != nil {
		if err := f.custom(p, b[i:i+n:i+n]); err != nil {
			d.err = err
			return -1
		}
		return i + n
	}
	if d.depth == 0 {
		return -1
	}
	d.depth--
	i = d.message(f.sub, p, b[:i+n], i, 0)
	d.depth++
	return i
}

// structs reads a list of structs, or of what has a method. The first is the n bytes at i.
func (d *decoder) structs(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	count := 1 + run(f, b, i+n)
	s := mem.At[mem.Slice](at)
	d.extend(f, s, count)
	if f.custom != nil {
		return d.customs(f, s, b, i, n, count)
	}
	if d.depth == 0 {
		return -1
	}
	d.depth--
	p := mem.Add(s.Data, uintptr(s.Len)*f.bytes)
	s.Len += count
	for {
		if i = d.message(f.sub, p, b[:i+n], i, 0); i < 0 {
			return -1
		}
		if count--; count == 0 {
			break
		}
		p = mem.Add(p, f.bytes)
		n, i = length(b, i+int(f.width))
	}
	d.depth++
	return i
}

// customs is structs for values with a method, or pointers to them.
func (d *decoder) customs(f *op, s *mem.Slice, b []byte, i, n, count int) int {
	for size := f.elem.Type().Size(); ; {
		p := mem.Add(s.Data, uintptr(s.Len)*size)
		if f.pointers {
			q := f.block.New(d.a)
			mem.Set(p, q)
			p = q
		}
		s.Len++
		if i = d.inPlace(f, p, b, i, n); i < 0 {
			return -1
		}
		if count--; count == 0 {
			return i
		}
		n, i = length(b, i+int(f.width))
	}
}
