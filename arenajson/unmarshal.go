package arenajson

import (
	"encoding/json"
	"errors"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/harena-go/arena/arenajson/internal/decode"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds what reads a whole text.

// Unmarshal reads the JSON value in data to what v points to, as json.Unmarshal of package
// encoding/json/v2 does; with [DefaultOptionsV1] as that of encoding/json. Whatever it
// allocates for that, strings, slices and what pointers point to, comes from a, except
// for large Go maps, which the runtime makes, and for what methods of types allocate. A nil
// a is the Go heap, where strings of at most 64 bytes share memory, and so do numbers in an
// any: one that is kept keeps at most 512 bytes.
//
// It returns an [*Error] if the text is wrong or doesn't fit, a *[arena.LimitError] if the
// arena's budget doesn't allow for the value, and what methods of types return. What was
// allocated until then stays allocated until the arena is reset. It panics if v isn't a
// pointer, and if the arena was freed.
//
// data isn't used any more after Unmarshal returns, but for [ReferenceInput].
func Unmarshal(a *arena.Arena, data []byte, v any, opts ...Options) error {
	n, p := plan.OfPointer(v)
	if n == nil || p == nil {
		if join(opts).set&option.Legacy != 0 {
			return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
		}
		return &Error{Type: reflect.TypeOf(v), Err: errors.New("not a pointer to a value, or nil")}
	}
	o := join(opts)
	if o.hasBytes && int64(len(data)) > o.bytes {
		return &Error{Offset: o.bytes, Err: ErrBytes}
	}
	if _, f, err := o.unmarshal(a, data, n, p); f != nil || err != nil {
		return failed(data, n, &o, f, err)
	}
	return nil
}

// batches are the arenas for Batch. Their keys are types, which differ in how long their values are kept.
var batches = arena.NewPool(arena.WithName("arenajson.Batch"))

// unmarshal is decode.Unmarshal with the options. If that panics, a batch's arena is left to the GC.
func (o *Options) unmarshal(
	a *arena.Arena, data []byte, n *plan.Node, p unsafe.Pointer,
) (unsafe.Pointer, *syntax.Fault, error) {
	if o.set&option.Batch == 0 || a != nil {
		return decode.Unmarshal(a, data, n, p, o.set&^option.Batch, o.depth)
	}
	a = arenaext.LendBatch(batches, n.Type.String())
	p, f, err := decode.Unmarshal(a, data, n, p, o.set, o.depth)
	batches.Put(a)
	return p, f, err
}

// failed returns the error for what decode.Unmarshal has returned.
func failed(data []byte, n *plan.Node, o *Options, f *syntax.Fault, err error) error {
	if f != nil {
		err = newError(f)
	}
	// What the standard library says about the syntax may depend on the type.
	if o.set&option.Legacy == 0 && !n.Foreign && o.depth == option.DefaultDepth {
		if e, ok := err.(*Error); ok && e.Type == nil {
			e.asStd(data, n.Type, o.set)
		}
	}
	return err
}

// New reads the JSON value in data to a new T, which is in the arena too. It is nil if there
// is an error. See [Unmarshal].
func New[T any](a *arena.Arena, data []byte, opts ...Options) (*T, error) {
	v, o := (*T)(nil), join(opts)
	if a == nil && o.set&option.Batch == 0 {
		v = new(T)
	}
	n, p := plan.OfPointer(v)
	if o.hasBytes && int64(len(data)) > o.bytes {
		return nil, &Error{Offset: o.bytes, Err: ErrBytes}
	}
	p, f, err := o.unmarshal(a, data, n, p)
	if f != nil || err != nil {
		return nil, failed(data, n, &o, f, err)
	}
	return mem.At[T](p), nil
}

// Valid reports whether data is one valid JSON value. The options decide whether
// duplicate names and invalid UTF-8 count, and how deep it may be.
func Valid(data []byte, opts ...Options) bool {
	o := join(opts)
	if o.hasBytes && int64(len(data)) > o.bytes {
		return false
	}
	return decode.Valid(data, o.set, o.depth)
}

// UnmarshalerArena is implemented by types that read themselves from JSON to an arena. It
// is preferred to json.Unmarshaler, and allowed in self-contained arenas.
type UnmarshalerArena interface {
	// UnmarshalJSONArena reads the value in data, which is valid JSON, and allocates what it
	// needs from a, which may be nil. It must not keep data.
	UnmarshalJSONArena(a *arena.Arena, data []byte) error
}
