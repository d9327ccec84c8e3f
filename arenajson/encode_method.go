package arenajson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// method writes a value by its method. The options of v1 don't call those of a pointer to a
// value that isn't addressable.
func (e *encoder) method(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	v := mem.Value(n.Typ, p)
	target := v.Addr().Interface()
	if e.flags&option.Legacy != 0 && !addr {
		if target = v.Interface(); !e.callable(target) {
			return e.byKind(b, n, n.Kind, p, addr)
		}
	}
	if out, done := e.methodTo(b, n, target); done {
		return out
	}
	if m, ok := target.(json.Marshaler); ok {
		raw, err := m.MarshalJSON()
		if err != nil {
			e.failMethod(n.Typ, err, "MarshalJSON")
		}
		return e.raw(b, n, raw)
	}
	return e.textMethod(b, n, target)
}

func (e *encoder) callable(v any) bool {
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	case encoding.TextAppender:
		return !option.Classic
	}
	return false
}

func (e *encoder) textMethod(b []byte, n *plan.Node, target any) []byte {
	if m, ok := target.(encoding.TextAppender); ok && (e.flags&option.Legacy == 0 || !option.Classic) {
		s, err := m.AppendText(nil)
		if err != nil {
			e.failMethod(n.Typ, err, "AppendText")
		}
		return text.Append(b, string(s), e.flags)
	}
	m, ok := target.(encoding.TextMarshaler)
	if !ok {
		return e.byKind(b, n, n.Kind, mem.Data(target), true)
	}
	s, err := m.MarshalText()
	if err != nil {
		e.failMethod(n.Typ, err, "MarshalText")
	}
	return text.Append(b, string(s), e.flags)
}

