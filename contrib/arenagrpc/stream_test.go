package arenagrpc_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// streamModes are the four ways of a stream's arena.
var streamModes = map[string][]arenagrpc.Option{
	"stream":          nil,
	"message":         {arenagrpc.PerMessage()},
	"stream, at end":  {arenagrpc.AtEnd()},
	"message, at end": {arenagrpc.AtEnd(), arenagrpc.PerMessage(pb.TestService_FullDuplexCall_FullMethodName, pb.TestService_StreamingInputCall_FullMethodName)},
}

// echoes answers each message with its payload.
func echoes(stream pb.TestService_FullDuplexCallServer) error {
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(&pb.StreamingOutputCallResponse{Payload: m.GetPayload()}); err != nil {
			return err
		}
	}
}

// wrapped is a stream as interceptors wrap it.
type wrapped struct {
	grpc.ServerStream
	see func(m any)
}

func (w wrapped) RecvMsg(m any) error {
	err := w.ServerStream.RecvMsg(m)
	w.see(m)
	return err
}

// TestStreams: messages of streams both ways are in the arena, interceptors see them as they are, and the arena
// comes back.
func TestStreams(t *testing.T) {
	for name, opts := range streamModes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t)
			var seen int
			around := func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
				return h(srv, wrapped{ss, func(m any) {
					if m, ok := m.(*pb.StreamingOutputCallRequest); ok {
						seen += len(m.GetPayload().GetBody())
					}
				}})
			}
			client, stop := start(t, pool, &service{
				duplex: func(stream pb.TestService_FullDuplexCallServer) error {
					if arena.FromContext(stream.Context()) == nil {
						t.Error("no arena before the first message")
					}
					return echoes(stream)
				},
				input: func(stream pb.TestService_StreamingInputCallServer) error {
					sum := 0
					for {
						m, err := stream.Recv()
						if err == io.EOF {
							return stream.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: int32(sum)})
						}
						if err != nil {
							return err
						}
						if !inArena(stream.Context(), m.GetPayload()) {
							t.Error("not in the arena")
						}
						sum += len(m.GetPayload().GetBody())
					}
				},
				output: func(r *pb.StreamingOutputCallRequest, stream pb.TestService_StreamingOutputCallServer) error {
					if !inArena(stream.Context(), r.GetPayload()) {
						t.Error("not in the arena")
					}
					for range 3 {
						if err := stream.Send(&pb.StreamingOutputCallResponse{Payload: r.GetPayload()}); err != nil {
							return err
						}
					}
					return nil
				},
			}, opts, grpc.ChainStreamInterceptor(around))
			testDuplex(t, client)
			if seen == 0 {
				t.Error("the interceptor saw no message")
			}
			testInput(t, client)
			testOutput(t, client)
			stop()
			allBack(t, pool, 3)
			if s := pool.Stats(); s.Freed > 0 {
				t.Errorf("%v", s)
			}
		})
	}
}

