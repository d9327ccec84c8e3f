package arenajson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how values are written, by the same plans by which they are read.

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func newEncoder(set option.Flags) *encoder {
	e := encoders.Get().(*encoder)
	e.flags = set
	return e
}

// keep keeps an encoder that has come to the end of a value for the next one.
func (e *encoder) keep(out []byte) {
	if e.buf = out; cap(e.buf) > mem.KeepBytes {
		e.buf = nil
	}
	if cap(e.keys) > mem.KeepBytes {
		e.keys = nil
	}
	e.keys = e.keys[:0]
	encoders.Put(e)
}

// An encoder writes one value.
type encoder struct {
	flags option.Flags
	depth int // of pointers, maps and slices
	seen  map[visit]struct{}
	names []string // of the maps that are being written in order, those of inner ones behind
	keys  []byte   // names of integers, of maps that are being written in order
	buf   []byte   // for what isn't appended to a caller's
}

// A visit is a pointer, map or slice that the encoder is in.
type visit struct {
	typ reflect.Type
	p   unsafe.Pointer
	len int
}

// cycleDepth is how deep an encoder goes before it looks for cycles.
const cycleDepth = 1000

// An encodeError is what the encoder panics with, and encode recovers: a fault, or an error as the
// original encoding/json returns it.
type encodeError struct {
	fault *syntax.Fault
	err   error
}

func (e *encoder) encode(b []byte, v any) (out []byte, f *syntax.Fault, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case encodeError:
			f, err = r.fault, r.err
		case number.NotFinite:
			f, err = e.notFinite(r.F, r.Size)
		case text.Utf8Error:
			f, err = e.errorOf(plan.StringType, r)
		default:
			panic(r)
		}
	}()
	return e.any(b, v), nil, nil
}

// fail ends the encoder.
func (e *encoder) fail(t reflect.Type, err error) {
	f, err := e.errorOf(t, err)
	panic(encodeError{f, err})
}

// errorOf returns the error for a value of a type that can't be written. A nil err means that
// none of the type can.
func (e *encoder) errorOf(t reflect.Type, err error) (*syntax.Fault, error) {
	switch {
	case e.flags&option.Legacy == 0:
		return &syntax.Fault{Type: t, Err: err, Writing: true}, nil
	case err == nil:
		return nil, &json.UnsupportedTypeError{Type: t}
	}
	return nil, err
}

// notFinite returns the error for a float of so many bits that JSON has no number for.
func (e *encoder) notFinite(f float64, size int) (*syntax.Fault, error) {
	t := reflect.TypeFor[float64]()
	if size == 32 {
		t = reflect.TypeFor[float32]()
	}
	if e.flags&option.Legacy != 0 {
		return nil, &json.UnsupportedValueError{Value: reflect.ValueOf(f).Convert(t), Str: strconv.FormatFloat(f, 'g', -1, size)}
	}
	return e.errorOf(t, fmt.Errorf("unsupported value: %v", f))
}

// any writes what is in an interface.
func (e *encoder) any(b []byte, v any) []byte {
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
	if n, p := plan.OfPointer(v); n != nil {
		return e.pointer(b, n, p)
	}
	t := reflect.TypeOf(v)
	n := plan.Of(t)
	if n.Writer == plan.ByKind && n.Kind != plan.KindMap && !n.Word {
		return e.value(b, n, mem.Data(v), false)
	}
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(v))
	return e.value(b, n, copied.UnsafePointer(), false)
}

// value writes the value at p, which is addressable as reflect has it, or not.
func (e *encoder) value(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	return e.byKind(b, n, n.Write, p, addr)
}

// byKind writes the value at p as one of a kind.
func (e *encoder) byKind(b []byte, n *plan.Node, k plan.Kind, p unsafe.Pointer, addr bool) []byte {
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

// rare is value for the kinds that are.
//
//go:noinline
func (e *encoder) rare(b []byte, n *plan.Node, k plan.Kind, p unsafe.Pointer, addr bool) []byte {
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
			return number.AppendInt(mem.Room(b, number.Room), mem.Get[int64](p))
		}
		e.fail(n.Typ, plan.ErrDuration)
	case plan.KindText, plan.KindMethod, plan.KindArena: // that only read by methods
		return e.byKind(b, n.Plain, n.Plain.Kind, p, addr)
	}
	e.fail(n.Typ, nil)
	return b
}

// enter is called before what a pointer leads to is written, and leave afterwards. They find
// cycles.
func (e *encoder) enter(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth++; e.depth > cycleDepth {
		e.visit(visit{t, p, n})
	}
}

func (e *encoder) visit(v visit) {
	if _, ok := e.seen[v]; ok {
		err := fmt.Errorf("encountered a cycle via %s", v.typ)
		if e.flags&option.Legacy != 0 {
			err = &json.UnsupportedValueError{Value: reflect.Zero(v.typ), Str: err.Error()}
		}
		e.fail(v.typ, err)
	}
	if e.seen == nil {
		e.seen = map[visit]struct{}{}
	}
	e.seen[v] = struct{}{}
}

func (e *encoder) leave(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth--; e.depth >= cycleDepth {
		delete(e.seen, visit{t, p, n})
	}
}

// pointer writes what q points to, of the plan n. Pointers of several types to the same type are alike
// to the search for cycles.
func (e *encoder) pointer(b []byte, n *plan.Node, q unsafe.Pointer) []byte {
	if q == nil {
		return append(b, "null"...)
	}
	if e.depth++; e.depth > cycleDepth {
		e.visit(visit{reflect.PointerTo(n.Typ), q, 0})
	}
	b = e.byKind(b, n, n.Write, q, true)
	if e.depth--; e.depth >= cycleDepth {
		delete(e.seen, visit{reflect.PointerTo(n.Typ), q, 0})
	}
	return b
}

func (e *encoder) iface(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	v := mem.Value(n.Typ, p)
	if v.IsNil() {
		return append(b, "null"...)
	}
	return e.any(b, v.Elem().Interface())
}
