package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenaconnect"
)

// streams are the handlers of the three kinds of streams: each answers with the messages it got, in the same order.
func streams(t *testing.T, opts ...connect.HandlerOption) []*connect.Handler {
	check := func(ctx context.Context, l *list) {
		if len(l.GetValues()) > 0 && !in(ctx, l) {
			t.Error("a message isn't in the arena")
		}
	}
	return []*connect.Handler{
		connect.NewBidiStreamHandler(procedures[0], func(ctx context.Context, s *connect.BidiStream[list, list]) error {
			for {
				m, err := s.Receive()
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				check(ctx, m)
				if err := s.Send(m); err != nil {
					return err
				}
			}
		}, opts...),
		connect.NewClientStreamHandler(procedures[1], func(ctx context.Context, s *connect.ClientStream[list]) (*reply, error) {
			out := &list{}
			for s.Receive() {
				check(ctx, s.Msg())
				out.Values = append(out.Values, s.Msg().GetValues()...)
			}
			return connect.NewResponse(out), s.Err()
		}, opts...),
		connect.NewServerStreamHandler(procedures[2], func(ctx context.Context, r *request, s *connect.ServerStream[list]) error {
			check(ctx, r.Msg)
			for _, v := range r.Msg.GetValues() {
				out := arena.New[list](arena.FromContext(ctx))
				out.Values = arena.Append(arena.FromContext(ctx), out.Values, v)
				if err := s.Send(out); err != nil {
					return err
				}
			}
			return nil
		}, opts...),
	}
}

// TestStreams: messages of streams, both ways, are in the stream's arena until its end.
func TestStreams(t *testing.T) {
	for _, name := range []string{"connect", "grpc", "grpcweb", "grpc-gzip"} {
		pool := arenatest.NewPool(t)
		address, c, stop := serve(t, streams(t, arenaconnect.HandlerOptions(pool))...)
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				both := dial(c, address, 0, protocols[name]...).CallBidiStream(t.Context())
				for i := range 10 {
					want := listOf(long(g*100+i), "x")
					if err := both.Send(want); err != nil {
						t.Error(name, err)
						return
					}
					if m, err := both.Receive(); err != nil || texts(m) != texts(want) {
						t.Error(name, m, err)
						return
					}
				}
				both.CloseRequest()
				both.Receive()
				both.CloseResponse()
				in := dial(c, address, 1, protocols[name]...).CallClientStream(t.Context())
				want := ""
				for i := range 10 {
					in.Send(listOf(long(g*100+i), "x"))
					want += long(g*100+i) + " x "
				}
				if r, err := in.CloseAndReceive(); err != nil || texts(r.Msg) != strings.TrimSpace(want) {
					t.Error(name, r, err)
				}
				out, err := dial(c, address, 2, protocols[name]...).CallServerStream(t.Context(), connect.NewRequest(listOf("a", "b", "c")))
				if err != nil {
					t.Error(name, err)
					return
				}
				got := ""
				for out.Receive() {
					got += texts(out.Msg())
				}
				if got != "abc" || out.Err() != nil {
					t.Error(name, got, out.Err())
				}
			})
		}
		wg.Wait()
		stop()
		allBack(t, pool, 9)
	}
}

// TestPerMessage: a stream with more messages than fit in its budget goes on with PerMessage, and
// ends as ResourceExhausted without.
func TestPerMessage(t *testing.T) {
	for _, opts := range [][]arenaconnect.Option{{arenaconnect.PerMessage()}, {arenaconnect.PerMessage(procedures[0])}, nil} {
		pool := arena.NewPool(arena.WithReuse(), arena.WithLimit(64<<10))
		address, c, stop := serve(t, streams(t, arenaconnect.HandlerOptions(pool, opts...))[:1]...)
		s := dial(c, address, 0).CallBidiStream(t.Context())
		var err error
		n := 0
		for ; n < 300 && err == nil; n++ {
			want := listOf(fmt.Sprint(n), long(n), long(n+1))
			s.Send(want)
			var m *list
			if m, err = s.Receive(); err == nil && texts(m) != texts(want) {
				t.Fatalf("%d: %v", n, m)
			}
		}
		s.CloseRequest()
		s.CloseResponse()
		if opts != nil && err != nil || opts == nil && connect.CodeOf(err) != connect.CodeResourceExhausted {
			t.Errorf("after %d messages: %v", n, err)
		}
		stop()
		allBack(t, pool, 1)
	}
}

// TestStreamPanics: after a panic in a stream the arena is freed.
func TestStreamPanics(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse())
	address, c, stop := serve(t, connect.NewBidiStreamHandler(procedures[0], func(ctx context.Context, s *connect.BidiStream[list, list]) error {
		s.Receive()
		panic("a mistake")
	}, arenaconnect.HandlerOptions(pool)))
	s := dial(c, address, 0).CallBidiStream(t.Context())
	s.Send(listOf("a"))
	if _, err := s.Receive(); err == nil {
		t.Error("no error")
	}
	s.CloseRequest()
	s.CloseResponse()
	stop()
	allBack(t, pool, 1)
	if pool.Stats().Freed != 1 {
		t.Error(pool.Stats())
	}
}

// TestServerStreams: with PerMessage or without, the only message of a server-streaming RPC lives as long as the RPC, and
// after Keep for longer. Connect asks for a second one before it calls the handler.
func TestServerStreams(t *testing.T) {
	for _, opts := range [][]arenaconnect.Option{nil, {arenaconnect.PerMessage()}, {arenaconnect.PerMessage(procedures[0])}} {
		for _, keep := range []bool{false, true} {
			pool := arena.NewPool(arena.WithReuse())
			var kept []*list
			address, c, stop := serve(t, connect.NewServerStreamHandler(procedures[0], func(ctx context.Context, r *request, s *connect.ServerStream[list]) error {
				a := arena.FromContext(ctx)
				if !in(ctx, r.Msg) {
					t.Error("the message isn't in the arena")
				}
				for range 50 {
					copy(a.AllocBytesUninit(100), strings.Repeat("#", 100))
				}
				if keep {
					kept = append(kept, r.Msg)
					arenaconnect.Keep(ctx)
				}
				for range 2 {
					if err := s.Send(r.Msg); err != nil {
						return err
					}
				}
				return nil
			}, arenaconnect.HandlerOptions(pool, opts...)))
			for _, name := range []string{"connect", "grpc", "grpcweb"} {
				for i := range 3 {
					s, err := dial(c, address, 0, protocols[name]...).CallServerStream(t.Context(), connect.NewRequest(listOf(long(i), "x")))
					if err != nil {
						t.Fatal(err)
					}
					n := 0
					for ; s.Receive(); n++ {
						if got := texts(s.Msg()); got != long(i)+" x" {
							t.Errorf("%s, %d options, keep %t: %q instead of %q", name, len(opts), keep, got, long(i))
						}
					}
					if n != 2 || s.Err() != nil {
						t.Error(n, s.Err())
					}
				}
			}
			stop()
			for i, m := range kept {
				if texts(m) != long(i%3)+" x" {
					t.Errorf("message %d is %q", i, texts(m))
				}
			}
			allBack(t, pool, 9)
			if s := pool.Stats(); s.Freed != len(kept) {
				t.Errorf("%d messages are kept: %v", len(kept), s)
			}
		}
	}
}
