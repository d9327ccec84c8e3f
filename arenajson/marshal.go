package arenajson

import (
	"io"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/encode"
)

// This file holds the calls of the encoder, which writes to a buffer that it keeps.

// Append appends v as JSON to dst, as Marshal of package encoding/json/v2 writes it; with
// [DefaultOptionsV1] as that of encoding/json. On an error it returns dst unchanged. If dst has
// room it allocates only for cycles, in methods of types, for maps whose keys are neither strings
// nor integers, and for texts of more than 16 MiB.
//
// The encoder writes some bytes beyond its result, so it uses a buffer of its own: the memory
// behind dst, which may belong to others, stays unchanged. That copy is 8% of the time.
func Append(dst []byte, v any, opts ...Options) ([]byte, error) {
	e := encode.New(join(opts).set)
	out, f, err := e.Append(e.Buffer[:0], v)
	if f != nil {
		err = newError(f)
	}
	if err != nil {
		return dst, err // e isn't kept: it may be full of v's values
	}
	dst = append(dst, out...)
	e.Keep(out)
	return dst, nil
}

// Marshal returns v as JSON, in memory of the arena; a nil a is the Go heap. See [Append].
func Marshal(a *arena.Arena, v any, opts ...Options) ([]byte, error) {
	e := encode.New(join(opts).set)
	out, f, err := e.Append(e.Buffer[:0], v)
	if f != nil {
		err = newError(f)
	}
	if err != nil {
		return nil, err
	}
	b, err := copyIn(a, out)
	e.Keep(out)
	return b, err
}

// copyIn returns a copy of b in the arena, or a *LimitError.
func copyIn(a *arena.Arena, b []byte) (c []byte, err error) {
	if a == nil {
		c = make([]byte, len(b)) // with copy in the next line, it isn't erased before
		copy(c, b)
		return c, nil
	}
	defer arena.RecoverLimit(&err)
	c = a.AllocBytesUninit(len(b))
	copy(c, b)
	return c, nil
}

// MarshalWrite writes v as JSON to w, without a newline. See [Append].
func MarshalWrite(w io.Writer, v any, opts ...Options) error {
	e := encode.New(join(opts).set)
	out, f, err := e.Append(e.Buffer[:0], v)
	if f != nil {
		err = newError(f)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	e.Keep(out)
	return err
}
