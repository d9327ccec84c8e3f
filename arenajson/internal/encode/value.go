package encode

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file selects the function for each kind of value, by the plans that decoding uses.
//
// With the options of v1 methods of pointers to a value are called only if it is addressable, in
// the sense of reflect. A pointer's target is, and so are a slice's elements; values in interfaces
// and in maps aren't. Fields and elements of arrays are if the whole is.

// Append appends v to b. It returns a fault or an error if v can't be written; then out is useless.
func (e *Encoder) Append(b []byte, v any) (out []byte, f *syntax.Fault, err error) {
	// Recover the panics of fail and of the writers of floats and strings; other panics go on.
	defer func() {
		switch r := recover().(type) {
		case nil:
		case encodeError:
			f, err = r.fault, r.err
		case number.NotFinite:
			f, err = e.notFinite(r.F, r.Size)
		case text.UTF8Error:
			f, err = e.errorOf(plan.StringType, r)
		default:
			panic(r)
		}
	}()
	return e.any(b, v), nil, nil
}

// any writes the value in an interface. The types that JSON in an any is decoded into come first,
// and need no plan.
func (e *Encoder) any(b []byte, v any) []byte {
	if e.flags&option.StringifyNumbers == 0 {
		switch v := v.(type) {
		case nil:
			return append(b, "null"...)
		case string:
			return text.Append(b, v, e.flags)
		case float64:
			return number.AppendFloat64(b, v)
		case bool:
			return appendBool(mem.Room(b, 8), v)
		case []any:
			return e.anys(b, v)
		case map[string]any:
			return e.anyMap(b, v)
		}
	}
	if v == nil {
		return append(b, "null"...)
	}
	// A pointer is found by the word of the interface alone. Other values need an address: that in
	// the interface, or of a copy if writing could change the value or needs it to be addressable.
	if n, p := plan.OfPointer(v); n != nil {
		return e.pointer(b, n, p)
	}
	t := reflect.TypeOf(v)
	n := plan.Of(t)
	if n.Writer == plan.ByKind && n.Kind != plan.KindMap && !n.Word {
		return e.value(b, n, mem.Data(v), false)
	}
	// A copy, as the value in an interface mustn't change, and methods might change it.
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(v))
	return e.value(b, n, copied.UnsafePointer(), false)
}

// value writes the value at p. addr: it is addressable in the sense of reflect, so that methods of
// pointers to it are called with the options of v1, too.
func (e *Encoder) value(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	return e.byKind(b, n, n.Write, p, addr)
}

// byKind writes the value at p as one of kind k, which may differ from n's: for a type without its
// methods.
func (e *Encoder) byKind(b []byte, n *plan.Node, k plan.Kind, p unsafe.Pointer, addr bool) []byte {
	switch k {
	case plan.KindString:
		return text.Append(b, mem.Get[string](p), e.flags)
	case plan.KindStruct:
		return e.object(b, n, p, addr)
	case plan.KindFloat64:
		if e.flags&option.StringifyNumbers == 0 {
			return number.AppendFloat64(b, mem.Get[float64](p))
		}
		return e.number(b, n, p, true)
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat32:
		return e.number(b, n, p, e.flags&option.StringifyNumbers != 0)
	case plan.KindBool:
		return appendBool(mem.Room(b, 8), mem.Get[bool](p))
	case plan.KindSlice:
		return e.slice(b, n, p)
	case plan.KindArray:
		return e.list(b, n.Elem, p, n.Len, addr)
	case plan.KindPointer:
		return e.pointer(b, n.Elem, mem.Get[unsafe.Pointer](p))
	case plan.KindAny:
		return e.any(b, mem.Get[any](p))
	case plan.KindInterface:
		return e.iface(b, n, p)
	case plan.KindMap:
		return e.mapping(b, n, p)
	}
	return e.rare(b, n, k, p, addr)
}

// rare is byKind for the rare kinds. It isn't inlined, so that byKind stays small.
//
//go:noinline
func (e *Encoder) rare(b []byte, n *plan.Node, k plan.Kind, p unsafe.Pointer, addr bool) []byte {
	switch k {
	case plan.KindWriter:
		return e.method(b, n, p, addr)
	case plan.KindBytes, plan.KindByteArray:
		return e.bytes(b, n, p, addr)
	case plan.KindNumber:
		return e.jsonNumber(b, mem.Get[string](p), e.flags&option.StringifyNumbers != 0)
	case plan.KindObject:
		return e.members(b, mem.Get[[]plan.Pair](p))
	case plan.KindQuoted:
		return e.quoted(b, n.Elem, p, addr)
	case plan.KindRaw:
		return e.raw(b, n, mem.Get[[]byte](p))
	case plan.KindTime:
		return e.time(b, n, p)
	case plan.KindTable:
		return e.table(b, n, p)
	case plan.KindList:
		return e.items(b, n, p)
	case plan.KindDuration:
		if e.flags&option.Legacy != 0 {
			return e.number(b, plan.Nanoseconds, p, e.flags&option.StringifyNumbers != 0)
		}
		e.fail(n.Type, plan.ErrDuration)
	// A type may have methods for one direction only.
	case plan.KindText, plan.KindMethod, plan.KindArena: // with methods for reading only
		return e.byKind(b, n.Plain, n.Plain.Kind, p, addr)
	}
	// The type has no JSON: a channel, a function, a complex number.
	e.fail(n.Type, nil)
	return b
}

// pointer writes the target of q, of the plan n. The search for cycles doesn't distinguish several
// pointer types to the same type.
func (e *Encoder) pointer(b []byte, n *plan.Node, q unsafe.Pointer) []byte {
	if q == nil {
		return append(b, "null"...)
	}
	if e.depth++; e.depth > cycleDepth {
		e.visit(visit{reflect.PointerTo(n.Type), q, 0})
	}
	b = e.byKind(b, n, n.Write, q, true)
	if e.depth--; e.depth >= cycleDepth {
		delete(e.seen, visit{reflect.PointerTo(n.Type), q, 0})
	}
	return b
}

// iface writes the value in an interface with methods, which only reflect finds.
func (e *Encoder) iface(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	v := mem.Value(n.Type, p)
	if v.IsNil() {
		return append(b, "null"...)
	}
	return e.any(b, v.Elem().Interface())
}