func testDuplex(t *testing.T, client pb.TestServiceClient) {
	stream, err := client.FullDuplexCall(background(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := stream.Send(&pb.StreamingOutputCallRequest{Payload: body(i * 2000)}); err != nil {
			t.Fatal(err)
		}
		m, err := stream.Recv()
		if err != nil || !proto.Equal(m.GetPayload(), body(i*2000)) {
			t.Fatal(i, err)
		}
	}
	stream.CloseSend()
	if _, err := stream.Recv(); err != io.EOF {
		t.Error(err)
	}
}

func testInput(t *testing.T, client pb.TestServiceClient) {
	stream, err := client.StreamingInputCall(background(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := stream.Send(&pb.StreamingInputCallRequest{Payload: body(300)}); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := stream.CloseAndRecv(); err != nil || m.GetAggregatedPayloadSize() != 6000 {
		t.Error(m, err)
	}
}

func testOutput(t *testing.T, client pb.TestServiceClient) {
	stream, err := client.StreamingOutputCall(background(t), &pb.StreamingOutputCallRequest{Payload: body(300)})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for m, err := stream.Recv(); err != io.EOF; m, err = stream.Recv() {
		if err != nil || !proto.Equal(m.GetPayload(), body(300)) {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d messages", n)
	}
}

// TestStreamLimit: a stream has the budget of one arena, and each of its messages has with PerMessage; then the
// stream can go on after one that was too large.
func TestStreamLimit(t *testing.T) {
	for name, opts := range streamModes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t, arena.WithLimit(100<<10))
			client, stop := start(t, pool, &service{duplex: func(stream pb.TestService_FullDuplexCallServer) error {
				for n := 0; ; n++ {
					m, err := stream.Recv()
					if err == io.EOF {
						return nil
					}
					if status.Code(err) == codes.ResourceExhausted && len(opts) > 0 && name[0] == 'm' {
						continue
					}
					if err != nil {
						return err
					}
					if err := stream.Send(&pb.StreamingOutputCallResponse{Payload: m.GetPayload()}); err != nil {
						return err
					}
				}
			}}, opts)
			stream, err := client.FullDuplexCall(background(t))
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for i := range 40 {
					size := 10 << 10
					if i == 15 {
						size = 200 << 10
					}
					if stream.Send(&pb.StreamingOutputCallRequest{Payload: body(size)}) != nil {
						return
					}
				}
				stream.CloseSend()
			}()
			n := 0
			for err == nil {
				if _, err = stream.Recv(); err == nil {
					n++
				}
			}
			if name[0] == 'm' {
				if err != io.EOF || n != 39 {
					t.Errorf("%d messages, %v", n, err)
				}
			} else if status.Code(err) != codes.ResourceExhausted || n != 9 {
				t.Errorf("%d messages, %v", n, err)
			}
			stop()
			allBack(t, pool, 1)
		})
	}
}

// TestStreamKeep: with PerMessage, Keep and text that goes to the trailer save a message from the next.
func TestStreamKeep(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse())
	var kept []*pb.Payload
	client, stop := start(t, pool, &service{duplex: func(stream pb.TestService_FullDuplexCallServer) error {
		for {
			m, err := stream.Recv()
			if err != nil {
				return nil
			}
			if n := len(m.GetPayload().GetBody()); n%3 == 0 {
				arenagrpc.Keep(stream.Context())
				kept = append(kept, m.GetPayload())
			}
			if s := m.GetResponseStatus().GetMessage(); s != "" {
				stream.SetTrailer(metadata.Pairs("text", s))
			}
		}
	}}, []arenagrpc.Option{arenagrpc.PerMessage()})
	stream, err := client.FullDuplexCall(background(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		m := &pb.StreamingOutputCallRequest{Payload: body(i)}
		if i == 2 {
			m.ResponseStatus = &pb.EchoStatus{Message: "kept for the end"}
		}
		if err := stream.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	stream.CloseSend()
	if _, err := stream.Recv(); err != io.EOF {
		t.Error(err)
	}
	if got := stream.Trailer().Get("text"); len(got) != 1 || got[0] != "kept for the end" {
		t.Error(got)
	}
	stop()
	for i, p := range kept {
		if !proto.Equal(p, body(3*i)) {
			t.Errorf("message %d has changed", 3*i)
		}
	}
	allBack(t, pool, -1)
	if s := pool.Stats(); len(kept) != 10 || s.Freed != 11 {
		t.Errorf("%d kept; %v", len(kept), s)
	}
}

// TestCancelled: streams that the client gives up, in the middle of a message or not, bring their arenas back, also if
// a goroutine goes on receiving when the handler has returned.
func TestCancelled(t *testing.T) {
	for name, opts := range streamModes {
		t.Run(name, func(t *testing.T) {
			pool := arena.NewPool(arena.WithReuse())
			client, stop := start(t, pool, &service{duplex: func(stream pb.TestService_FullDuplexCallServer) error {
				got := make(chan struct{}, 1)
				go func() {
					defer close(got)
					for {
						if _, err := stream.Recv(); err != nil {
							return
						}
						select {
						case got <- struct{}{}:
						default:
						}
					}
				}()
				<-got
				return nil
			}}, opts)
			const n = 100
			for range n {
				ctx, cancel := context.WithCancel(background(t))
				stream, err := client.FullDuplexCall(ctx)
				if err != nil {
					t.Fatal(err)
				}
				for range 5 {
					if stream.Send(&pb.StreamingOutputCallRequest{Payload: body(5000)}) != nil {
						break
					}
				}
				cancel()
				stream.Recv()
			}
			stop()
			allBack(t, pool, -1)
		})
	}
}

// TestStreamPanics: a handler of a stream that panics, below an interceptor that recovers, costs the arena.
func TestStreamPanics(t *testing.T) {
	for name, opts := range streamModes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t)
			client, stop := start(t, pool, &service{duplex: func(stream pb.TestService_FullDuplexCallServer) error {
				stream.Recv()
				panic("oops")
			}}, opts, grpc.StreamInterceptor(recoverStream))
			stream, err := client.FullDuplexCall(background(t))
			if err != nil {
				t.Fatal(err)
			}
			stream.Send(&pb.StreamingOutputCallRequest{Payload: body(100)})
			if _, err := stream.Recv(); status.Code(err) != codes.Internal || status.Convert(err).Message() != "oops" {
				t.Error(err)
			}
			stop()
			allBack(t, pool, 1)
			if s := pool.Stats(); s.Freed != 1 {
				t.Errorf("%v", s)
			}
		})
	}
}

