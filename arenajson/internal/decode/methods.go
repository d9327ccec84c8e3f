package decode

import (
	"encoding"
	"encoding/json"
	"errors"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file decodes values by methods of their types.
//
// UnmarshalJSON gets a part of the input, without a copy: it must not keep it, as encoding/json
// demands as well. The memory that methods allocate is on the Go heap, and the value may refer to
// it; so a self-contained arena refuses such types in advance (plan/foreign.go). UnmarshalJSONArena
// gets the arena, and is trusted with it.

// method decodes a value by its UnmarshalJSON, or UnmarshalJSONFrom in newer versions of Go. The
// method gets a valid value, without capacity behind it.
func (d *decoder) method(n *plan.Node, p unsafe.Pointer, i int) int {
	// Version 1 doesn't call UnmarshalJSON for keys of maps.
	if d.Flags&option.Legacy != 0 && d.IsName(i) {
		return d.value(n.Plain, p, i)
	}
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	v := mem.Value(n.Type, p).Addr().Interface()
	// With errors.ErrUnsupported a method leaves the value to the decoder.
	if done, err := d.methodFrom(v, i, end); done {
		if errors.Is(err, errors.ErrUnsupported) && err != nil {
			return d.value(n.Plain, p, i)
		}
		if err != nil {
			return d.fail(n.Type, i, end, err, "UnmarshalJSONFrom")
		}
		return end
	}
	if err := v.(json.Unmarshaler).UnmarshalJSON(d.Data[i:end:end]); err != nil {
		return d.fail(n.Type, i, end, err, "UnmarshalJSON")
	}
	return end
}

// textMethod decodes a string by its UnmarshalText. null makes the value zero, or leaves it
// unchanged.
func (d *decoder) textMethod(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		k := n.Plain.Kind
		nils := k == plan.KindSlice || k == plan.KindBytes || k == plan.KindMap
		if d.Flags&option.Legacy == 0 || option.Classic && nils {
			setZero(n, p)
		}
		return end
	}
	if d.Peek(i) != '"' {
		return d.mismatchValueless(n.Type, i, errNotString)
	}
	// The method gets the text with its escapes replaced, and must not keep it.
	b, end := d.Text(i)
	if end < 0 {
		return -1
	}
	err := mem.Value(n.Type, p).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(b)
	if err != nil {
		return d.fail(n.Type, i, end, err, "UnmarshalText")
	}
	return end
}

// errNotString is for values other than strings that go to UnmarshalText.
var errNotString = errors.New("JSON value must be string type")

// lasting returns the arena for code that may keep it: nil in a batch, whose arena ends when
// Unmarshal returns.
func (d *decoder) lasting() *arena.Arena {
	if d.Flags&option.Batch != 0 {
		return nil
	}
	return d.a
}

// arenaMethod decodes a value by its UnmarshalJSONArena, which gets the arena.
func (d *decoder) arenaMethod(n *plan.Node, p unsafe.Pointer, i int) int {
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	u := mem.Value(n.Type, p).Addr().Interface().(plan.ArenaUnmarshaler)
	if err := u.UnmarshalJSONArena(d.lasting(), d.Data[i:end:end]); err != nil {
		return d.fail(n.Type, i, end, err, "UnmarshalJSONArena")
	}
	return end
}
