package arenagrpc

import (
	"errors"
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds the codec, which gRPC calls for each message. It must not depend on handlers.

// A codec decodes pending messages into their calls' arenas, and leaves the rest to another codec.
type codec struct{ *server }

// Name returns the name of the codec below.
func (c codec) Name() string { return c.base.Name() }

// Unmarshal decodes a message.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := keyed(v); ok {
		if call := c.pending.find(m); call != nil {
			return call.unmarshal(data, m)
		}
	}
	return c.base.Unmarshal(data, v)
}

// Marshal encodes a message. Encoding a unary RPC's reply is the last use of the arena.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	switch v := v.(type) {
	case *question:
		v.server = c.server
		return nil, errAsked
	case *outgoing:
		return v.marshal()
	}
	return c.base.Marshal(v)
}

// outgoing is a call in the role of its handler's reply. A stats.Handler, which sees it afterwards, finds an empty
// message of the reply's type.
type outgoing call

// marshal encodes the reply and ends the call.
func (o *outgoing) marshal() (mem.BufferSlice, error) {
	data, err := o.server.base.Marshal(o.reply)
	o.reply = reflect.Zero(reflect.TypeOf(o.reply)).Interface().(proto.Message)
	(*call)(o).release(err)
	return data, err
}

// ProtoReflect implements proto.Message.
func (o *outgoing) ProtoReflect() protoreflect.Message { return o.reply.ProtoReflect() }

// keyed returns v as a message, and reports whether it can be looked up by its address.
func keyed(v any) (proto.Message, bool) {
	m, ok := v.(proto.Message)
	return m, ok && reflect.TypeOf(v).Kind() == reflect.Pointer
}

// decode decodes a message into an arena. The parts of the input are joined there, and copied only once.
func decode(a *arena.Arena, data mem.BufferSlice, m proto.Message) (err error) {
	if len(data) == 1 {
		return arenaproto.Unmarshal(a, data[0].ReadOnlyData(), m)
	}
	defer arena.RecoverLimit(&err)
	var few [8][]byte
	parts := few[:0]
	for _, b := range data {
		parts = append(parts, b.ReadOnlyData())
	}
	return arenaproto.UnmarshalOptions{AliasBuffer: true}.Unmarshal(a, a.CopyAll(parts...), m)
}

// errAsked prevents a question, which isn't a message, from being sent.
var errAsked = errors.New("arenagrpc: not a message")
