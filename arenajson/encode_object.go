package arenajson

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how structs are written.

// object writes a struct. Each member comes with a comma in front, of which the first becomes the
// brace.
func (e *encoder) object(b []byte, n *node, p unsafe.Pointer, addr bool) []byte {
	s := n.fields
	if s.err != nil && e.flags&option.Legacy == 0 {
		e.fail(s.culprit, s.err)
	}
	begin, columns := len(b), s.columns
	for i := range columns {
		c := &columns[i]
		if c.size == 0 {
			b = e.rareMember(b, &s.list[i], p, addr)
			continue
		}
		q := mem.Add(p, uintptr(c.off))
		b = mem.Room(b, len(c.name.Bytes)+number.Room)
		mem.PutBlock(b, len(b), &c.name)
		b = b[:len(b)+int(c.size)]
		switch c.write {
		case kindString:
			if s := mem.Get[string](q); s == "" {
				b = appendPair(b, '"'|'"'<<8)
			} else {
				b = text.Append(b, s, e.flags)
			}
		case kindStruct:
			b = e.object(b, c.node, q, addr)
		case kindSlice:
			if mem.Get[mem.Slice](q).Len == 0 && e.flags&option.NilSliceAsNull == 0 {
				b = appendPair(b, '['|']'<<8)
			} else {
				b = e.slice(b, c.node, q)
			}
		case kindBool:
			b = appendBool(b, mem.Get[bool](q))
		case kindInt64:
			if e.flags&option.StringifyNumbers != 0 {
				b = e.number(b, c.node, q, true)
			} else {
				b = number.AppendInt(b, mem.Get[int64](q))
			}
		default:
			b = e.byKind(b, c.node, c.write, q, addr)
		}
	}
	if s.rest != nil {
		b = e.rest(b, s, p)
	}
	return endObject(b, begin)
}

// rareMember writes a field to which pointers lead, or that may be left out, or whose name takes more
// than a copy of few bytes.
func (e *encoder) rareMember(b []byte, f *field, p unsafe.Pointer, addr bool) []byte {
	q := follow(f, p)
	if q == nil {
		return b
	}
	addr = addr || !f.direct
	if (f.omitZero || f.omitEmpty) && e.omits(f, q) {
		return b
	}
	before := len(b)
	if f.written != nil {
		b = append(b, f.written...)
	} else {
		b = append(text.Append(append(b, ','), f.tag.name, e.flags), ':')
	}
	value := len(b)
	b = e.byKind(b, f.node, f.node.write, q, addr)
	if f.omitEmpty && e.flags&option.Legacy == 0 && emptyJSON(b[value:]) {
		return b[:before]
	}
	return b
}

// follow returns the address of a field to which pointers lead, or nil if one is.
func follow(f *field, p unsafe.Pointer) unsafe.Pointer {
	for _, s := range f.path {
		if p = mem.Get[unsafe.Pointer](mem.Add(p, s.off)); p == nil {
			return nil
		}
	}
	return mem.Add(p, f.off)
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
func (e *encoder) omits(f *field, p unsafe.Pointer) bool {
	if f.omitZero && isZero(f, p) {
		return true
	}
	if !f.omitEmpty || e.flags&option.Legacy != 0 {
		return f.omitEmpty && isEmpty(f, p)
	}
	n := f.node
	if n.kind == kindQuoted {
		n = n.elem
	}
	switch f.typ.Kind() { // others are written, to see
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array, reflect.Pointer, reflect.Interface:
		return n.writer == byKind && n.plain == nil && n.kind != kindRaw && n.kind != kindNumber && isEmpty(f, p)
	}
	return false
}

// isZero says whether the field at p is what the option omitzero leaves out.
func isZero(f *field, p unsafe.Pointer) bool {
	switch {
	case f.typ == timeType: // whose method takes the value from the heap if it is called by reflect
		return mem.At[time.Time](p).IsZero()
	case f.isZero != nil:
		return f.isZero(mem.Value(f.typ, p))
	}
	return isNothing(f, p)
}

// isEmpty says whether the field at p is what the option omitempty leaves out with the options of v1.
func isEmpty(f *field, p unsafe.Pointer) bool {
	switch f.typ.Kind() {
	case reflect.Slice:
		return mem.Get[mem.Slice](p).Len == 0
	case reflect.Map:
		return mem.Get[unsafe.Pointer](p) == nil || mem.Value(f.typ, p).Len() == 0 // fact 9
	case reflect.Array:
		return f.typ.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return false
	}
	return isNothing(f, p)
}

// isNothing says whether the field at p has the zero value of its type.
func isNothing(f *field, p unsafe.Pointer) bool {
	switch k := f.typ.Kind(); {
	case k == reflect.String:
		return mem.Get[string](p) == ""
	case k == reflect.Float64: // which -0 is as well
		return mem.Get[float64](p) == 0
	case k < reflect.Float32, k == reflect.Pointer: // bools and integers
		return mem.IsZero(p, f.typ.Size())
	}
	return mem.Value(f.typ, p).IsZero()
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
func (e *encoder) rest(b []byte, s *structPlan, p unsafe.Pointer) []byte {
	q := follow(s.rest, p)
	if q == nil {
		return b
	}
	m := mem.Value(s.rest.typ, q)
	if m.Kind() == reflect.Pointer {
		m = m.Elem()
	}
	if !m.IsValid() || m.Len() == 0 {
		return b
	}
	for k := range m.Seq() {
		if e.flags&option.AllowDuplicateNames == 0 && s.names.find(s.list, []byte(k.String())) >= 0 {
			e.fail(nil, errDuplicateName)
		}
	}
	at := len(b)
	b = e.mapping(b, planOf(m.Type()), m.Addr().UnsafePointer())
	b[at] = ','
	return b[:len(b)-1]
}
