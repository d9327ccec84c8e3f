package arenagrpc

import (
	"context"

	"google.golang.org/grpc"
)

// This file holds streams. Sending is unchanged: messages are encoded when SendMsg returns.

// A stream is passed to the handler of a streaming method.
type stream struct {
	grpc.ServerStream
	call       *call
	perMessage bool
}

// stream returns a function that calls the handler of a streaming method. several means that the client may send more
// than one message.
func (r *registrar) stream(method string, several bool, h grpc.StreamHandler) grpc.StreamHandler {
	return func(srv any, below grpc.ServerStream) error {
		s := r.serverOf(below.Context())
		if !s.serves(method) {
			return h(srv, below)
		}
		c := s.newCall(below.Context(), method)
		per := several && (s.allStreams || s.perMessage[method])
		return c.stream(h, srv, &stream{ServerStream: below, call: c, perMessage: per})
	}
}

// stream calls the handler of a streaming method.
func (c *call) stream(h grpc.StreamHandler, srv any, s *stream) (err error) {
	defer c.handled(&err)
	c.tag()
	err = c.run(func() error { return h(srv, s) })
	c.mu.Lock()
	c.failed = !c.onHeap(err)
	c.mu.Unlock()
	c.end(err)
	return err
}

// Context returns the context with the arena.
func (s *stream) Context() context.Context { return s.call }

// RecvMsg receives a message into the arena.
func (s *stream) RecvMsg(v any) error {
	if s.perMessage {
		s.call.loan.Next()
	}
	return s.call.receive(v, s.ServerStream.RecvMsg)
}
