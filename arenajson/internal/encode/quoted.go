package encode

import (
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes fields with the tag option string.

// quoted writes the value of a field with the tag option string: numbers in quotes, and with the
// options of v1 bools and strings as well. The option applies to targets of pointers, too. Any
// other type is an error in version 2, and written without the option in version 1.
func (e *Encoder) quoted(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	// Methods ignore the option, which is for values without methods.
	if n.Writer != plan.ByKind && (addr || e.flags&option.Legacy == 0 || e.callable(mem.Value(n.Type, p).Interface())) {
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
	// With the options of v1 the option applies through one pointer only, and in the original only
	// if the pointer's type has no name.
	case plan.KindPointer:
		q := mem.Get[unsafe.Pointer](p)
		if q == nil {
			return append(b, "null"...)
		}
		if e.flags&option.Legacy != 0 && (n.Elem.Kind == plan.KindPointer || option.Classic && n.Type.Name() != "") {
			return e.value(b, n.Elem, q, true)
		}
		return e.quoted(b, n.Elem, q, true)
	}
	if e.flags&option.Legacy == 0 {
		e.fail(n.Type, plan.ErrStringTag)
	}
	switch n.Kind {
	case plan.KindBool:
		b = append(b, '"')
		b = e.value(b, n, p, addr)
		return append(b, '"')
	case plan.KindString:
		// A JSON string within a string; the outer one needs no escapes for HTML again.
		inner := text.Append(nil, mem.Get[string](p), e.flags)
		plain := e.flags &^ (option.EscapeHTML | option.EscapeJS)
		return text.Append(b, string(inner), plain)
	case plan.KindDuration:
		return e.number(b, plan.Nanoseconds, p, true)
	}
	return e.value(b, n, p, addr)
}
