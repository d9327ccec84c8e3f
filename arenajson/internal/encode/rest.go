package encode

import (
	"errors"
	"math"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds how the field for members without one is written: a map, or an object
// that is JSON already.

// rest writes the members of that field of the struct at p, with a comma in front of
// each. The struct's fields were written to b from begin on, and no name may be there
// twice.
func (e *Encoder) rest(b []byte, begin int, s *plan.Struct, p unsafe.Pointer) []byte {
	q := follow(s.Rest, p)
	if q == nil {
		return b
	}
	m := mem.Value(s.Rest.Type, q)
	if m.Kind() == reflect.Pointer {
		m = m.Elem()
	}
	if !m.IsValid() || m.Len() == 0 {
		return b
	}
	at, names, unique := len(b), len(e.names), e.flags&option.AllowDuplicateNames == 0
	// An object is written, whose braces go: one becomes a comma.
	if m.Kind() == reflect.Map {
		if unique {
			for k := range m.Seq() {
				e.noteRest(b[begin:], s, []byte(k.String()))
			}
		}
		b = e.mapping(b, plan.Of(m.Type()), m.Addr().UnsafePointer())
	} else {
		b = e.raw(b, plan.Of(m.Type()), m.Bytes())
		if b[at] != '{' {
			e.fail(m.Type(), errNotObject)
		}
		if fields := b[begin:at]; unique {
			eachName(b[at:len(b)-1], func(name []byte) { e.noteRest(fields, s, name) })
		}
	}
	e.uniqueNames(names)
	if len(b) == at+len("{}") {
		return b[:at]
	}
	b[at] = ','
	return b[:len(b)-1]
}

var errNotObject = errors.New("embedded raw value must be a JSON object")

// noteRest notes a name for uniqueNames that a member besides the fields has. One that
// leads to a field is that field's, which must not be among the members that were written.
func (e *Encoder) noteRest(fields []byte, s *plan.Struct, name []byte) {
	var f *plan.Field
	if k := s.Names.Find(s.List, name); k >= 0 {
		f = &s.List[k]
	} else {
		f, _ = s.FindFolded(name, e.flags, new([]byte))
	}
	if f != nil {
		eachName(fields, func(name []byte) {
			if string(name) == f.Tag.Name {
				e.fail(nil, syntax.ErrDuplicateName)
			}
		})
		name = []byte(f.Tag.Name)
	}
	e.noteName(string(name), true)
}

// eachName calls f for the names of members that were written one after the other, each
// with a byte in front.
func eachName(members []byte, f func(name []byte)) {
	d := syntax.Reader{Data: members, Flags: option.AllowDuplicateNames | option.AllowInvalidUTF8, Depth: math.MaxInt}
	for i := 0; i < len(members)-1; {
		name, end := d.Text(i + 1)
		f(name)
		v, _ := d.Colon(end)
		i = d.Skip(v)
	}
}
