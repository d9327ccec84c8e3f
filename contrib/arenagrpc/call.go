package arenagrpc

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// This file holds the life of an RPC's arena. It must not depend on whether messages come one by one or in a stream.
//
//	newCall ──▶ arena ──▶ decode ... handler ──▶ reply marshalled ──▶ release: Put
//	                                                                  ├▶ Free if something refers to it
//	                                                                  └▶ the handler still runs: Free when it returns

// A call is an RPC that has an arena, and the context that its handler gets: one allocation
// for both.
//
// Invariant: arena is nil from release on, or from the return of the last handler if that is later. So a goroutine
// that outlives both finds the Go heap in its context, and late messages are decoded there.
type call struct {
	context.Context
	server *server
	method string
	arena  atomic.Pointer[arena.Arena]
	dec    func(any) error // of a unary RPC
	reply  proto.Message   // of a unary RPC, until it is marshalled
	late   bool            // the arena goes back at stats.End
	keep   atomic.Bool     // Keep was called

	mu       sync.Mutex // held while the arena is decoded to, and where it changes
	limit    error      // what decoding didn't fit in the budget with; nil if it did
	heap     error      // the newest error of this package, which lies on the heap
	around   bool       // there are interceptors around the handler of a unary RPC
	called   bool       // they have called it
	running  int        // handlers that have not returned
	panicked bool       // one has, whatever interceptors made of it
	ended    bool       // the RPC has; the last handler that returns frees the arena
}

// newCall gets an arena for an RPC.
func (s *server) newCall(ctx context.Context, method string) *call {
	c := &call{Context: ctx, server: s, method: method}
	c.arena.Store(s.pool.GetKeyed(method))
	return c
}

// callKey is the key of the call in its context.
type callKey struct{}

// Value returns the arena for arena.FromContext.
func (c *call) Value(key any) any {
	switch key {
	case arenaext.ContextKey{}:
		return c.arena.Load()
	case callKey{}:
		return c
	}
	return c.Context.Value(key)
}

// Keep lets messages of the context's RPC outlive it: its arena is then freed, not put back, so that they stay valid
// for as long as something points to them. If each message of a stream has the arena to itself, Keep applies to the
// last one received, and arena.FromContext returns another arena from the next one on. Keep costs the next RPC a new
// arena. [github.com/harena-go/arena/contrib/arenaproto.Clone] is better for a small part, and the only way with
// arena.WithScrub, which erases what is freed. Keep does nothing and returns false if the RPC has no arena, as its
// messages are on the Go heap then, or if it has ended. Any goroutine may call it.
func Keep(ctx context.Context) bool {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.arena.Load() == nil {
		return false
	}
	c.keep.Store(true)
	return true
}

// unmarshal decodes a message into the arena. If that exceeds the budget there is no error, but c.limit is set: gRPC
// would turn an error into an internal one, and answer with that at once.
func (c *call) unmarshal(data mem.BufferSlice, m proto.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.arena.Load()
	if a == nil {
		return c.server.base.Unmarshal(data, m)
	}
	err := decode(a, data, m)
	if e, ok := err.(*arena.LimitError); ok {
		c.limit = &limitError{e}
		c.heap = c.limit
		return nil
	}
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
		return err
	}
	return c.limit
}

// onHeap notes an error of this package.
func (c *call) onHeap(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heap = err
	return err
}

// settle returns the status that gRPC makes of a handler's error, on the heap. gRPC asks the error for it later, when
// the arena has gone.
func (c *call) settle(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		s = status.FromContextError(err)
	}
	p := s.Proto() // shares the strings
	p.Message = strings.Clone(p.Message)
	for _, d := range p.Details {
		d.TypeUrl = strings.Clone(d.TypeUrl)
	}
	if settled := status.FromProto(p).Err(); settled != nil {
		return c.onHeap(settled)
	}
	return err // with the code OK: gRPC makes an answer without a message
}

// run calls a handler, and counts it while it runs. An interceptor may end the RPC before the handler returns. The
// handler then keeps the arena, which is freed, since inner interceptors may still read it.
func (c *call) run(handler func() error) error {
	c.mu.Lock()
	c.called = true
	c.running++
	c.mu.Unlock()
	panics := true
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.panicked = c.panicked || panics
		if c.running--; c.running > 0 || !c.ended {
			return
		}
		if a := c.arena.Swap(nil); a != nil {
			a.Free()
		}
	}()
	err := handler()
	panics = false
	return err
}

// release ends the RPC with an error, or nil: its arena goes back to the pool, or to the handlers that still run.
func (c *call) release(err error) {
	c.mu.Lock()
	c.ended = true
	var a *arena.Arena
	if c.running == 0 {
		a = c.arena.Swap(nil)
	}
	free := c.panicked || c.around && (!c.called || c.timedOut(err))
	onHeap := err == c.heap || err == c.Context.Err()
	c.mu.Unlock()
	if a == nil {
		return
	}
	if free || c.keep.Load() || err != nil && !onHeap || c.sends(a) {
		a.Free()
		return
	}
	c.server.put(a)
}

// timedOut reports whether an RPC ends with an error after which interceptors may not have waited. One of them may
// still be at work then, though the handler has returned.
func (c *call) timedOut(err error) bool {
	code := status.Code(err)
	if code == codes.Unknown {
		code = status.FromContextError(err).Code()
	}
	return code == codes.DeadlineExceeded || code == codes.Canceled || c.Err() != nil
}

// put puts an arena back, unless the handler has freed it, which it may.
func (s *server) put(a *arena.Arena) {
	if !a.Freed() {
		s.pool.Put(a)
	}
}

// abandon ends the RPC after a panic, when it isn't known what is still in use.
func (c *call) abandon() {
	c.keep.Store(true)
	c.release(nil)
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
		c.abandon()
		panic(v)
	}
	c.mu.Lock()
	c.panicked = false
	c.mu.Unlock()
	*err = c.onHeap(&limitError{e})
	c.end(*err)
}

// end is release, unless AtEnd defers that to the end of the RPC.
func (c *call) end(err error) {
	if !c.late {
		c.release(err)
	}
}

// sends reports whether strings in the arena will be sent as the RPC's header or trailer. The transport's goroutine
// reads those later, and keeps them in its compression table.
func (c *call) sends(a *arena.Arena) bool {
	if a.UsedBytes() == 0 {
		return false // and to ask for headers copies them
	}
	t, ok := grpc.ServerTransportStreamFromContext(c.Context).(interface {
		Header() (metadata.MD, error)
		Trailer() metadata.MD
	})
	if !ok {
		return false
	}
	header, _ := t.Header()
	return ownsAny(a, header) || ownsAny(a, t.Trailer())
}

func ownsAny(a *arena.Arena, md metadata.MD) bool {
	for k, values := range md {
		if owns(a, k) {
			return true
		}
		for _, v := range values {
			if owns(a, v) {
				return true
			}
		}
	}
	return false
}

// owns reports whether a string lies in the arena. The pointer is only compared.
func owns(a *arena.Arena, s string) bool {
	return a.Owns(unsafe.Pointer(unsafe.StringData(s)))
}
