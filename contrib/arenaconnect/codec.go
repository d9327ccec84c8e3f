package arenaconnect

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/proto"
)

// This file decodes messages into an arena.
//
// Connect passes its codec a message but no context, before any interceptor of a unary RPC runs. So
// the codec decodes nothing: it leaves the bytes in the message, as its unknown fields, and the
// interceptor decodes them once it has the message and the RPC's arena. Messages that never get
// there are garbage; they aren't registered anywhere.

// buffers hold bytes that wait for decoding. Connect reuses its own buffers when Unmarshal returns.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A codec leaves messages undecoded.
type codec struct{}

// Name returns the name of the codec that it replaces.
func (codec) Name() string { return "proto" }

// Unmarshal leaves data in a message, for decode.
func (codec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	switch {
	case !ok:
		return notProto(v)
	case len(data) == 0:
		return proto.Unmarshal(data, m) // required fields may be missing
	}
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.Write(data)
	m.ProtoReflect().SetUnknown(b.Bytes())
	return nil
}

// decode decodes the bytes that the codec has left in v, if any, to the arena.
func decode(a *arena.Arena, v any) error {
	m, ok := v.(proto.Message)
	if !ok || !m.ProtoReflect().IsValid() {
		return nil
	}
	r := m.ProtoReflect()
	data := r.GetUnknown()
	if len(data) == 0 {
		return nil // the message was in JSON, or empty
	}
	r.SetUnknown(nil)
	err := arenaproto.Unmarshal(a, data, m)
	if cap(data) <= keptBuffer {
		buffers.Put(bytes.NewBuffer(data))
	}
	var limit *arena.LimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return exhausted(limit)
	}
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("unmarshal message: unmarshal into %T: %w", v, err))
}

// keptBuffer is the largest buffer that is kept for other messages.
const keptBuffer = 1 << 20

// exhausted returns Connect's error for an exhausted budget.
func exhausted(limit *arena.LimitError) error {
	return connect.NewError(connect.CodeResourceExhausted, limit)
}

// Marshal encodes a message.
func (codec) Marshal(v any) ([]byte, error) { return codec{}.MarshalAppend(nil, v) }

// MarshalAppend appends an encoded message to b.
func (codec) MarshalAppend(b []byte, v any) ([]byte, error) { return encode(b, v, false) }

// MarshalStable encodes a message deterministically.
func (codec) MarshalStable(v any) ([]byte, error) { return encode(nil, v, true) }

// IsBinary reports that messages aren't text.
func (codec) IsBinary() bool { return true }

func encode(b []byte, v any, stable bool) ([]byte, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, notProto(v)
	}
	return proto.MarshalOptions{Deterministic: stable}.MarshalAppend(b, m)
}

func notProto(v any) error { return fmt.Errorf("arenaconnect: %T is no proto.Message", v) }
