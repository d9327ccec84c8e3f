package arenagrpc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
)

// A watcher is gRPC's codec, which tells when it encodes.
type watcher struct{ live func(string) }

func (w watcher) Name() string { return "proto" }

func (w watcher) Marshal(v any) (mem.BufferSlice, error) {
	w.live("before encoding")
	data, err := encoding.GetCodecV2("proto").Marshal(v)
	w.live("after encoding")
	return data, err
}

func (w watcher) Unmarshal(data mem.BufferSlice, v any) error {
	return encoding.GetCodecV2("proto").Unmarshal(data, v)
}

// textCodec is for messages that are *string.
type textCodec struct{}

func (textCodec) Name() string { return "text" }

func (textCodec) Marshal(v any) (mem.BufferSlice, error) {
	s, ok := v.(*string)
	if !ok {
		return nil, fmt.Errorf("text: %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*s)}, nil
}

func (textCodec) Unmarshal(data mem.BufferSlice, v any) error {
	s, ok := v.(*string)
	if !ok {
		return fmt.Errorf("text: %T", v)
	}
	*s = string(data.Materialize())
	return nil
}

// TestOtherMessages: messages that aren't protobuf's are left to the codec for them, and the RPC has an
// arena as any.
func TestOtherMessages(t *testing.T) {
	pool := arenatest.NewPool(t)
	handler := func(_ any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var s string
		if err := dec(&s); err != nil {
			return nil, err
		}
		if arena.FromContext(ctx) == nil {
			t.Error("no arena")
		}
		s = "hello " + s
		return &s, nil
	}
	s := grpc.NewServer(arenagrpc.ServerOptions(pool, arenagrpc.Base(textCodec{}))...)
	arenagrpc.Registrar(s).RegisterService(&grpc.ServiceDesc{ServiceName: "test.Text", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Hello", Handler: handler}}}, t)
	conn, stop := dial(t, s, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(textCodec{})))
	in, out := "you", ""
	if err := conn.Invoke(background(t), "/test.Text/Hello", &in, &out); err != nil || out != "hello you" {
		t.Errorf("%q %v", out, err)
	}
	stop()
	allBack(t, pool, 1)
}

// TestTwoMessages: a client that sends two messages to a unary method gets an error, though the second
// is decoded to where the first was.
func TestTwoMessages(t *testing.T) {
	pool := arenatest.NewPool(t)
	s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &service{unary: echo})
	conn, stop := dial(t, s)
	stream, err := conn.NewStream(background(t), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, pb.TestService_UnaryCall_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := stream.SendMsg(&pb.SimpleRequest{Payload: body(100 << n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(new(pb.SimpleResponse)); err == nil {
		t.Error("two messages were taken for one")
	}
	stop()
	allBack(t, pool, 1)
}

// TestTwoServers: servers in a process, and services of a server, have the pools that they were made with.
func TestTwoServers(t *testing.T) {
	pools := []*arena.Pool{arenatest.NewPool(t), arenatest.NewPool(t)}
	for i, pool := range pools {
		s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
		r := arenagrpc.Registrar(s)
		pb.RegisterTestServiceServer(r, &service{unary: echo})
		pb.RegisterBenchmarkServiceServer(r, bench{})
		conn, stop := dial(t, s)
		for range 3 + i {
			if _, err := pb.NewTestServiceClient(conn).UnaryCall(background(t), &pb.SimpleRequest{Payload: body(9)}); err != nil {
				t.Error(err)
			}
			if _, err := pb.NewBenchmarkServiceClient(conn).UnaryCall(background(t), &pb.SimpleRequest{Payload: body(9)}); err != nil {
				t.Error(err)
			}
		}
		stop()
		allBack(t, pool, 2*(3+i))
		if got := pool.Stats().Keys[pb.BenchmarkService_UnaryCall_FullMethodName].Gets; got != 3+i {
			t.Errorf("%d gets", got)
		}
	}
}

type bench struct {
	pb.UnimplementedBenchmarkServiceServer
}

func (bench) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return echo(ctx, r)
}
