package compile

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file plans values that decode themselves, and those of package time.

// An unmarshaler decodes itself, as generated types of gogo/protobuf do.
type unmarshaler interface{ Unmarshal(b []byte) error }

var unmarshalerType = reflect.TypeFor[unmarshaler]()

// customOf returns the function that decodes values of a type with an Unmarshal method but no tags, or of a type of
// package time with stdtime or stdduration in its field's tag. For other types it returns nil: a type with tags is
// decoded by these even if it has a method.
func customOf(t reflect.Type, tag structTag) plan.Custom {
	switch {
	// gogo/protobuf decodes a Timestamp to UTC.
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
	// Making the interface from its first word and a pointer needs no reflection, and doesn't allocate (fact C).
	u := reflect.New(t).Interface().(unmarshaler)
	word := mem.WordAt(unsafe.Pointer(&u))
	return func(p unsafe.Pointer, b []byte) error {
		var u unmarshaler
		mem.Hold(unsafe.Pointer(&u), word, p)
		return u.Unmarshal(b)
	}
}

// twoNumbers decodes a message of seconds and nanoseconds, such as Timestamp and Duration.
func twoNumbers(b []byte) (s, n int64, err error) {
	var v [3]uint64
	for len(b) > 0 {
		num, typ, k := protowire.ConsumeTag(b)
		if k < 0 {
			return 0, 0, decode.ErrInvalid
		}
		// Other fields are skipped, and the last one of several counts.
		size := protowire.ConsumeFieldValue(num, typ, b[k:])
		if size < 0 {
			return 0, 0, decode.ErrInvalid
		}
		if num <= 2 && typ == protowire.VarintType {
			v[num], _ = protowire.ConsumeVarint(b[k:])
		}
		b = b[k+size:]
	}
	return int64(v[1]), int64(int32(v[2])), nil
}

// hasTags reports whether a struct has fields with protobuf tags.
func hasTags(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if parseTag(f.Tag.Get("protobuf")).num != 0 || f.Tag.Get("protobuf_oneof") != "" {
			return true
		}
	}
	return false
}
