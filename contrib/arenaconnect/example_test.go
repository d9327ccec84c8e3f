package arenaconnect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// greet answers in the RPC's arena, which its request is in, too.
func greet(ctx context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
	a := arena.FromContext(ctx)
	reply := arena.New[wrapperspb.StringValue](a)
	reply.Value = a.Sprintf("Hello, %s!", r.Msg.GetValue())
	return connect.NewResponse(reply), nil
}

// ask calls a procedure of a server with a text, and prints the answer.
func ask(h http.Handler, procedure, text string) {
	s := httptest.NewServer(h)
	defer s.Close()
	client := connect.NewClient[wrapperspb.StringValue, wrapperspb.StringValue](s.Client(), s.URL+procedure)
	reply, err := client.CallUnary(context.Background(), connect.NewRequest(wrapperspb.String(text)))
	if err != nil {
		fmt.Println(connect.CodeOf(err))
		return
	}
	fmt.Println(reply.Msg.GetValue())
}

func Example() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	mux := http.NewServeMux()
	mux.Handle("/greet.Greeter/Greet", connect.NewUnaryHandler("/greet.Greeter/Greet", greet, arenaconnect.HandlerOptions(pool)))
	ask(arenaconnect.Middleware(mux), "/greet.Greeter/Greet", "world")
	fmt.Println(pool.Stats().Gets)
	// Output:
	// Hello, world!
	// 1
}

func ExampleHandlerOptions() {
	pool := arena.NewPool(arena.WithLimit(64 << 10)) // of each RPC
	options := arenaconnect.HandlerOptions(pool)     // for any number of handlers
	h := connect.NewUnaryHandler("/greet.Greeter/Waste", func(ctx context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
		arena.FromContext(ctx).AllocBytes(1 << 20)
		return nil, nil
	}, options)
	ask(arenaconnect.Middleware(h), "/greet.Greeter/Waste", "world")
	// Output: resource_exhausted
}

func ExampleMiddleware() {
	pool := arena.NewPool()
	h := connect.NewUnaryHandler("/greet.Greeter/Greet", greet, arenaconnect.HandlerOptions(pool))
	ask(arenaconnect.Middleware(h), "/greet.Greeter/Greet", "world") // around all other handlers
	ask(h, "/greet.Greeter/Greet", "world")                          // fails without it
	// Output:
	// Hello, world!
	// internal
}

func ExampleExcept() {
	pool := arena.NewPool()
	h := connect.NewUnaryHandler("/greet.Greeter/Greet", greet, arenaconnect.HandlerOptions(pool, arenaconnect.Except("/greet.Greeter/Greet")))
	ask(arenaconnect.Middleware(h), "/greet.Greeter/Greet", "heap")
	fmt.Println(pool.Stats().Gets)
	// Output:
	// Hello, heap!
	// 0
}

func ExamplePerMessage() {
	pool := arena.NewPool(arena.WithLimit(16 << 10)) // of each message
	h := connect.NewClientStreamHandler("/count.Counter/Count", func(_ context.Context, s *connect.ClientStream[structpb.ListValue]) (*connect.Response[wrapperspb.Int64Value], error) {
		n := 0
		for s.Receive() {
			n += len(s.Msg().GetValues())
		}
		return connect.NewResponse(wrapperspb.Int64(int64(n))), s.Err()
	}, arenaconnect.HandlerOptions(pool, arenaconnect.PerMessage("/count.Counter/Count")))
	server := httptest.NewServer(arenaconnect.Middleware(h))
	defer server.Close()
	client := connect.NewClient[structpb.ListValue, wrapperspb.Int64Value](server.Client(), server.URL+"/count.Counter/Count")
	stream := client.CallClientStream(context.Background())
	message, _ := structpb.NewList([]any{"many", "words"})
	for range 1000 {
		if err := stream.Send(message); err != nil {
			break
		}
	}
	reply, err := stream.CloseAndReceive()
	fmt.Println(reply.Msg.GetValue(), err)
	// Output: 2000 <nil>
}

func ExampleKeep() {
	pool := arena.NewPool()
	var last *wrapperspb.StringValue
	h := connect.NewUnaryHandler("/log.Log/Write", func(ctx context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
		if arenaconnect.Keep(ctx) {
			last = r.Msg // good for as long as it is needed
		}
		return connect.NewResponse(&wrapperspb.StringValue{}), nil
	}, arenaconnect.HandlerOptions(pool))
	ask(arenaconnect.Middleware(h), "/log.Log/Write", "kept")
	fmt.Println(last.GetValue())
	// Output:
	//
	// kept
}