// TestServerStreams: with PerMessage or without, the only message of a server-streaming RPC lives as long as the RPC, also
// if the handler asks for another, and after Keep for longer.
func TestServerStreams(t *testing.T) {
	for name, opts := range map[string][]arenagrpc.Option{
		"stream": nil, "message": {arenagrpc.PerMessage()},
		"method": {arenagrpc.AtEnd(), arenagrpc.PerMessage(pb.TestService_StreamingOutputCall_FullMethodName)},
	} {
		for _, keep := range []bool{false, true} {
			pool := arena.NewPool(arena.WithReuse())
			var kept []*pb.Payload
			client, stop := start(t, pool, &service{output: func(m *pb.StreamingOutputCallRequest, s pb.TestService_StreamingOutputCallServer) error {
				if err := s.RecvMsg(new(pb.StreamingOutputCallRequest)); err != io.EOF {
					t.Error(err)
				}
				a := arena.FromContext(s.Context())
				for range 50 {
					copy(a.AllocBytesUninit(100), bytes.Repeat([]byte{'#'}, 100))
				}
				if keep {
					kept = append(kept, m.GetPayload())
					arenagrpc.Keep(s.Context())
				}
				return s.Send(&pb.StreamingOutputCallResponse{Payload: m.GetPayload()})
			}}, opts)
			for n := range 5 {
				s, err := client.StreamingOutputCall(background(t), &pb.StreamingOutputCallRequest{Payload: body(100 * n)})
				if err != nil {
					t.Fatal(err)
				}
				if m, err := s.Recv(); err != nil || !proto.Equal(m.GetPayload(), body(100*n)) {
					t.Errorf("%s, keep %t: %v, %v", name, keep, m, err)
				}
				if _, err := s.Recv(); err != io.EOF {
					t.Error(err)
				}
			}
			stop()
			for n, p := range kept {
				if !proto.Equal(p, body(100*n)) {
					t.Errorf("%s: message %d is %v", name, n, p)
				}
			}
			allBack(t, pool, 5)
			if s := pool.Stats(); s.Freed != len(kept) {
				t.Errorf("%s: %d messages are kept: %v", name, len(kept), s)
			}
		}
	}
}
