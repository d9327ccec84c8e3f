package arenajson

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file reads one value from a reader.

// UnmarshalRead decodes one JSON value, and nothing else, from r into the value that v points to.
// See [Unmarshal]. Meanwhile the text is on the Go heap; it isn't longer than [WithByteLimit]
// allows.
func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Options) error {
	scratch := buffers.Get().(*[]byte)
	data, err := readAll((*scratch)[:0], r, opts)
	if err == nil {
		err = Unmarshal(a, data, v, JoinOptions(opts...), ReferenceInput(false))
	}
	keepBuffer(scratch, data)
	return err
}

// readAll appends the whole of r to b, or one byte more than the limit.
func readAll(b []byte, r io.Reader, opts []Options) ([]byte, error) {
	o, most := join(opts), int64(math.MaxInt)
	if o.hasBytes && o.bytes < most {
		most = o.bytes + 1
	}
	for {
		if int64(len(b)) >= most {
			return b, nil
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, max(minRead, len(b)))
		}
		n, err := r.Read(b[len(b):min(int64(cap(b)), most)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// Read decodes one JSON value, and nothing else, from r into a new T, which is in the arena too. On
// an error it returns nil. See [UnmarshalRead].
func Read[T any](a *arena.Arena, r io.Reader, opts ...Options) (*T, error) {
	v, err := newIn[T](a)
	if err == nil {
		err = UnmarshalRead(a, r, v, opts...)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// newIn is arena.New, which returns a *LimitError instead of panicking with it.
func newIn[T any](a *arena.Arena) (v *T, err error) {
	defer arena.RecoverLimit(&err)
	return arena.New[T](a), nil
}

// buffers are kept for the next text.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer returns a buffer, which has grown to b, to the pool.
func keepBuffer(p *[]byte, b []byte) {
	if cap(b) <= mem.KeepBytes {
		*p = b[:0]
	}
	buffers.Put(p)
}
