package arenajson

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds how numbers and bytes are written.

// floats writes the n floats at p with commas between them.
func (e *encoder) floats(b []byte, p unsafe.Pointer, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.float(b, mem.Get[float64](mem.Add(p, uintptr(i)*8)), 64)
	}
	return b
}

// number writes a number, in a string if stringify says so.
func (e *encoder) number(b []byte, n *node, p unsafe.Pointer, stringify bool) []byte {
	if stringify {
		b = append(b, '"')
	}
	switch n.kind {
	case kindFloat64:
		b = e.float(b, mem.Get[float64](p), 64)
	case kindFloat32:
		b = e.float(b, float64(mem.Get[float32](p)), 32)
	case kindUint:
		b = strconv.AppendUint(b, getUint(n, p), 10)
	default:
		b = strconv.AppendInt(b, getInt(n, p), 10)
	}
	if stringify {
		b = append(b, '"')
	}
	return b
}

func getInt(n *node, p unsafe.Pointer) int64 {
	switch n.size {
	case 1:
		return int64(mem.Get[int8](p))
	case 2:
		return int64(mem.Get[int16](p))
	case 4:
		return int64(mem.Get[int32](p))
	}
	return mem.Get[int64](p)
}

func getUint(n *node, p unsafe.Pointer) uint64 {
	switch n.size {
	case 1:
		return uint64(mem.Get[uint8](p))
	case 2:
		return uint64(mem.Get[uint16](p))
	case 4:
		return uint64(mem.Get[uint32](p))
	}
	return mem.Get[uint64](p)
}

// float writes a float of so many bits as ECMAScript does.
func (e *encoder) float(b []byte, f float64, size int) []byte {
	if i := int64(f); float64(i) == f && -1e15 < f && f < 1e15 && (size == 64 || -1<<24 < i && i < 1<<24) && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		e.notFinite(f, size)
	}
	abs := math.Abs(f)
	if size == 64 && (abs >= 1e-6 && abs < 1e21) || size == 32 && (float32(abs) >= 1e-6 && float32(abs) < 1e21) || f == 0 {
		return strconv.AppendFloat(b, f, 'f', -1, size)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, size)
	if n := len(b); n >= 4 && b[n-4] == 'e' && (b[n-3] == '-' || b[n-3] == '+') && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-09 becomes e-9
		b = b[:n-1]
	}
	return b
}

func (e *encoder) notFinite(f float64, size int) {
	t := reflect.TypeFor[float64]()
	if size == 32 {
		t = reflect.TypeFor[float32]()
	}
	if e.flags&legacy != 0 {
		e.fail(t, &json.UnsupportedValueError{Value: reflect.ValueOf(f).Convert(t), Str: strconv.FormatFloat(f, 'g', -1, size)})
	}
	e.fail(t, fmt.Errorf("unsupported value: %v", f))
}

func (e *encoder) bytes(b []byte, n *node, p unsafe.Pointer, addr bool) []byte {
	array := n.kind == kindByteArray
	if n.namedByte && e.flags&legacy == 0 || array && e.flags&legacy != 0 || e.flags&legacy != 0 && n.elem.out != outPlain {
		if array {
			return e.list(b, n.elem, p, n.len, addr)
		}
		return e.slice(b, n, p)
	}
	s := mem.Slice{Data: p, Len: n.len}
	if !array {
		s = mem.Get[mem.Slice](p)
		if s.Data == nil && e.flags&nilSliceAsNull != 0 {
			return append(b, "null"...)
		}
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, unsafe.Slice(mem.At[byte](s.Data), s.Len))
	return append(b, '"')
}
