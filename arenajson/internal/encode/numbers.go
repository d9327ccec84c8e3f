package encode

import (
	"encoding/base64"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file holds how numbers and bytes are written.

// number writes a number, in a string if stringify says so.
func (e *Encoder) number(b []byte, n *plan.Node, p unsafe.Pointer, stringify bool) []byte {
	if stringify {
		b = append(b, '"')
	}
	switch n.Kind {
	case plan.KindFloat64:
		b = number.AppendFloat64(b, mem.Get[float64](p))
	case plan.KindFloat32:
		b = number.AppendFloat32(b, mem.Get[float32](p))
	case plan.KindUint:
		b = number.AppendUint(mem.Room(b, number.Room), getUint(n, p))
	default:
		b = number.AppendInt(mem.Room(b, number.Room), getInt(n, p))
	}
	if stringify {
		b = append(b, '"')
	}
	return b
}

func getInt(n *plan.Node, p unsafe.Pointer) int64 {
	switch n.Size {
	case 1:
		return int64(mem.Get[int8](p))
	case 2:
		return int64(mem.Get[int16](p))
	case 4:
		return int64(mem.Get[int32](p))
	}
	return mem.Get[int64](p)
}

func getUint(n *plan.Node, p unsafe.Pointer) uint64 {
	switch n.Size {
	case 1:
		return uint64(mem.Get[uint8](p))
	case 2:
		return uint64(mem.Get[uint16](p))
	case 4:
		return uint64(mem.Get[uint32](p))
	}
	return mem.Get[uint64](p)
}

func (e *Encoder) bytes(b []byte, n *plan.Node, p unsafe.Pointer, addr bool) []byte {
	array := n.Kind == plan.KindByteArray
	if n.NamedByte && e.flags&option.Legacy == 0 || array && e.flags&option.Legacy != 0 || e.flags&option.Legacy != 0 && n.Elem.Writer != plan.ByKind {
		if array {
			return e.list(b, n.Elem, p, n.Len, addr)
		}
		return e.slice(b, n, p)
	}
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
