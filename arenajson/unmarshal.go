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

// This file decodes a whole text.

// Unmarshal decodes the JSON value in data into the value that v points to, as Unmarshal of package
// encoding/json/v2 does; with [DefaultOptionsV1] as that of encoding/json. Strings, slices and
// pointers' targets are allocated from a; large Go maps are on the Go heap, and methods of types
// allocate as they like. A nil a is the Go heap; there strings of at most 64 bytes share memory,
// and so do numbers in an any: a kept one keeps at most 512 bytes.
//
// Unmarshal returns an [*Error] if the text is wrong or doesn't fit, a *[arena.LimitError] if the
// value exceeds the arena's budget, and the errors of types' methods. Memory allocated before the
// error stays allocated until the arena is reset. Unmarshal panics if v isn't a pointer, and if the
// arena was freed.
//
// After it returns data isn't used any more, except with [ReferenceInput].
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

// batches are the arenas for Batch. Their keys are types, since types differ in how long their
// values are kept.
var batches = arena.NewPool(arena.WithName("arenajson.Batch"))

// unmarshal is decode.Unmarshal with the options. If that panics, the batch's arena goes to the GC.
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

// failed returns the error for the results of decode.Unmarshal.
func failed(data []byte, n *plan.Node, o *Options, f *syntax.Fault, err error) error {
	if f != nil {
		err = newError(f)
	}
	// The standard library's syntax error may depend on the type.
	if o.set&option.Legacy == 0 && !n.Foreign && o.depth == option.DefaultDepth {
		if e, ok := err.(*Error); ok && e.Type == nil {
			e.asStd(data, n.Type, o.set)
		}
	}
	return err
}

// New decodes the JSON value in data into a new T, which is in the arena too. On an error it
// returns nil. See [Unmarshal].
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

// Valid reports whether data is one valid JSON value. The options decide whether duplicate names
// and invalid UTF-8 are allowed, and the greatest depth.
func Valid(data []byte, opts ...Options) bool {
	o := join(opts)
	if o.hasBytes && int64(len(data)) > o.bytes {
		return false
	}
	return decode.Valid(data, o.set, o.depth)
}

// UnmarshalerArena is implemented by types that decode themselves from JSON into an arena. It is
// preferred to json.Unmarshaler, and allowed in self-contained arenas.
type UnmarshalerArena interface {
	// UnmarshalJSONArena decodes the value in data, which is valid JSON, and allocates from a,
	// which may be nil. It must not keep data.
	UnmarshalJSONArena(a *arena.Arena, data []byte) error
}
