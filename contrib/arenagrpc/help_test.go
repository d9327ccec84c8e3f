package arenagrpc_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"
)

// service is a service of functions; nil ones aren't implemented.
type service struct {
	grpc_testing.UnimplementedTestServiceServer
	unary  func(context.Context, *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error)
	input  func(grpc_testing.TestService_StreamingInputCallServer) error
	output func(*grpc_testing.StreamingOutputCallRequest, grpc_testing.TestService_StreamingOutputCallServer) error
	duplex func(grpc_testing.TestService_FullDuplexCallServer) error
}

func (s *service) UnaryCall(ctx context.Context, r *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error) {
	return s.unary(ctx, r)
}

func (s *service) StreamingInputCall(stream grpc_testing.TestService_StreamingInputCallServer) error {
	return s.input(stream)
}

func (s *service) StreamingOutputCall(r *grpc_testing.StreamingOutputCallRequest, stream grpc_testing.TestService_StreamingOutputCallServer) error {
	return s.output(r, stream)
}

func (s *service) FullDuplexCall(stream grpc_testing.TestService_FullDuplexCallServer) error {
	return s.duplex(stream)
}

// dial starts a server and returns a connection to it. stop ends both; it may be called twice.
func dial(tb testing.TB, s *grpc.Server, opts ...grpc.DialOption) (conn *grpc.ClientConn, stop func()) {
	tb.Helper()
	l := bufconn.Listen(1 << 20)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	opts = append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) })}, opts...)
	conn, err := grpc.NewClient("passthrough:///test", opts...)
	if err != nil {
		tb.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		conn.Close()
		s.Stop() // waits for handlers
		<-done
	}
	tb.Cleanup(stop)
	return conn, stop
}

// start starts a server of impl with arenas of a pool.
func start(tb testing.TB, pool *arena.Pool, impl *service, opts []arenagrpc.Option, more ...grpc.ServerOption) (grpc_testing.TestServiceClient, func()) {
	tb.Helper()
	s := grpc.NewServer(append(append(arenagrpc.ServerOptions(pool, opts...), grpc.WaitForHandlers(true)), more...)...)
	grpc_testing.RegisterTestServiceServer(arenagrpc.Registrar(s), impl)
	conn, stop := dial(tb, s)
	return grpc_testing.NewTestServiceClient(conn), stop
}

// allBack fails if an arena isn't back, once all handlers have ended.
var allBack = tenants.AllBack

func body(n int) *grpc_testing.Payload {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + i%26)
	}
	return &grpc_testing.Payload{Body: b}
}

func background(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	tb.Cleanup(cancel)
	return ctx
}
