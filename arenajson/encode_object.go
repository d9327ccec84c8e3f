package arenajson

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how structs and maps are written.

// object writes a struct.
func (e *encoder) object(b []byte, n *node, p unsafe.Pointer, addr bool) []byte {
	s := n.fields
	if e.flags&legacy == 0 && (s.err != nil || s.format != nil) {
		err := s.err
		if err == nil {
			err = s.format
		}
		e.fail(n.typ, err)
	}
	b = append(b, '{')
	begin := len(b)
	for i := range s.list {
		f := &s.list[i]
		q := mem.Add(p, f.off)
		fieldAddr := addr
		if !f.direct {
			if q = f.follow(p); q == nil {
				continue
			}
			fieldAddr = true
		}
		if (f.omitZero || f.omitEmpty) && e.omits(f, q) {
			continue
		}
		before := len(b)
		b = e.name(b, f, before > begin)
		value := len(b)
		b = e.value(b, f.node, q, fieldAddr)
		if f.omitEmpty && e.flags&legacy == 0 && emptyJSON(b[value:]) {
			b = b[:before]
		}
	}
	if s.rest != nil {
		b = e.rest(b, s, p, len(b) > begin)
	}
	return append(b, '}')
}

// follow returns the address of a field to which pointers lead, or nil if one is.
func (f *field) follow(p unsafe.Pointer) unsafe.Pointer {
	for _, s := range f.path {
		if p = mem.Get[unsafe.Pointer](mem.Add(p, s.off)); p == nil {
			return nil
		}
	}
	return mem.Add(p, f.off)
}

// name writes a field's name and the colon, with a comma in front if there is more before it.
func (e *encoder) name(b []byte, f *field, more bool) []byte {
	s := f.written
	if e.flags&escapeHTML != 0 {
		s = f.writtenHTML
	}
	if s == nil {
		if more {
			b = append(b, ',')
		}
		return append(e.text(b, f.tag.name), ':')
	}
	if !more {
		s = s[1:]
	}
	n := len(b)
	if len(s) > 24 || cap(b)-n < 24 {
		return append(b, s...)
	}
	// Three words at most, of which what is too much is overwritten by what follows.
	to := b[n : n+24]
	from := s[:24]
	binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
	if len(s) > 8 {
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(from[8:]))
		binary.LittleEndian.PutUint64(to[16:], binary.LittleEndian.Uint64(from[16:]))
	}
	return b[:n+len(s)]
}

// omits says whether a field with a tag option for that is left out, before it is written.
func (e *encoder) omits(f *field, p unsafe.Pointer) bool {
	v := mem.Value(f.typ, p)
	if f.omitZero && (f.isZero != nil && f.isZero(v) || f.isZero == nil && v.IsZero()) {
		return true
	}
	if !f.omitEmpty || e.flags&legacy == 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

// emptyJSON says whether a value is one that omitempty leaves out.
func emptyJSON(b []byte) bool {
	switch string(b) {
	case "null", `""`, "{}", "[]":
		return true
	}
	return false
}

// rest writes the members of the field for those without one.
func (e *encoder) rest(b []byte, s *structPlan, p unsafe.Pointer, more bool) []byte {
	q := s.rest.follow(p)
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
		if e.flags&allowDuplicateNames == 0 && s.names.find(s.list, []byte(k.String())) >= 0 {
			e.fail(nil, ErrDuplicateName)
		}
	}
	if more {
		b = append(b, ',')
	}
	at := len(b)
	b = e.mapping(b, planOf(m.Type()), m.Addr().UnsafePointer())
	return append(b[:at], b[at+1:len(b)-1]...)
}

// An entry is an entry of a map that is being written.
type entry struct {
	name string
	val  reflect.Value
}

// mapping writes a map.
func (e *encoder) mapping(b []byte, n *node, p unsafe.Pointer) []byte {
	m := mem.Value(n.typ, p)
	if m.IsNil() && e.flags&nilMapAsNull != 0 {
		return append(b, "null"...)
	}
	e.checkKey(n)
	at := m.UnsafePointer()
	e.enter(n.typ, at, 0)
	entries := make([]entry, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		entries = append(entries, entry{e.keyName(n, it.Key()), it.Value()})
	}
	if e.flags&deterministic != 0 {
		slices.SortFunc(entries, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	}
	b = append(b, '{')
	copied := reflect.New(n.typ.Elem())
	for i := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(e.text(b, entries[i].name), ':')
		copied.Elem().Set(entries[i].val)
		b = e.value(b, n.elem, copied.UnsafePointer(), false)
	}
	e.leave(n.typ, at, 0)
	return append(b, '}')
}

// anyMap is mapping for the most usual kind.
func (e *encoder) anyMap(b []byte, m map[string]any) []byte {
	if m == nil && e.flags&nilMapAsNull != 0 {
		return append(b, "null"...)
	}
	p := mem.Get[unsafe.Pointer](unsafe.Pointer(&m)) // fact 9
	e.enter(anyMapType, p, 0)
	b = append(b, '{')
	if e.flags&deterministic != 0 && len(m) > 1 {
		b = e.sortedMap(b, m)
	} else {
		first := true
		for k, v := range m {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(e.text(b, k), ':')
			b = e.any(b, v)
		}
	}
	e.leave(anyMapType, p, 0)
	return append(b, '}')
}

var anyMapType = reflect.TypeFor[map[string]any]()

func (e *encoder) sortedMap(b []byte, m map[string]any) []byte {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	for i, k := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(e.text(b, k), ':')
		b = e.any(b, m[k])
	}
	return b
}

// checkKey fails if the keys of a map can't be names.
func (e *encoder) checkKey(n *node) {
	if e.flags&legacy == 0 || !classic {
		return
	}
	switch k := n.typ.Key(); k.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
	default:
		if !k.Implements(textMarshalerType) {
			e.fail(n.typ, nil)
		}
	}
}

// keyName returns the name for a key.
func (e *encoder) keyName(n *node, k reflect.Value) string {
	if k.Kind() == reflect.String && (n.mapKey.out == outPlain || e.flags&legacy != 0) {
		return k.String()
	}
	if k.Kind() == reflect.Interface && !k.IsNil() {
		k = k.Elem()
	}
	copied := reflect.New(k.Type())
	copied.Elem().Set(k)
	key := planOf(k.Type())
	if e.flags&legacy != 0 && classic {
		return e.classicKey(key, copied, n.typ)
	}
	inner := encoder{flags: e.flags | stringifyNumbers}
	b := inner.value(nil, key, copied.UnsafePointer(), e.flags&legacy == 0)
	d := decoder{data: b, flags: e.flags}
	name, end := d.text(0)
	if end != len(b) {
		e.fail(k.Type(), errName)
	}
	return string(name)
}

// classicKey is keyName as encoding/json does it.
func (e *encoder) classicKey(key *node, p reflect.Value, t reflect.Type) string {
	if m, ok := p.Elem().Interface().(interface{ MarshalText() ([]byte, error) }); ok {
		if p.Elem().Kind() == reflect.Pointer && p.Elem().IsNil() {
			return ""
		}
		b, err := m.MarshalText()
		if err != nil {
			panic(encodeError{fmt.Errorf("json: encoding error for type %q: %q", t.String(), err.Error())})
		}
		return string(b)
	}
	if key.plain != nil {
		key = key.plain
	}
	switch key.kind {
	case kindInt64, kindInt, kindUint, kindFloat64, kindFloat32:
		return string(e.number(nil, key, p.UnsafePointer(), false))
	}
	e.fail(t, nil)
	return ""
}
