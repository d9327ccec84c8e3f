package arenaconnect_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/internal/tests/testkit/outlive"
)

// An around is an interceptor of both kinds of RPCs. What is within it is called by f.
type around func(f func() error) error

func (a around) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (reply connect.AnyResponse, err error) {
		var inner connect.AnyResponse
		if err := a(func() (err error) { inner, err = next(ctx, r); return err }); err != nil {
			return nil, err
		}
		return inner, nil
	}
}

func (a around) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (a around) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		return a(func() error { return next(ctx, conn) })
	}
}

// abandon waits for Hold, not for the handlers inside it.
func abandon(r *outlive.Request, code connect.Code) connect.HandlerOption {
	return connect.WithInterceptors(around(func(f func() error) error {
		go f()
		<-r.Held
		return connect.NewError(code, errors.New("gone"))
	}))
}

// timeout is a handler that answers before h may be done.
func timeout(h http.Handler) http.Handler {
	return http.TimeoutHandler(h, 300*time.Millisecond, "late")
}

// call makes a unary RPC. What stands around the handler, and around Middleware, may be nil.
func call(r *outlive.Request, unary func(context.Context, *request) (*reply, error), within, outside func(http.Handler) http.Handler, opts ...connect.HandlerOption) {
	if len(opts) > 0 { // another interceptor would make it a handler with interceptors
		opts = append([]connect.HandlerOption{connect.WithInterceptors(connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
			return func(ctx context.Context, m connect.AnyRequest) (connect.AnyResponse, error) {
				r.Outer(arena.FromContext(ctx))
				return next(ctx, m)
			}
		}))}, opts...)
	}
	var h http.Handler = connect.NewUnaryHandler(procedures[0], unary, append([]connect.HandlerOption{arenaconnect.HandlerOptions(r.Pool)}, opts...)...)
	if within != nil {
		h = within(h)
	}
	if h = arenaconnect.Middleware(h); outside != nil {
		h = outside(h)
	}
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = quiet
	s.Start()
	r.Cleanup(s.Close)
	dial(s.Client(), s.URL, 0).CallUnary(r.Context(), connect.NewRequest(listOf(long(100), long(101))))
}

// holds is a handler that outlives its RPC.
func holds(r *outlive.Request, allocates bool) func(context.Context, *request) (*reply, error) {
	return func(ctx context.Context, m *request) (*reply, error) {
		hold(r, ctx, m.Msg, allocates)
		return connect.NewResponse(m.Msg), nil
	}
}

func hold(r *outlive.Request, ctx context.Context, l *list, allocates bool) {
	a := arena.FromContext(ctx)
	allocate := func() *arena.Arena { return a }
	if !allocates {
		allocate = nil
	}
	r.Hold(func() string { return texts(l) }, allocate)
}

// leaves is a handler that a goroutine outlives.
func leaves(r *outlive.Request, end func(context.Context)) func(context.Context, *request) (*reply, error) {
	return func(ctx context.Context, m *request) (*reply, error) {
		go hold(r, ctx, m.Msg, false)
		<-r.Held
		end(ctx)
		return connect.NewResponse(listOf()), nil
	}
}

// TestOutlive: see docs/promises.md.
func TestOutlive(t *testing.T) {
	outlive.Test(t, "connect", map[string]func(*outlive.Request){
		"a handler, behind a timeout handler within the package's own":     func(r *outlive.Request) { call(r, holds(r, true), timeout, nil) },
		"a handler, behind a timeout handler around the package's own":     func(r *outlive.Request) { call(r, holds(r, true), nil, timeout) },
		"a handler, behind an interceptor that answers at a deadline":      func(r *outlive.Request) { call(r, holds(r, true), nil, nil, abandon(r, connect.CodeDeadlineExceeded)) },
		"a handler, behind an interceptor that answers with another error": func(r *outlive.Request) { call(r, holds(r, false), nil, nil, abandon(r, connect.CodeUnavailable)) },
		"an interceptor, behind another that answers at a deadline": func(r *outlive.Request) {
			var m *list
			call(r, func(ctx context.Context, req *request) (*reply, error) {
				m = req.Msg
				return connect.NewResponse(listOf()), nil
			}, nil, nil, abandon(r, connect.CodeDeadlineExceeded), connect.WithInterceptors(around(func(f func() error) error {
				err := f()
				r.Hold(func() string { return texts(m) }, nil)
				return err
			})))
		},
		"the handler of a stream, behind an interceptor that answers at a deadline": func(r *outlive.Request) {
			stream(r, abandon(r, connect.CodeDeadlineExceeded))
		},
		"a handler whose client has cancelled": func(r *outlive.Request) {
			unary := holds(r, true)
			address, c, stop := serve(r.T, connect.NewUnaryHandler(procedures[0], func(ctx context.Context, m *request) (*reply, error) {
				defer func() { <-ctx.Done() }()
				return unary(ctx, m)
			}, arenaconnect.HandlerOptions(r.Pool)))
			ctx, cancel := context.WithCancel(r.Context())
			go func() { <-r.Held; cancel() }()
			dial(c, address, 0).CallUnary(ctx, connect.NewRequest(listOf(long(100))))
			r.Cleanup(stop)
		},
		"a handler whose client has closed its side": func(r *outlive.Request) { stream(r) },
		"a goroutine, after a panic": func(r *outlive.Request) {
			call(r, leaves(r, func(context.Context) { panic(http.ErrAbortHandler) }), nil, nil)
		},
		"a goroutine, after `Detach` or `Keep`": func(r *outlive.Request) {
			call(r, leaves(r, func(ctx context.Context) { arenaconnect.Keep(ctx) }), nil, nil)
		},
		"a goroutine that the package isn't told of": func(r *outlive.Request) { call(r, leaves(r, func(context.Context) {}), nil, nil) },
	})
}

// stream makes the client close its side of a stream, whose handler goes on.
func stream(r *outlive.Request, opts ...connect.HandlerOption) {
	h := connect.NewBidiStreamHandler(procedures[0], func(ctx context.Context, s *connect.BidiStream[list, list]) error {
		m, err := s.Receive()
		if err != nil {
			r.Error(err)
		}
		s.Receive()
		hold(r, ctx, m, true)
		return nil
	}, append([]connect.HandlerOption{arenaconnect.HandlerOptions(r.Pool)}, opts...)...)
	address, c, stop := serve(r.T, h)
	s := dial(c, address, 0).CallBidiStream(r.Context())
	if err := s.Send(listOf(long(100), long(101))); err != nil {
		r.Fatal(err)
	}
	s.CloseRequest()
	go s.Receive()
	r.Cleanup(stop)
}
