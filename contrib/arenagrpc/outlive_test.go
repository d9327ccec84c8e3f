package arenagrpc_test

import (
	"context"
	"io"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"github.com/harena-go/arena/internal/tests/testkit/outlive"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// hold has something outlive a unary RPC that knows the request.
func hold(r *outlive.Request, ctx context.Context, m *pb.SimpleRequest) {
	a := arena.FromContext(ctx)
	r.Hold(func() string { return string(m.GetPayload().GetBody()) }, func() *arena.Arena { return a })
}

// abandon is an interceptor that waits for Hold, not for the handler inside it.
func abandon(r *outlive.Request, code codes.Code) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, m any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		go h(ctx, m)
		<-r.Held
		return nil, status.Error(code, "gone")
	}
}

// call makes a unary RPC, with as much in the arena as others will use.
func call(r *outlive.Request, unary func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error), more ...grpc.ServerOption) {
	outer := func(ctx context.Context, m any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		r.Outer(arena.FromContext(ctx))
		return h(ctx, m)
	}
	client, stop := start(r.T, r.Pool, &service{unary: unary}, nil, append([]grpc.ServerOption{grpc.ChainUnaryInterceptor(outer)}, more...)...)
	client.UnaryCall(background(r.T), &pb.SimpleRequest{Payload: body(1000)})
	r.Cleanup(stop)
}

// holds is a handler that outlives its RPC.
func holds(r *outlive.Request) func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return func(ctx context.Context, m *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		hold(r, ctx, m)
		return &pb.SimpleResponse{}, nil
	}
}

// leaves is a handler that a goroutine outlives.
func leaves(r *outlive.Request, end func(context.Context)) func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return func(ctx context.Context, m *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		go r.Hold(func() string { return string(m.GetPayload().GetBody()) }, nil)
		<-r.Held
		end(ctx)
		return &pb.SimpleResponse{}, nil
	}
}

// TestOutlive: see docs/promises.md.
func TestOutlive(t *testing.T) {
	outlive.Test(t, "gRPC", map[string]func(*outlive.Request){
		"a handler, behind an interceptor that answers at a deadline": func(r *outlive.Request) {
			call(r, holds(r), grpc.ChainUnaryInterceptor(abandon(r, codes.DeadlineExceeded)))
		},
		"a handler, behind an interceptor that answers with another error": func(r *outlive.Request) {
			call(r, holds(r), grpc.ChainUnaryInterceptor(abandon(r, codes.Unavailable)))
		},
		"an interceptor, behind another that answers at a deadline": func(r *outlive.Request) {
			call(r, echo, grpc.ChainUnaryInterceptor(abandon(r, codes.DeadlineExceeded),
				func(ctx context.Context, m any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
					reply, err := h(ctx, m)
					r.Hold(func() string { return string(m.(*pb.SimpleRequest).GetPayload().GetBody()) }, nil)
					return reply, err
				}))
		},
		"the handler of a stream, behind an interceptor that answers at a deadline": func(r *outlive.Request) {
			stream(r, grpc.StreamInterceptor(func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
				go h(srv, s)
				<-r.Held
				return status.Error(codes.DeadlineExceeded, "gone")
			}))
		},
		"a handler whose client has cancelled": func(r *outlive.Request) {
			client, stop := start(r.T, r.Pool, &service{unary: holds(r)}, nil)
			ctx, cancel := context.WithCancel(background(r.T))
			go func() { <-r.Held; cancel() }()
			client.UnaryCall(ctx, &pb.SimpleRequest{Payload: body(1000)})
			r.Cleanup(stop)
		},
		"a handler whose client has closed its side": func(r *outlive.Request) { stream(r) },
		"a goroutine, after a panic": func(r *outlive.Request) {
			call(r, leaves(r, func(context.Context) { panic("oops") }), grpc.ChainUnaryInterceptor(recoverUnary))
		},
		"a goroutine, after `Detach` or `Keep`": func(r *outlive.Request) {
			call(r, leaves(r, func(ctx context.Context) { arenagrpc.Keep(ctx) }))
		},
		"a goroutine that the package isn't told of": func(r *outlive.Request) { call(r, leaves(r, func(context.Context) {})) },
	})
}

// stream makes the client close its side of a stream, whose handler goes on.
func stream(r *outlive.Request, more ...grpc.ServerOption) {
	client, stop := start(r.T, r.Pool, &service{duplex: func(s pb.TestService_FullDuplexCallServer) error {
		m, err := s.Recv()
		if _, end := s.Recv(); err != nil || end != io.EOF {
			r.Error(err, end)
		}
		a := arena.FromContext(s.Context())
		r.Hold(func() string { return string(m.GetPayload().GetBody()) }, func() *arena.Arena { return a })
		return nil
	}}, nil, more...)
	s, err := client.FullDuplexCall(background(r.T))
	if err == nil {
		err = s.Send(&pb.StreamingOutputCallRequest{Payload: body(1000)})
	}
	if err != nil {
		r.Fatal(err)
	}
	s.CloseSend()
	r.Cleanup(stop)
}

// TestStreamAtEnd: the handler of a stream that has ended keeps its arena with AtEnd, too.
func TestStreamAtEnd(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse())
	entered, ended, left := make(chan bool), make(chan bool), make(chan bool)
	client, stop := start(t, pool, &service{duplex: func(s pb.TestService_FullDuplexCallServer) error {
		mine := arena.FromContext(s.Context()).AllocString("mine")
		close(entered)
		<-ended
		if n := pool.Stats().Puts; n != 0 || mine != "mine" {
			t.Errorf("%d arenas are back, and it finds %q", n, mine)
		}
		return nil
	}}, []arenagrpc.Option{arenagrpc.AtEnd()}, grpc.StreamInterceptor(func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
		go func() {
			h(srv, s)
			left <- true
		}()
		<-entered
		return status.Error(codes.Unavailable, "gone")
	}))
	s, err := client.FullDuplexCall(background(t))
	if err == nil {
		_, err = s.Recv()
	}
	if status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
	close(ended)
	<-left
	stop()
	allBack(t, pool, 1)
}
