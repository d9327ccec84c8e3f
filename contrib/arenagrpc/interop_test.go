package arenagrpc_test

import (
	"context"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/interop"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
)

// TestInterop runs the interoperability tests of gRPC, which end the process if one fails, against their
// server with arenas.
func TestInterop(t *testing.T) {
	for name, opts := range streamModes {
		for compression, args := range map[string][]grpc.CallOption{"plain": nil, "gzip": {grpc.UseCompressor(gzip.Name)}} {
			t.Run(name+"/"+compression, func(t *testing.T) {
				pool := arenatest.NewPool(t)
				testInterop(t, pool, opts, args)
				if s := pool.Stats(); s.Gets < 12 {
					t.Errorf("%d gets", s.Gets)
				}
			})
		}
	}
}

func testInterop(t *testing.T, pool *arena.Pool, opts []arenagrpc.Option, args []grpc.CallOption) {
	s := grpc.NewServer(append(arenagrpc.ServerOptions(pool, opts...), grpc.WaitForHandlers(true))...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), interop.NewTestServer())
	conn, stop := dial(t, s)
	client := pb.NewTestServiceClient(conn)
	type test struct {
		name string
		f    func(context.Context, pb.TestServiceClient, ...grpc.CallOption)
	}
	for _, c := range []test{
		{"empty_unary", interop.DoEmptyUnaryCall},
		{"large_unary", interop.DoLargeUnaryCall},
		{"client_streaming", interop.DoClientStreaming},
		{"server_streaming", interop.DoServerStreaming},
		{"ping_pong", interop.DoPingPong},
		{"empty_stream", interop.DoEmptyStream},
		{"timeout_on_sleeping_server", interop.DoTimeoutOnSleepingServer},
		{"cancel_after_begin", cancelAfterBegin},
		{"cancel_after_first_response", interop.DoCancelAfterFirstResponse},
		{"custom_metadata", interop.DoCustomMetadata},
		{"status_code_and_message", interop.DoStatusCodeAndMessage},
		{"special_status_message", interop.DoSpecialStatusMessage},
		{"unimplemented_method", func(ctx context.Context, _ pb.TestServiceClient, _ ...grpc.CallOption) {
			interop.DoUnimplementedMethod(ctx, conn)
		}},
		{"unimplemented_service", func(ctx context.Context, _ pb.TestServiceClient, _ ...grpc.CallOption) {
			interop.DoUnimplementedService(ctx, pb.NewUnimplementedServiceClient(conn))
		}},
	} {
		began := time.Now()
		ctx, cancel := context.WithTimeout(background(t), time.Minute)
		c.f(ctx, client, args...)
		cancel()
		t.Logf("%s: passed in %v", c.name, time.Since(began).Round(time.Millisecond))
	}
	stop()
	allBack(t, pool, -1)
}

// cancelAfterBegin is interop.DoCancelAfterBegin, but the RPC may also succeed: over a connection in memory that
// happens with plain servers, too, where the reply is faster than the cancellation.
func cancelAfterBegin(ctx context.Context, client pb.TestServiceClient, args ...grpc.CallOption) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := client.StreamingInputCall(ctx, args...)
	cancel()
	if err == nil {
		_, err = stream.CloseAndRecv()
	}
	if c := status.Code(err); c != codes.Canceled && c != codes.OK {
		panic(err)
	}
}
