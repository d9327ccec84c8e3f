package arenajson

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how structs are written.

// object writes a struct. Each member comes with a comma in front, of which the first becomes the
// brace.
func (e *encoder) object(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	s := n.Fields
	if s.Err != nil && e.flags&option.Legacy == 0 {
		e.fail(s.Culprit, s.Err)
	}
	begin, columns := len(b), s.Columns
	for i := range columns {
		c := &columns[i]
		if c.Size == 0 {
			b = e.rareMember(b, &s.List[i], p, addr)
			continue
		}
		q := mem.Add(p, uintptr(c.Off))
		b = mem.Room(b, len(c.Name.Bytes)+number.Room)
		mem.PutBlock(b, len(b), &c.Name)
		b = b[:len(b)+int(c.Size)]
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
		b = e.rest(b, s, p)
	}
	return endObject(b, begin)
}

// rareMember writes a field to which pointers lead, or that may be left out, or whose name takes more
// than a copy of few bytes.
func (e *encoder) rareMember(b []byte, f *plan.Field, p unsafe.Pointer, addr bool) []byte {
	q := follow(f, p)
	if q == nil {
		return b
	}
	addr = addr || !f.Direct
	if (f.OmitZero || f.OmitEmpty) && e.omits(f, q) {
		return b
	}
	before := len(b)
	if f.Written != nil {
		b = append(b, f.Written...)
	} else {
		b = append(text.Append(append(b, ','), f.Tag.Name, e.flags), ':')
	}
	value := len(b)
	b = e.byKind(b, f.Node, f.Node.Write, q, addr)
	if f.OmitEmpty && e.flags&option.Legacy == 0 && emptyJSON(b[value:]) {
		return b[:before]
	}
	return b
}

// follow returns the address of a field to which pointers lead, or nil if one is.
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

// omits says whether a field with a tag option for that is left out, before it is written.
func (e *encoder) omits(f *plan.Field, p unsafe.Pointer) bool {
	if f.OmitZero && isZero(f, p) {
		return true
	}
	if !f.OmitEmpty || e.flags&option.Legacy != 0 {
		return f.OmitEmpty && isEmpty(f, p)
	}
	n := f.Node
	if n.Kind == plan.KindQuoted {
		n = n.Elem
	}
	switch f.Typ.Kind() { // others are written, to see
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array, reflect.Pointer, reflect.Interface:
		return n.Writer == plan.ByKind && n.Plain == nil && n.Kind != plan.KindRaw && n.Kind != plan.KindNumber && isEmpty(f, p)
	}
	return false
}

// isZero says whether the field at p is what the option omitzero leaves out.
func isZero(f *plan.Field, p unsafe.Pointer) bool {
	switch {
	case f.Typ == plan.TimeType: // whose method takes the value from the heap if it is called by reflect
		return mem.At[time.Time](p).IsZero()
	case f.IsZero != nil:
		return f.IsZero(mem.Value(f.Typ, p))
	}
	return isNothing(f, p)
}

// isEmpty says whether the field at p is what the option omitempty leaves out with the options of v1.
func isEmpty(f *plan.Field, p unsafe.Pointer) bool {
	switch f.Typ.Kind() {
	case reflect.Slice:
		return mem.Get[mem.Slice](p).Len == 0
	case reflect.Map:
		return mem.Get[unsafe.Pointer](p) == nil || mem.Value(f.Typ, p).Len() == 0 // fact 9
	case reflect.Array:
		return f.Typ.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return false
	}
	return isNothing(f, p)
}

// isNothing says whether the field at p has the zero value of its type.
func isNothing(f *plan.Field, p unsafe.Pointer) bool {
	switch k := f.Typ.Kind(); {
	case k == reflect.String:
		return mem.Get[string](p) == ""
	case k == reflect.Float64: // which -0 is as well
		return mem.Get[float64](p) == 0
	case k < reflect.Float32, k == reflect.Pointer: // bools and integers
		return mem.IsZero(p, f.Typ.Size())
	}
	return mem.Value(f.Typ, p).IsZero()
}

// emptyJSON says whether a value is one that omitempty leaves out.
func emptyJSON(b []byte) bool {
	switch string(b) {
	case "null", `""`, "{}", "[]":
		return true
	}
	return false
}

// rest writes the members of the field for those without one, with a comma in front.
func (e *encoder) rest(b []byte, s *plan.Struct, p unsafe.Pointer) []byte {
	q := follow(s.Rest, p)
	if q == nil {
		return b
	}
	m := mem.Value(s.Rest.Typ, q)
	if m.Kind() == reflect.Pointer {
		m = m.Elem()
	}
	if !m.IsValid() || m.Len() == 0 {
		return b
	}
	for k := range m.Seq() {
		if e.flags&option.AllowDuplicateNames == 0 && s.Names.Find(s.List, []byte(k.String())) >= 0 {
			e.fail(nil, syntax.ErrDuplicateName)
		}
	}
	at := len(b)
	b = e.mapping(b, plan.Of(m.Type()), m.Addr().UnsafePointer())
	b[at] = ','
	return b[:len(b)-1]
}
