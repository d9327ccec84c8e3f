package encode

import (
	"encoding/base64"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes slices, arrays and ordered objects. Lists of floats, integers, strings and
// structs have loops of their own, without a decision for each element. A nil slice is [], or null
// by an option; a nil ordered object is null.

// slice writes the slice at p. A nil one is empty, or null by an option.
func (e *Encoder) slice(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	s := mem.Get[mem.Slice](p)
	if s.Len == 0 {
		if s.Data == nil && e.flags&option.NilSliceAsNull != 0 {
			return append(b, "null"...)
		}
		return append(b, '[', ']')
	}
	// A slice may contain itself, through an interface.
	e.enter(n.Type, s.Data, s.Len)
	b = e.list(b, n.Elem, s.Data, s.Len, true)
	e.leave(n.Type, s.Data, s.Len)
	return b
}

// list writes the n values at p, of the plan elem, as an array. addr: they are addressable.
func (e *Encoder) list(b []byte, elem *plan.Node, p unsafe.Pointer, n int, addr bool) []byte {
	if n == 0 {
		return append(b, '[', ']')
	}
	begin := len(b)
	switch k := elem.Write; {
	case k == plan.KindFloat64 && e.flags&option.StringifyNumbers == 0:
		b = e.floats(b, p, n)
	case k == plan.KindInt64 && e.flags&option.StringifyNumbers == 0:
		b = integers(b, p, n)
	case k == plan.KindString:
		b = e.texts(b, p, n)
	// Structs, as the kinds above, are written without byKind.
	case k == plan.KindStruct:
		for i := range n {
			b = e.object(append(b, ','), elem, mem.Add(p, uintptr(i)*elem.Size), addr)
		}
	default:
		for i := range n {
			b = e.byKind(append(b, ','), elem, k, mem.Add(p, uintptr(i)*elem.Size), addr)
		}
	}
	// The first comma becomes the bracket.
	b[begin] = '['
	return append(b, ']')
}

// floats writes the n floats at p, each with a comma in front.
func (e *Encoder) floats(b []byte, p unsafe.Pointer, n int) []byte {
	for _, f := range unsafe.Slice(mem.At[float64](p), n) {
		b = number.AppendFloat64(append(b, ','), f)
	}
	return b
}

// integers writes the n integers of 8 bytes at p, each with a comma in front.
func integers(b []byte, p unsafe.Pointer, n int) []byte {
	for _, i := range unsafe.Slice(mem.At[int64](p), n) {
		b = number.AppendInt(mem.Room(append(b, ','), number.Room), i)
	}
	return b
}

// texts writes the n strings at p, each with a comma in front.
func (e *Encoder) texts(b []byte, p unsafe.Pointer, n int) []byte {
	for _, s := range unsafe.Slice(mem.At[string](p), n) {
		b = text.Append(append(b, ','), s, e.flags)
	}
	return b
}

// anys is slice for a slice of any in an interface, without a plan.
func (e *Encoder) anys(b []byte, all []any) []byte {
	if len(all) == 0 {
		if all == nil && e.flags&option.NilSliceAsNull != 0 {
			return append(b, "null"...)
		}
		return append(b, '[', ']')
	}
	p := unsafe.Pointer(unsafe.SliceData(all))
	e.enter(anysType, p, len(all))
	begin := len(b)
	for _, v := range all {
		b = e.any(append(b, ','), v)
	}
	b[begin] = '['
	e.leave(anysType, p, len(all))
	return append(b, ']')
}

// anysType is for the search for cycles.
var anysType = reflect.TypeFor[[]any]()

// members writes an object that keeps its order. It may have been made by hand, so its names are
// checked if they must be unique.
func (e *Encoder) members(b []byte, o []plan.Pair) []byte {
	if len(o) == 0 {
		if o == nil {
			return append(b, "null"...)
		}
		return append(b, '{', '}')
	}
	switch f := e.flags & (option.AllowDuplicateNames | option.AllowInvalidUTF8); {
	case f == 0 && !plan.UniqueNames(o):
		e.fail(plan.Ordered.Type, syntax.ErrDuplicateName)
	case f == option.AllowInvalidUTF8:
		names := len(e.names)
		for i := range o {
			e.noteName(o[i].Name, true)
		}
		e.uniqueNames(names)
	}
	p := unsafe.Pointer(unsafe.SliceData(o))
	// An object may contain itself, through a slice or a map.
	e.enter(plan.Ordered.Type, p, len(o))
	begin := len(b)
	for i := range o {
		b = append(text.Append(append(b, ','), o[i].Name, e.flags), ':')
		b = e.any(b, o[i].Value)
	}
	b[begin] = '{'
	e.leave(plan.Ordered.Type, p, len(o))
	return append(b, '}')
}

// bytes writes a slice or array of bytes in base64. If the byte type has a name or methods, and for
// arrays, the options may select an array of numbers instead.
func (e *Encoder) bytes(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	array, legacy := n.Kind == plan.KindByteArray, e.flags&option.Legacy != 0
	if n.NamedByte && !legacy || legacy && (array || n.Elem.Writer != plan.ByKind) {
		if array {
			return e.list(b, n.Elem, p, n.Len, addr)
		}
		return e.slice(b, n, p)
	}
	// The bytes of an array are at p, those of a slice at its pointer.
	s := mem.Slice{Data: p, Len: n.Len}
	if !array {
		s = mem.Get[mem.Slice](p)
		if s.Data == nil && e.flags&option.NilSliceAsNull != 0 {
			return append(b, "null"...)
		}
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, unsafe.Slice(mem.At[byte](s.Data), s.Len))
	return append(b, '"')
}
