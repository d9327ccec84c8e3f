package arenagrpc

import (
	"context"

	"github.com/harena-go/arena"
	"google.golang.org/grpc"
)

// This file holds streams. Sending is unchanged: messages are encoded when SendMsg returns.

// A stream is passed to the handler of a streaming method.
type stream struct {
	grpc.ServerStream
	call       *call
	perMessage bool
	started    bool       // a message was received, and mark is set
	mark       arena.Mark // to which each further one rewinds
	older      bool       // it is self-contained and not empty at the mark, so that rewinding releases too little
}

// stream returns a function that calls the handler of a streaming method, whose client may send several messages.
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
	c.end(err)
	return err
}

// Context returns the context with the arena.
func (s *stream) Context() context.Context { return s.call }

// RecvMsg receives a message into the arena.
func (s *stream) RecvMsg(v any) error {
	if s.perMessage {
		s.renew()
	}
	return s.call.receive(v, s.ServerStream.RecvMsg)
}

// renew ends the previous message, if each has the arena to itself.
func (s *stream) renew() {
	c := s.call
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.arena.Load()
	switch {
	case a == nil:
		return
	case !s.started:
		s.started = true
	case s.older || c.keep.Load() || c.sends(a):
		a.Free()
		c.keep.Store(false)
		a = c.server.pool.GetKeyed(c.method)
		c.arena.Store(a)
	default:
		a.Rewind(s.mark)
		return
	}
	s.mark, s.older = a.Mark(), a.SelfContained() && a.UsedBytes() > 0
}
