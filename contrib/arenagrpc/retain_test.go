package arenagrpc_test

import (
	"context"
	"io"
	"runtime"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
)

// escapes counts the reports of a pool.
type escapes struct {
	mu    sync.Mutex
	found []string
}

func (e *escapes) add(x arena.Escape) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = append(e.found, x.String())
}

// len returns how many there are now.
func (e *escapes) len() int {
	arena.FindEscapes()
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.found)
}

type retention struct {
	name   string
	unary  func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error)
	around grpc.UnaryServerInterceptor
	duplex func(pb.TestService_FullDuplexCallServer) error
	opts   []arenagrpc.Option
	more   []grpc.ServerOption
}

// keeper holds what a test keeps; a new one for each.
type keeper struct {
	any  any
	list []any
}

func (k *keeper) retentions() []retention {
	ok := &pb.SimpleResponse{}
	handler := func(keep func(context.Context, *pb.SimpleRequest)) func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		return func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
			keep(ctx, r)
			return ok, nil
		}
	}
	none := handler(func(context.Context, *pb.SimpleRequest) {})
	return []retention{
		{name: "message", unary: handler(func(_ context.Context, r *pb.SimpleRequest) { k.any = r.GetResponseStatus().GetMessage() })},
		{name: "interceptor", unary: none, around: func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
			k.any = r
			return h(ctx, r)
		}},
		{name: "reply", unary: echo, around: func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
			reply, err := h(ctx, r)
			k.any = reply
			return reply, err
		}},
		{name: "own value", unary: handler(func(ctx context.Context, r *pb.SimpleRequest) { k.any = arena.NewOf(arena.FromContext(ctx), 5) })},
		{name: "stats", unary: none, more: []grpc.ServerOption{grpc.StatsHandler(payloads{see: func(in bool, m proto.Message) {
			if in {
				k.any = m
			}
		}})}},
		{name: "stream message", duplex: func(stream pb.TestService_FullDuplexCallServer) error {
			for {
				m, err := stream.Recv()
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				k.list = append(k.list, m.GetPayload())
			}
		}},
		{name: "message before", opts: []arenagrpc.Option{arenagrpc.PerMessage()}, duplex: func(stream pb.TestService_FullDuplexCallServer) error {
			m, err := stream.Recv()
			if err == nil {
				k.any = m.GetPayload()
				stream.Recv()
				stream.Recv()
			}
			return nil
		}},
		{name: "echo", unary: echo}, // the last ones are right
		{name: "streamed", duplex: echoes},
	}
}

// TestRetentions: each kept part of a request is found, and no other values are. The kinds of
// holders are TestCorpus's, in arenatest.
func TestRetentions(t *testing.T) {
	for i, r := range new(keeper).retentions() {
		t.Run(r.name, func(t *testing.T) {
			k := &keeper{}
			r := k.retentions()[i]
			var e escapes
			pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(1), arena.OnEscape(e.add))
			more := r.more
			if r.around != nil {
				more = append(more, grpc.UnaryInterceptor(r.around))
			}
			client, stop := start(t, pool, &service{unary: r.unary, duplex: r.duplex}, r.opts, more...)
			if r.unary != nil {
				_, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: body(500), ResponseStatus: &pb.EchoStatus{Message: "a message"}})
				if err != nil {
					t.Fatal(err)
				}
			} else {
				testDuplexOf(t, client)
			}
			allBack(t, pool, 1)
			want := r.name != "echo" && r.name != "streamed"
			if n := e.len(); (n > 0) != want {
				t.Errorf("%d reports: %q", n, e.found)
			}
			runtime.KeepAlive(k)
			stop()
		})
	}
}

func testDuplexOf(t *testing.T, client pb.TestServiceClient) {
	stream, err := client.FullDuplexCall(background(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := stream.Send(&pb.StreamingOutputCallRequest{Payload: body(500)}); err != nil {
			t.Fatal(err)
		}
	}
	stream.CloseSend()
	for err == nil {
		_, err = stream.Recv()
	}
}
