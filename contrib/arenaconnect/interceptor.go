package arenaconnect

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
)

// This file holds the interceptor that runs around handlers.

// errMiddleware is the error of all RPCs that aren't served through Middleware.
var errMiddleware = connect.NewError(connect.CodeInternal,
	errors.New("arenaconnect: the handler isn't served through Middleware"))

// An interceptor gives RPCs their arenas, and decodes the messages that they receive.
type interceptor struct{ *server }

// WrapUnary returns a function that calls a unary handler.
func (i interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	alone := isHandler(next)
	return func(ctx context.Context, r connect.AnyRequest) (reply connect.AnyResponse, err error) {
		if r.Spec().IsClient {
			return next(ctx, r)
		}
		err = i.run(ctx, r.Spec().Procedure, alone, func(l *lease) error {
			if err := l.decode(r.Any()); err != nil {
				return err
			}
			reply, err = next(ctx, r)
			return err
		})
		return reply, err
	}
}

// WrapStreamingClient returns next.
func (i interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// WrapStreamingHandler returns a function that calls the handler of a stream.
func (i interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	alone := isHandler(next)
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		p, several := conn.Spec().Procedure, conn.Spec().StreamType&connect.StreamTypeClient != 0
		return i.run(ctx, p, alone, func(l *lease) error {
			l.send(conn.ResponseHeader(), conn.ResponseTrailer())
			per := several && (i.allStreams || i.perMessage[p])
			return next(ctx, &stream{StreamingHandlerConn: conn, lease: l, perMessage: per})
		})
	}
}

// run calls f with the lease of an RPC, which has an arena while f runs. alone means that there are
// no interceptors around the handler that f calls.
func (i interceptor) run(ctx context.Context, procedure string, alone bool, f func(*lease) error) (err error) {
	l := leaseOf(ctx)
	if l == nil {
		return errMiddleware
	}
	if !i.serves(procedure) {
		return call(l, f)
	}
	l.open(ctx, i.server, procedure)
	panics := true
	defer func() { l.leave(alone, panics, err) }()
	err = call(l, f)
	panics = false
	return err
}

// call calls f, and turns an exhausted budget into an error.
func call(l *lease, f func(*lease) error) (err error) {
	defer limited(&err)
	return f(l)
}

// isHandler reports whether f is Connect's function that calls a handler, with no interceptor
// around it. Only the function's name shows that.
func isHandler(f any) bool {
	return strings.HasPrefix(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(), "connectrpc.com/connect.New")
}

// limited turns the panic of a handler that has exhausted its arena's budget into an error. It is
// deferred.
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

// A stream is passed to the handler of a streaming procedure. Sending is unchanged: messages are
// encoded when Send returns.
type stream struct {
	connect.StreamingHandlerConn
	lease      *lease
	perMessage bool
}

// Receive receives a message into the arena.
func (s *stream) Receive(v any) error {
	if s.perMessage {
		s.lease.loan.Next()
	}
	if err := s.StreamingHandlerConn.Receive(v); err != nil {
		return err
	}
	return s.lease.decode(v)
}
