package arenagrpc

import (
	"context"
	"errors"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// This file reports an RPC's events in gRPC to its arenaext.Loan. It must not depend on whether messages come one by
// one or in a stream.
//
//	newCall ──▶ arena ──▶ decode ... handler ──▶ reply marshalled ──▶ release: Put
//	                                                                  ├▶ Free if something refers to it
//	                                                                  └▶ the handler still runs: Free when it returns

// A call is an RPC with an arena, and the context of its handler: one allocation for both. A goroutine that outlives
// the RPC and its handlers gets no arena from its context, but the Go heap; late messages are decoded there.
type call struct {
	context.Context
	loan   arenaext.Loan
	server *server
	method string
	dec    func(any) error // of a unary RPC
	reply  proto.Message   // of a unary RPC, until it is marshalled
	late   bool            // the arena is put back at stats.End

	mu       sync.Mutex
	limit    error // decoding has exceeded the budget; nil if it hasn't
	heap     error // the newest error of this package or gRPC, which is on the heap
	around   bool  // there are interceptors around the handler of a unary RPC
	called   bool  // they have called it
	panicked bool  // a handler has panicked, even if an interceptor has recovered
	failed   bool  // the handler of a stream has returned an error, which gRPC reads later
}

// newCall returns an RPC that gets an arena when it needs one.
func (s *server) newCall(ctx context.Context, method string) *call {
	c := &call{Context: ctx, server: s, method: method}
	c.loan.Start(s.pool, c)
	return c
}

// callKey is the key of the call in its context.
type callKey struct{}

// Value returns the arena for arena.FromContext.
func (c *call) Value(key any) any {
	switch key {
	case arenaext.ContextKey{}:
		return c.loan.Arena()
	case callKey{}:
		return c
	}
	return c.Context.Value(key)
}

// Key implements arenaext.Request.
func (c *call) Key() string { return c.method }

// Keep lets messages of the context's RPC outlive it: its arena is then freed, not put back, so that they stay valid
// for as long as something points to them. If each message of a stream has the arena to itself, Keep applies to the
// last one received, and arena.FromContext returns another arena from the next one on. Keep costs the next RPC a new
// arena. [github.com/harena-go/arena/contrib/arenaproto.Clone] is better for a small part, and the only way with
// arena.WithScrub, which erases freed memory. Keep does nothing and returns false if the RPC has no arena, as its
// messages are on the Go heap then, or if it has ended. Any goroutine may call it.
func Keep(ctx context.Context) bool {
	c, _ := ctx.Value(callKey{}).(*call)
	return c != nil && c.loan.Keep()
}

// unmarshal decodes a message into the arena. If that exceeds the budget it sets c.limit and returns no error: gRPC
// would turn an error into an internal one, and answer with it at once.
func (c *call) unmarshal(data mem.BufferSlice, m proto.Message) (err error) {
	c.loan.Use(func(a *arena.Arena) {
		if a == nil {
			err = c.server.base.Unmarshal(data, m)
			return
		}
		err = decode(a, data, m)
		if e, ok := err.(*arena.LimitError); ok {
			c.limit = c.toHeap(&limitError{e})
			err = nil
		}
	})
	return err
}

// receive receives a message by f, which decodes it into the arena.
func (c *call) receive(v any, f func(any) error) error {
	m, ok := keyed(v)
	if !ok || !c.server.pending.add(m, c) {
		return f(v)
	}
	defer c.server.pending.remove(m)
	c.limit = nil
	if err := f(v); err != nil {
		return c.toHeap(err)
	}
	return c.limit
}

// toHeap records an error of this package or gRPC.
func (c *call) toHeap(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heap = err
	return err
}

// onHeap reports whether an error is known not to be in the arena. c.mu is locked.
func (c *call) onHeap(err error) bool { return err == nil || err == c.heap || err == c.Context.Err() }

// run calls a handler. An interceptor may end the RPC before the handler returns.
func (c *call) run(handler func() error) error {
	c.loan.Enter()
	defer c.loan.Leave()
	panics := true
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.called = true
		c.panicked = c.panicked || panics
	}()
	err := handler()
	panics = false
	return err
}

// release ends the RPC with an error, or nil. The arena is freed if the error isn't on the heap, as it may be read
// later, or if interceptors may still be at work.
func (c *call) release(err error) {
	c.mu.Lock()
	keep := c.panicked || c.around && (!c.called || c.Err() != nil || timedOut(err)) || !c.onHeap(err)
	c.mu.Unlock()
	if keep {
		c.loan.Keep()
	}
	c.loan.End()
}

// handled ends an RPC whose handler panics. If it panics because the budget of an arena is exhausted, the RPC gets an
// error. It is deferred.
func (c *call) handled(err *error) {
	v := recover()
	if v == nil {
		return
	}
	asError, _ := v.(error)
	e, ok := errors.AsType[*arena.LimitError](asError)
	if !ok {
		c.loan.Keep() // values may still be in use
		c.release(nil)
		panic(v)
	}
	c.mu.Lock()
	c.panicked = false
	c.mu.Unlock()
	*err = c.toHeap(&limitError{e})
	c.end(*err)
}

// end is release, unless AtEnd defers that to the end of the RPC.
func (c *call) end(err error) {
	if !c.late {
		c.release(err)
	}
}

// Settle implements arenaext.Request: it reports whether strings in the arena will be sent as the RPC's error, header
// or trailer. The transport's goroutine reads the latter later, and keeps them in its compression table.
func (c *call) Settle(a *arena.Arena) bool {
	if a == nil {
		return false // Header copies, so skip it
	}
	c.mu.Lock()
	failed := c.failed
	c.mu.Unlock()
	if failed {
		return true
	}
	t, ok := grpc.ServerTransportStreamFromContext(c.Context).(interface {
		Header() (metadata.MD, error)
		Trailer() metadata.MD
	})
	if !ok {
		return false
	}
	header, _ := t.Header()
	return arenaext.OwnsHeader(a, header) || arenaext.OwnsHeader(a, t.Trailer())
}
