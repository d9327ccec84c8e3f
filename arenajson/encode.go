package arenajson

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how values are written, by the same plans by which they are read.

// Append appends v as JSON to dst, as Marshal of package encoding/json/v2 writes it; with
// [DefaultOptionsV1] as that of encoding/json. On an error it returns dst as it was. It allocates
// nothing if dst has room, but for maps, cycles and what methods of types allocate.
func Append(dst []byte, v any, opts ...Options) ([]byte, error) {
	e := encoders.Get().(*encoder)
	o := join(opts)
	e.flags = o.set
	b, err := e.encode(dst, v)
	e.seen, e.depth = nil, 0
	encoders.Put(e)
	if err != nil {
		return dst, err
	}
	return b, nil
}

// Marshal returns v as JSON, in memory of the arena; a nil a is the Go heap. See [Append].
func Marshal(a *arena.Arena, v any, opts ...Options) (b []byte, err error) {
	scratch := buffers.Get().(*[]byte)
	out, err := Append((*scratch)[:0], v, opts...)
	if err == nil {
		b, err = copyIn(a, out)
	}
	keepBuffer(scratch, out)
	return b, err
}

func copyIn(a *arena.Arena, b []byte) (c []byte, err error) {
	defer recoverLimit(&err)
	c = a.AllocBytesUninit(len(b))
	copy(c, b)
	return c, nil
}

// MarshalWrite writes v as JSON to w, without a newline. See [Append].
func MarshalWrite(w io.Writer, v any, opts ...Options) error {
	scratch := buffers.Get().(*[]byte)
	out, err := Append((*scratch)[:0], v, opts...)
	if err == nil {
		_, err = w.Write(out)
	}
	keepBuffer(scratch, out)
	return err
}

var (
	encoders = sync.Pool{New: func() any { return new(encoder) }}
	buffers  = sync.Pool{New: func() any { return new([]byte) }}
)

// keepBytes is up to how many bytes a buffer has that is kept for the next value: the pool lets go of
// it when nobody has needed it for two collections.
const keepBytes = 16 << 20

func keepBuffer(p *[]byte, b []byte) {
	if cap(b) <= keepBytes {
		*p = b[:0]
	}
	buffers.Put(p)
}

// An encoder writes one value.
type encoder struct {
	flags flags
	depth int // of pointers, maps and slices
	seen  map[visit]struct{}
}

// A visit is a pointer, map or slice that the encoder is in.
type visit struct {
	typ reflect.Type
	p   unsafe.Pointer
	len int
}

// cycleDepth is how deep an encoder goes before it looks for cycles.
const cycleDepth = 1000

// A encodeError is what the encoder panics with, and encode recovers.
type encodeError struct{ err error }

func (e *encoder) encode(b []byte, v any) (out []byte, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case encodeError:
			err = r.err
		default:
			panic(r)
		}
	}()
	return e.any(b, v), nil
}

// fail ends the encoder.
func (e *encoder) fail(t reflect.Type, err error) {
	if e.flags&legacy != 0 && err == nil {
		err = &json.UnsupportedTypeError{Type: t}
	} else if e.flags&legacy == 0 {
		err = &Error{Type: t, Err: err, writing: true}
	}
	panic(encodeError{err})
}

// any writes what is in an interface.
func (e *encoder) any(b []byte, v any) []byte {
	if e.flags&stringifyNumbers == 0 {
		switch v := v.(type) {
		case nil:
			return append(b, "null"...)
		case string:
			return e.text(b, v)
		case float64:
			return e.float(b, v, 64)
		case bool:
			return strconv.AppendBool(b, v)
		case []any:
			return e.anys(b, v)
		case map[string]any:
			return e.anyMap(b, v)
		}
	}
	if v == nil {
		return append(b, "null"...)
	}
	t := reflect.TypeOf(v)
	n := planOf(t)
	if t.Kind() == reflect.Pointer {
		return e.pointer(b, n, mem.Data(v))
	}
	if n.out == outPlain && n.kind != kindMap && !n.word {
		return e.value(b, n, mem.Data(v), false)
	}
	copied := reflect.New(t)
	copied.Elem().Set(reflect.ValueOf(v))
	return e.value(b, n, copied.UnsafePointer(), false)
}

// value writes the value at p, which is addressable as reflect has it, or not. It is inlined.
func (e *encoder) value(b []byte, n *node, p unsafe.Pointer, addr bool) []byte {
	return e.byKind(b, n, n.write, p, addr)
}

