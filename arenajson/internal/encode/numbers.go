package encode

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file writes numbers, and quoted values without characters to escape: times, and numbers by
// an option.

// jsonNumber writes a json.Number unchanged, if it is a number; an empty one is 0.
func (e *Encoder) jsonNumber(b []byte, s string, stringify bool) []byte {
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

// time writes the time at p. It fails for years beyond 9999.
func (e *Encoder) time(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	b = append(b, '"')
	b, err := mem.At[time.Time](p).AppendText(b)
	if err != nil {
		e.failMethod(n.Type, err, "MarshalJSON")
	}
	return append(b, '"')
}

// number writes the number at p; stringify: in a string. It is for all kinds of numbers; most of 8
// bytes are written without it.
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

// getInt loads an integer of a plan's size.
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

// getUint loads an unsigned integer of a plan's size.
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
