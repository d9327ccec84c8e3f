package arenagrpc_test

import (
	"context"
	"fmt"
	"net"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"
)

// serve runs a server with the options and calls f with a client's connection to it.
func serve(opts []grpc.ServerOption, impl pb.TestServiceServer, f func(conn *grpc.ClientConn)) {
	l := bufconn.Listen(1 << 16)
	s := grpc.NewServer(opts...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), impl)
	go s.Serve(l)
	defer s.Stop()
	conn, err := grpc.NewClient("passthrough:///example", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	f(conn)
}

// greeter answers in the arena of the RPC.
type greeter struct {
	pb.UnimplementedTestServiceServer
	last *pb.EchoStatus
}

func (g *greeter) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	a := arena.FromContext(ctx)
	if a == nil {
		return &pb.SimpleResponse{Username: "hello from the heap"}, nil
	}
	g.last = arenaproto.Clone(r.GetResponseStatus()) // outlives the RPC
	reply := arena.New[pb.SimpleResponse](a)
	reply.Username = a.Sprintf("hello %s", r.GetResponseStatus().GetMessage())
	return reply, nil
}

// greet calls the greeter.
func greet(conn *grpc.ClientConn) {
	r, err := pb.NewTestServiceClient(conn).UnaryCall(context.Background(), &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Message: "world"}})
	fmt.Println(r.GetUsername(), err)
}

func Example() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	g := &greeter{}
	serve(arenagrpc.ServerOptions(pool), g, greet)
	fmt.Println(g.last.GetMessage(), pool.Stats().Puts)
	// Output:
	// hello world <nil>
	// world 1
}

func ExampleServerOptions() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithLimit(1<<20), arena.WithCheckRate(1000))
	serve(arenagrpc.ServerOptions(pool), &greeter{}, greet)
	// Output: hello world <nil>
}

func ExampleRegistrar() {
	s := grpc.NewServer(arenagrpc.ServerOptions(arena.NewPool())...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &greeter{})
	fmt.Println(len(s.GetServiceInfo()))
	// Output: 1
}

// An Option is given to ServerOptions.
func ExampleOption() {
	opts := []arenagrpc.Option{arenagrpc.PerMessage(), arenagrpc.AtEnd()}
	serve(arenagrpc.ServerOptions(arena.NewPool(), opts...), &greeter{}, greet)
	// Output: hello world <nil>
}

func ExampleExcept() {
	except := arenagrpc.Except(pb.TestService_UnaryCall_FullMethodName)
	serve(arenagrpc.ServerOptions(arena.NewPool(), except), &greeter{}, greet)
	// Output: hello from the heap <nil>
}

func ExampleAtEnd() {
	serve(arenagrpc.ServerOptions(arena.NewPool(), arenagrpc.AtEnd()), &greeter{}, greet)
	// Output: hello world <nil>
}

func ExampleBase() {
	base := encoding.GetCodecV2("proto") // or one of your own
	serve(arenagrpc.ServerOptions(arena.NewPool(), arenagrpc.Base(base)), &greeter{}, greet)
	// Output: hello world <nil>
}

// summer sums up any number of received messages.
type summer struct{ greeter }

func (*summer) StreamingInputCall(stream pb.TestService_StreamingInputCallServer) error {
	var sum int32
	for {
		m, err := stream.Recv() // m lives until the next Recv
		if err != nil {
			return stream.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: sum})
		}
		sum += int32(len(m.GetPayload().GetBody()))
	}
}

func ExamplePerMessage() {
	pool := arena.NewPool(arena.WithLimit(4 << 10))
	perMessage := arenagrpc.PerMessage(pb.TestService_StreamingInputCall_FullMethodName)
	serve(arenagrpc.ServerOptions(pool, perMessage), &summer{}, func(conn *grpc.ClientConn) {
		stream, err := pb.NewTestServiceClient(conn).StreamingInputCall(context.Background())
		for range 100 {
			err = stream.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: make([]byte, 1000)}})
		}
		if err == nil {
			fmt.Println(stream.CloseAndRecv())
		}
	})
	// Output: aggregated_payload_size:100000 <nil>
}

// saver keeps whole requests.
type saver struct {
	greeter
	requests []*pb.SimpleRequest
}

func (s *saver) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	arenagrpc.Keep(ctx)
	s.requests = append(s.requests, r)
	return &pb.SimpleResponse{Username: "saved"}, nil
}

func ExampleKeep() {
	s := &saver{}
	serve(arenagrpc.ServerOptions(arena.NewPool()), s, greet)
	fmt.Println(s.requests[0].GetResponseStatus().GetMessage())
	// Output:
	// saved <nil>
	// world
}

func ExampleInvoke() {
	pool := arena.NewPool()
	serve(nil, &greeter{}, func(conn *grpc.ClientConn) {
		err := pool.Do(func(a *arena.Arena) error {
			reply, err := arenagrpc.Invoke[pb.SimpleResponse](context.Background(), conn,
				pb.TestService_UnaryCall_FullMethodName, &pb.SimpleRequest{}, a)
			fmt.Println(reply.GetUsername())
			return err
		})
		fmt.Println(err)
	})
	// Output:
	// hello from the heap
	// <nil>
}