// failMethod reports what a method has returned.
func (e *encoder) failMethod(t reflect.Type, err error, name string) {
	if e.flags&option.Legacy != 0 {
		panic(encodeError{err: &json.MarshalerError{Type: t, Err: err}})
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	e.fail(t, err)
}

// raw writes a value that is JSON already, without white space.
func (e *encoder) raw(b []byte, n *plan.Node, raw []byte) []byte {
	if raw == nil && n.Kind == plan.KindRaw {
		return append(b, "null"...)
	}
	f := e.flags
	if f&option.Legacy != 0 {
		f |= option.AllowInvalidUTF8
	}
	d := syntax.Reader{Data: raw, Flags: f, Depth: option.DefaultDepth}
	i := text.SkipSpace(raw, 0)
	end := d.Skip(i)
	if end < 0 || text.SkipSpace(raw, end) != len(raw) {
		if e.flags&option.Legacy != 0 {
			e.failMethod(n.Typ, json.Unmarshal(raw, new(json.RawMessage)), "MarshalJSON")
		}
		inner := syntax.Diagnose(raw, f, option.DefaultDepth)
		panic(encodeError{fault: &syntax.Fault{Type: n.Typ, Inner: inner, Writing: true}})
	}
	return e.compact(b, &d, i, end)
}

// compact writes the value from i to end, which is valid, without white space.
func (e *encoder) compact(b []byte, d *syntax.Reader, i, end int) []byte {
	start := i // of what is written as it is
	for i < end {
		switch c := d.Data[i]; {
		case c == '"':
			next := d.SkipText(i)
			if !e.asIs(d.Data[i:next]) {
				b = append(b, d.Data[start:i]...)
				b = e.rawText(b, d, i, next)
				start = next
			}
			i = next
		case c <= ' ':
			b = append(b, d.Data[start:i]...)
			i = text.SkipSpace(d.Data, i)
			start = i
		default:
			i++
		}
	}
	return append(b, d.Data[start:end]...)
}

// asIs says whether rawText would write a string as it is. It may say no of others.
func (e *encoder) asIs(s []byte) bool {
	if e.flags&option.Legacy == 0 {
		return e.flags&option.AllowInvalidUTF8 == 0 && bytes.IndexByte(s, '\\') < 0
	}
	if e.flags&(option.EscapeHTML|option.EscapeJS) == 0 {
		return true
	}
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if w := mem.Load64(s, i); w&text.Highs|text.Markup(w) != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// rawText writes a string that is JSON: with the options of v1 as it is but for HTML, else in
// the shortest way.
func (e *encoder) rawText(b []byte, d *syntax.Reader, i, end int) []byte {
	if e.flags&option.Legacy == 0 {
		s, _ := d.Text(i)
		return text.Append(b, mem.String(s), e.flags)
	}
	start := i
	for ; i < end; i++ {
		c := d.Data[i]
		switch {
		case e.flags&option.EscapeHTML != 0 && (c == '<' || c == '>' || c == '&'):
			b = append(b, d.Data[start:i]...)
			b = text.AppendEscape(b, c)
			start = i + 1
		case e.flags&option.EscapeJS != 0 && c == 0xe2 && i+2 < end && d.Data[i+1] == 0x80 && d.Data[i+2]&^1 == 0xa8:
			b = append(b, d.Data[start:i]...)
			b = append(b, '\\', 'u', '2', '0', '2', text.HexDigits[d.Data[i+2]&15])
			start = i + 3
		}
	}
	return append(b, d.Data[start:end]...)
}

// jsonNumber writes a json.Number.
func (e *encoder) jsonNumber(b []byte, s string, stringify bool) []byte {
	if s == "" {
		s = "0"
	}
	if number.Skip([]byte(s), 0) != len(s) {
		err := fmt.Errorf("json: invalid number literal %q", s)
		if e.flags&option.Legacy != 0 {
			panic(encodeError{err: err})
		}
		e.fail(plan.NumberType, err)
	}
	if stringify {
		b = append(b, '"')
	}
	b = append(b, s...)
	if stringify {
		b = append(b, '"')
	}
	return b
}

func (e *encoder) time(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	b = append(b, '"')
	b, err := mem.At[time.Time](p).AppendText(b)
	if err != nil {
		e.failMethod(n.Typ, err, "MarshalJSON")
	}
	return append(b, '"')
}

// quoted writes the value of a field with the tag option string.
func (e *encoder) quoted(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	if n.Writer != plan.ByKind && (addr || e.flags&option.Legacy == 0 || e.callable(mem.Value(n.Typ, p).Interface())) {
		return e.value(b, n, p, addr)
	}
	if k := n.Kind; k == plan.KindText || k == plan.KindMethod || k == plan.KindArena {
		n = n.Plain
	}
	switch n.Kind {
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat64, plan.KindFloat32:
		return e.number(b, n, p, true)
	case plan.KindNumber:
		return e.jsonNumber(b, mem.Get[string](p), true)
	case plan.KindRaw:
		return e.value(b, n, p, addr)
	case plan.KindPointer:
		q := mem.Get[unsafe.Pointer](p)
		if q == nil {
			return append(b, "null"...)
		}
		if e.flags&option.Legacy != 0 && n.Elem.Kind == plan.KindPointer {
			return e.value(b, n.Elem, q, true)
		}
		return e.quoted(b, n.Elem, q, true)
	}
	if e.flags&option.Legacy == 0 {
		e.fail(n.Typ, plan.ErrStringTag)
	}
	switch n.Kind {
	case plan.KindBool:
		b = append(b, '"')
		b = e.value(b, n, p, addr)
		return append(b, '"')
	case plan.KindString:
		inner := text.Append(nil, mem.Get[string](p), e.flags)
		plain := e.flags &^ (option.EscapeHTML | option.EscapeJS)
		return text.Append(b, string(inner), plain)
	case plan.KindDuration:
		return e.number(b, &plan.Node{Kind: plan.KindInt64, Size: 8}, p, true)
	}
	return e.value(b, n, p, addr)
}
