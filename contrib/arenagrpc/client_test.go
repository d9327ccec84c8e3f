package arenagrpc_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// TestInvoke: replies are in the client's arena, of any size, with a nil arena too, and errors are
// unchanged.
func TestInvoke(t *testing.T) {
	s := grpc.NewServer()
	pb.RegisterTestServiceServer(s, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		if r.GetResponseStatus() != nil {
			return nil, status.Error(codes.NotFound, "gone")
		}
		return echo(ctx, r)
	}})
	conn, _ := dial(t, s)
	const method = pb.TestService_UnaryCall_FullMethodName
	for _, a := range []*arena.Arena{nil, arenatest.New(t)} {
		for _, n := range []int{0, 1, 100, 100 << 10} {
			for _, opts := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
				m, err := arenagrpc.Invoke[pb.SimpleResponse](background(t), conn, method, &pb.SimpleRequest{Payload: body(n)}, a, opts...)
				if err != nil || !proto.Equal(m.GetPayload(), body(n)) {
					t.Errorf("%d bytes: %v", n, err)
				}
				if a != nil && (!a.Owns(unsafe.Pointer(m)) || n > 0 && !a.Owns(unsafe.Pointer(&m.GetPayload().GetBody()[0]))) {
					t.Errorf("%d bytes: not in the arena", n)
				}
			}
		}
		m, err := arenagrpc.Invoke[pb.SimpleResponse](background(t), conn, method, &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{}}, a)
		if m != nil || status.Code(err) != codes.NotFound {
			t.Error(m, err)
		}
	}
	for _, limit := range []int{16, 64 << 10} { // too little for the message, and for what is in it
		a := arenatest.New(t, arena.WithLimit(limit))
		m, err := arenagrpc.Invoke[pb.SimpleResponse](background(t), conn, method, &pb.SimpleRequest{Payload: body(100 << 10)}, a)
		var e *arena.LimitError
		if m != nil || status.Code(err) != codes.ResourceExhausted || !errors.As(err, &e) || e.Limit != limit {
			t.Error(m, err)
		}
	}
}

// TestInvokeAbandoned: a reply that comes when an interceptor has given up isn't decoded to the arena, which is the
// caller's.
func TestInvokeAbandoned(t *testing.T) {
	answer, ended := make(chan bool), make(chan error)
	s := grpc.NewServer()
	pb.RegisterTestServiceServer(s, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		<-answer
		return &pb.SimpleResponse{Username: "late"}, nil
	}})
	conn, _ := dial(t, s, grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		go func() { ended <- invoke(ctx, method, req, reply, cc, opts...) }()
		return status.Error(codes.DeadlineExceeded, "gone")
	}))
	a := arena.NewArena()
	m, err := arenagrpc.Invoke[pb.SimpleResponse](background(t), conn, pb.TestService_UnaryCall_FullMethodName, &pb.SimpleRequest{}, a)
	if m != nil || status.Code(err) != codes.DeadlineExceeded {
		t.Error(m, err)
	}
	a.Reset()
	mine := arena.New[pb.SimpleResponse](a) // where the reply was
	used := a.UsedBytes()
	close(answer)
	if err := <-ended; err == nil || mine.Username != "" || a.UsedBytes() != used {
		t.Errorf("%v; the arena was used: %q", err, mine.Username)
	}
}
