package arenaconnect

import (
	"context"
	"errors"
	"net/http"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
)

// This file holds what runs around handlers.

// errMiddleware is the error of all RPCs that aren't served through Middleware.
var errMiddleware = connect.NewError(connect.CodeInternal, errors.New("arenaconnect: the handler isn't served through Middleware"))

// An interceptor gives RPCs their arenas, and decodes what they receive.
type interceptor struct{ *server }

// WrapUnary returns what calls a unary handler.
func (i interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (reply connect.AnyResponse, err error) {
		if r.Spec().IsClient {
			return next(ctx, r)
		}
		l := leaseOf(ctx)
		if l == nil {
			return nil, errMiddleware
		}
		if p := r.Spec().Procedure; i.serves(p) {
			l.open(i.server, p)
		}
		defer limited(&err)
		if err := l.decode(r.Any()); err != nil {
			return nil, err
		}
		return next(ctx, r)
	}
}

// WrapStreamingClient returns next.
func (i interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler returns what calls the handler of a stream.
func (i interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) (err error) {
		l := leaseOf(ctx)
		if l == nil {
			return errMiddleware
		}
		p := conn.Spec().Procedure
		if i.serves(p) {
			l.open(i.server, p)
		}
		defer limited(&err)
		return next(ctx, &stream{StreamingHandlerConn: conn, lease: l, perMessage: i.allStreams || i.perMessage[p]})
	}
}

// limited makes an error of the panic of a handler that has used up its arena's budget. It is called by defer.
func limited(err *error) {
	v := recover()
	if v == nil {
		return
	}
	asError, _ := v.(error)
	e, ok := errors.AsType[*arena.LimitError](asError)
	if !ok {
		panic(v)
	}
	*err = exhausted(e)
}

// A stream is what the handler of a streaming procedure gets. Its messages are sent as ever: when Send returns
// they are encoded.
type stream struct {
	connect.StreamingHandlerConn
	lease      *lease
	perMessage bool
	started    bool       // a message was received, and mark is set
	mark       arena.Mark // to which each further one rewinds
}

// Receive receives a message to the arena.
func (s *stream) Receive(v any) error {
	if s.perMessage {
		s.renew()
	}
	if err := s.StreamingHandlerConn.Receive(v); err != nil {
		return err
	}
	return s.lease.decode(v)
}

// renew ends the message before, where each has the arena to itself.
func (s *stream) renew() {
	l := s.lease
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.arena.Load()
	switch {
	case a == nil:
		return
	case !s.started:
		s.started = true
	case l.keep.Load() || refer(a, []http.Header{s.ResponseHeader(), s.ResponseTrailer()}):
		a.Free()
		l.keep.Store(false)
		a = l.server.pool.GetKeyed(l.procedure)
		l.arena.Store(a)
	default:
		a.Rewind(s.mark)
		return
	}
	s.mark = a.Mark()
}

// put puts an arena back, unless the handler has freed it, which it may.
func (s *server) put(a *arena.Arena) {
	if !a.Freed() {
		s.pool.Put(a)
	}
}