// byKind writes the value at p as one of a kind.
func (e *encoder) byKind(b []byte, n *node, k kind, p unsafe.Pointer, addr bool) []byte {
	switch k {
	case kindString:
		return e.text(b, mem.Get[string](p))
	case kindStruct:
		return e.object(b, n, p, addr)
	case kindInt64, kindInt, kindUint, kindFloat64, kindFloat32:
		return e.number(b, n, p, e.flags&stringifyNumbers != 0)
	case kindBool:
		return strconv.AppendBool(b, mem.Get[bool](p))
	case kindSlice:
		return e.slice(b, n, p)
	case kindArray:
		return e.list(b, n.elem, p, n.len, addr)
	case kindPointer:
		return e.pointer(b, n, mem.Get[unsafe.Pointer](p))
	case kindAny:
		return e.any(b, mem.Get[any](p))
	case kindInterface:
		return e.iface(b, n, p)
	case kindMap:
		return e.mapping(b, n, p)
	}
	return e.rare(b, n, k, p, addr)
}

// rare is value for the kinds that are.
//
//go:noinline
func (e *encoder) rare(b []byte, n *node, k kind, p unsafe.Pointer, addr bool) []byte {
	switch k {
	case kindWriter:
		return e.method(b, n, p, addr)
	case kindBytes, kindByteArray:
		return e.bytes(b, n, p, addr)
	case kindNumber:
		return e.jsonNumber(b, mem.Get[string](p), e.flags&stringifyNumbers != 0)
	case kindObject:
		return e.members(b, mem.Get[Object](p))
	case kindQuoted:
		return e.quoted(b, n.elem, p, addr)
	case kindRaw:
		return e.raw(b, n, mem.Get[[]byte](p))
	case kindTime:
		return e.time(b, n, p)
	case kindDuration:
		if e.flags&legacy != 0 {
			return strconv.AppendInt(b, mem.Get[int64](p), 10)
		}
		e.fail(n.typ, errDuration)
	case kindText, kindMethod, kindArena: // that only read by methods
		return e.byKind(b, n.plain, n.plain.kind, p, addr)
	}
	e.fail(n.typ, nil)
	return b
}

// enter is called before what a pointer leads to is written, and leave afterwards. They find
// cycles.
func (e *encoder) enter(t reflect.Type, p unsafe.Pointer, n int) {
	if e.depth++; e.depth <= cycleDepth {
		return
	}
	v := visit{t, p, n}
	if _, ok := e.seen[v]; ok {
		err := fmt.Errorf("encountered a cycle via %s", t)
		if e.flags&legacy != 0 {
			err = &json.UnsupportedValueError{Value: reflect.Zero(t), Str: err.Error()}
		}
		e.fail(t, err)
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

// pointer writes what q points to.
func (e *encoder) pointer(b []byte, n *node, q unsafe.Pointer) []byte {
	if q == nil {
		return append(b, "null"...)
	}
	e.enter(n.typ, q, 0)
	b = e.value(b, n.elem, q, true)
	e.leave(n.typ, q, 0)
	return b
}

func (e *encoder) iface(b []byte, n *node, p unsafe.Pointer) []byte {
	v := mem.Value(n.typ, p)
	if v.IsNil() {
		return append(b, "null"...)
	}
	return e.any(b, v.Elem().Interface())
}

func (e *encoder) slice(b []byte, n *node, p unsafe.Pointer) []byte {
	s := mem.Get[mem.Slice](p)
	if s.Data == nil && e.flags&nilSliceAsNull != 0 {
		return append(b, "null"...)
	}
	e.enter(n.typ, s.Data, s.Len)
	b = e.list(b, n.elem, s.Data, s.Len, true)
	e.leave(n.typ, s.Data, s.Len)
	return b
}

// list writes the n values at p as an array.
func (e *encoder) list(b []byte, elem *node, p unsafe.Pointer, n int, addr bool) []byte {
	b = append(b, '[')
	if elem.write == kindFloat64 && e.flags&stringifyNumbers == 0 {
		b = e.floats(b, p, n)
	} else {
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.value(b, elem, mem.Add(p, uintptr(i)*elem.size), addr)
		}
	}
	return append(b, ']')
}

func (e *encoder) anys(b []byte, all []any) []byte {
	if all == nil && e.flags&nilSliceAsNull != 0 {
		return append(b, "null"...)
	}
	p := unsafe.Pointer(unsafe.SliceData(all))
	e.enter(anysType, p, len(all))
	b = append(b, '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.any(b, v)
	}
	e.leave(anysType, p, len(all))
	return append(b, ']')
}

var anysType = reflect.TypeFor[[]any]()

// members writes an Object. Its names must be unique where they have to be.
func (e *encoder) members(b []byte, o Object) []byte {
	if o == nil {
		return append(b, "null"...)
	}
	if e.flags&allowDuplicateNames == 0 && !uniqueNames(o) {
		e.fail(objectType, ErrDuplicateName)
	}
	e.enter(objectType, unsafe.Pointer(unsafe.SliceData(o)), len(o))
	b = append(b, '{')
	for i := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(e.text(b, o[i].Name), ':')
		b = e.any(b, o[i].Value)
	}
	e.leave(objectType, unsafe.Pointer(unsafe.SliceData(o)), len(o))
	return append(b, '}')
}
