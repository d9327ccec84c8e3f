package encode

import (
	"encoding"
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes values by their methods. The first of these is called: MarshalJSONTo,
// MarshalJSON, AppendText, MarshalText. The first two return JSON, which is checked and loses its
// white space; the others return text, which becomes a string.

// method writes a value by its method. The options of v1 call methods of pointers only on
// addressable values.
func (e *Encoder) method(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	v := mem.Value(n.Type, p)
	// A pointer to the value has all methods: its own and the value's.
	target := v.Addr().Interface()
	if e.flags&option.Legacy != 0 && !addr {
		if target = v.Interface(); !e.callable(target) {
			return e.byKind(b, n, n.Kind, p, addr)
		}
	}
	if e.naming && e.flags&option.Legacy != 0 {
		// Strings are names unchanged; others are written by methods for text only.
		if n.Type.Kind() == reflect.String || !hasTextMethod(target) {
			return e.byKind(b, n, n.Kind, p, addr)
		}
		return e.textMethod(b, n, target)
	}
	// The methods of version 2 come first, then MarshalJSON, then those for text.
	if out, done := e.methodTo(b, n, target); done {
		return out
	}
	if m, ok := target.(json.Marshaler); ok {
		raw, err := m.MarshalJSON()
		if err != nil {
			e.failMethod(n.Type, err, "MarshalJSON")
		}
		return e.raw(b, n, raw)
	}
	return e.textMethod(b, n, target)
}

// callable reports whether v itself, and not only a pointer to it, has a method that is called.
func (e *Encoder) callable(v any) bool {
	_, ok := v.(json.Marshaler)
	return ok || hasTextMethod(v)
}

// hasTextMethod reports whether v has a method that writes text with the options of v1.
func hasTextMethod(v any) bool {
	switch v.(type) {
	case encoding.TextMarshaler:
		return true
	case encoding.TextAppender:
		return !option.Classic
	}
	return false
}

// textMethod writes target by AppendText or MarshalText. If it has neither, only pointers of its
// type have them, and it is written without methods.
func (e *Encoder) textMethod(b []byte, n *plan.Node, target any) []byte {
	if m, ok := target.(encoding.TextAppender); ok && (e.flags&option.Legacy == 0 || !option.Classic) {
		// The method can't append to b, since the text must be escaped.
		s, err := m.AppendText(nil)
		if err != nil {
			e.failMethod(n.Type, err, "AppendText")
		}
		return text.Append(b, string(s), e.flags)
	}
	m, ok := target.(encoding.TextMarshaler)
	if !ok {
		return e.byKind(b, n, n.Kind, mem.Data(target), true)
	}
	s, err := m.MarshalText()
	if err != nil {
		e.failMethod(n.Type, err, "MarshalText")
	}
	return text.Append(b, string(s), e.flags)
}
