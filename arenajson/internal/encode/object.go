package encode

import (
	"errors"
	"math"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes structs. Each field has a column of 64 bytes in its plan: for most fields one
// copy of 48 bytes writes the comma, the name and the colon; then comes the value.

// object writes the struct at p. addr: it is addressable, and so are its fields. Only version 2
// reports wrong tags of its fields.
func (e *Encoder) object(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	s := n.Fields
	// Wrong tags, which are no error with the options of v1.
	if s.Err != nil && e.flags&option.Legacy == 0 {
		e.fail(s.Culprit, s.Err)
	}
	begin, columns := len(b), s.Columns
	for i := range columns {
		c := &columns[i]
		// A field that needs more than a copy of its name.
		if c.Size == 0 {
			b = e.rareMember(b, &s.List[i], p, addr)
			continue
		}
		q := mem.Add(p, uintptr(c.Off))
		// Room for the whole copy, which is longer than the name, and for a number or a bool.
		b = mem.Room(b, len(c.Name.Bytes)+number.Room)
		mem.PutBlock(b, len(b), &c.Name)
		b = b[:len(b)+int(c.Size)]
		// The kinds of most fields. The case of an empty string or list saves a call.
		switch c.Write {
		case plan.KindString:
			if s := mem.Get[string](q); s == "" {
				b = appendPair(b, '"'|'"'<<8)
			} else {
				b = text.Append(b, s, e.flags)
			}
		case plan.KindStruct:
			b = e.object(b, c.Node, q, addr)
		case plan.KindSlice:
			if mem.Get[mem.Slice](q).Len == 0 && e.flags&option.NilSliceAsNull == 0 {
				b = appendPair(b, '['|']'<<8)
			} else {
				b = e.slice(b, c.Node, q)
			}
		case plan.KindBool:
			b = appendBool(b, mem.Get[bool](q))
		case plan.KindInt64:
			if e.flags&option.StringifyNumbers != 0 {
				b = e.number(b, c.Node, q, true)
			} else {
				b = number.AppendInt(b, mem.Get[int64](q))
			}
		default:
			b = e.byKind(b, c.Node, c.Write, q, addr)
		}
	}
	if s.Rest != nil {
		b = e.rest(b, begin, s, p)
	}
	return endObject(b, begin)
}

// rareMember writes a field behind pointers, one that may be left out, or one whose name needs more
// than a copy of few bytes.
func (e *Encoder) rareMember(b []byte, f *plan.Field, p unsafe.Pointer, addr bool) []byte {
	q := follow(f, p)
	if q == nil {
		return b
	}
	addr = addr || !f.Direct
	if (f.OmitZero || f.OmitEmpty) && e.omits(f, q) {
		return b
	}
	before := len(b)
	// The name, unchanged or escaped by the options.
	if f.Written != nil {
		b = append(b, f.Written...)
	} else {
		b = append(text.Append(append(b, ','), f.Tag.Name, e.flags), ':')
	}
	value := len(b)
	b = e.byKind(b, f.Node, f.Node.Write, q, addr)
	// Version 2 leaves out values that are empty in JSON: it writes and removes them.
	if f.OmitEmpty && e.flags&option.Legacy == 0 && emptyJSON(b[value:]) {
		return b[:before]
	}
	return b
}

// follow returns the address of a field of the struct at p, through the pointers to it, or nil if
// one of them is nil.
func follow(f *plan.Field, p unsafe.Pointer) unsafe.Pointer {
	for _, s := range f.Path {
		if p = mem.Get[unsafe.Pointer](mem.Add(p, s.Off)); p == nil {
			return nil
		}
	}
	return mem.Add(p, f.Off)
}

// appendPair appends two bytes, the lower first. There must be room for four.
func appendPair(b []byte, pair uint32) []byte {
	mem.Put32(b, len(b), pair)
	return b[:len(b)+2]
}

// appendBool appends a bool. There must be room for a word.
func appendBool(b []byte, v bool) []byte {
	n := len(b)
	if v {
		mem.Put32(b, n, 't'|'r'<<8|'u'<<16|'e'<<24)
		return b[:n+4]
	}
	mem.Put64(b, n, 'f'|'a'<<8|'l'<<16|'s'<<24|'e'<<32)
	return b[:n+5]
}

// rest writes the members in the field for members without one, a map or a raw JSON object, with a
// comma in front of each. The struct's fields are in b from begin on, and no name may be there
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
	// Write an object without its braces: one becomes a comma.
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

// noteRest records the name of a member besides the fields for uniqueNames. A name that leads to a
// field is recorded as the field's, which must not be among the written members.
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

// eachName calls f for the names of consecutive written members, each with a byte in front.
func eachName(members []byte, f func(name []byte)) {
	d := syntax.Reader{Data: members, Flags: option.AllowDuplicateNames | option.AllowInvalidUTF8, Depth: math.MaxInt}
	for i := 0; i < len(members)-1; {
		name, end := d.Text(i + 1)
		f(name)
		v, _ := d.Colon(end)
		i = d.Skip(v)
	}
}
