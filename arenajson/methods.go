package arenajson

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds the kinds of values that are rare: those with methods, bytes, times, and
// those whose tags say that they are in strings.

// An arenaUnmarshaler is an UnmarshalerArena of package arenajson.
type arenaUnmarshaler interface {
	UnmarshalJSONArena(a *arena.Arena, data []byte) error
}

// isError reports whether an error is an Error of package arenajson, which sets it.
var isError func(error) bool

// fail reports what a method returned for the value from i to end.
func (d *decoder) fail(t reflect.Type, i, end int, err error, name string) int {
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New(name + " method may not return errors.ErrUnsupported")
	}
	if d.flags&option.Legacy != 0 {
		if option.Classic {
			return d.stop(err)
		}
		d.note(err)
		return end
	}
	if isError(err) {
		d.methodErr = err
		return -1
	}
	d.err = d.faultAt(t, i, kindOfByte(d.data[i]), err)
	return -1
}

// method reads a value by its UnmarshalJSON, or what newer versions of Go have.
func (d *decoder) method(n *node, p unsafe.Pointer, i int) int {
	if d.flags&option.Legacy != 0 && d.isName(i) {
		return d.value(n.plain, p, i)
	}
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	v := mem.Value(n.typ, p).Addr().Interface()
	if done, err := d.methodFrom(v, i, end); done {
		if errors.Is(err, errors.ErrUnsupported) && err != nil {
			return d.value(n.plain, p, i)
		}
		if err != nil {
			return d.fail(n.typ, i, end, err, "UnmarshalJSONFrom")
		}
		return end
	}
	if err := v.(json.Unmarshaler).UnmarshalJSON(d.data[i:end:end]); err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalJSON")
	}
	return end
}

func (d *decoder) textMethod(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		if k := n.plain.kind; d.flags&option.Legacy == 0 || option.Classic && (k == kindSlice || k == kindBytes || k == kindMap) {
			setZero(n, p)
		}
		return end
	}
	if d.peek(i) != '"' {
		return d.mismatchValueless(n.typ, i, errNotString)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	err := mem.Value(n.typ, p).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(b)
	if err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalText")
	}
	return end
}

var errNotString = errors.New("JSON value must be string type")

func (d *decoder) arenaMethod(n *node, p unsafe.Pointer, i int) int {
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	u := mem.Value(n.typ, p).Addr().Interface().(arenaUnmarshaler)
	if err := u.UnmarshalJSONArena(d.a, d.data[i:end:end]); err != nil {
		return d.fail(n.typ, i, end, err, "UnmarshalJSONArena")
	}
	return end
}
