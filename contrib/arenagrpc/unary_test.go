package arenagrpc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// echo answers with memory of the request.
func echo(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	a := arena.FromContext(ctx)
	reply := arena.New[pb.SimpleResponse](a)
	reply.Payload = r.GetPayload()
	reply.Username = a.Sprintf("%d bytes", len(r.GetPayload().GetBody()))
	return reply, nil
}

// inArena reports whether the request's bytes are in the arena of the context.
func inArena(ctx context.Context, p *pb.Payload) bool {
	return arena.FromContext(ctx).Owns(unsafe.Pointer(unsafe.SliceData(p.GetBody())))
}

// modes are the two ways in which an RPC's arena is put back.
var modes = map[string][]arenagrpc.Option{"encoded": nil, "end": {arenagrpc.AtEnd()}}

// TestUnary: requests are in the arena, replies may be parts of them, of any size, compressed or not, and all
// arenas come back.
func TestUnary(t *testing.T) {
	for name, opts := range modes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t)
			client, stop := start(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				if n := len(r.GetPayload().GetBody()); n > 0 && !inArena(ctx, r.GetPayload()) {
					t.Errorf("%d bytes are not in the arena", n)
				}
				return echo(ctx, r)
			}}, opts)
			gets := 0
			for _, n := range []int{0, 1, 100, 16 << 10, 200 << 10, 3 << 20} {
				for _, callOpts := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
					want := body(n)
					reply, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: want}, callOpts...)
					if err != nil || !proto.Equal(reply.GetPayload(), want) || reply.GetUsername() != fmt.Sprintf("%d bytes", n) {
						t.Fatalf("%d bytes: %v %q", n, err, reply.GetUsername())
					}
					gets++
				}
			}
			stop()
			allBack(t, pool, gets)
			if s := pool.Stats(); s.Freed > 0 || s.Keys["/grpc.testing.TestService/UnaryCall"].Gets != gets {
				t.Errorf("%v", s)
			}
		})
	}
}

// TestNotBeforeReply: the arena isn't put back before the reply is encoded, for all handlers and
// interceptors.
func TestNotBeforeReply(t *testing.T) {
	for name, opts := range modes {
		t.Run(name, func(t *testing.T) {
			pool := arena.NewPool(arena.WithReuse())
			live := func(at string) {
				if n := pool.Stats().Live; n != 1 {
					t.Errorf("%s: %d arenas live", at, n)
				}
			}
			around := func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
				defer live("interceptor")
				return h(ctx, r)
			}
			client, stop := start(t, pool, &service{unary: echo}, append(opts, arenagrpc.Base(watcher{live: live})), grpc.UnaryInterceptor(around), grpc.ChainUnaryInterceptor(around))
			for range 10 {
				if _, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: body(1000)}); err != nil {
					t.Fatal(err)
				}
				allBack(t, pool, -1)
			}
			stop()
			allBack(t, pool, 10)
		})
	}
}

// TestLimit: requests and handlers that exceed the budget end with ResourceExhausted.
func TestLimit(t *testing.T) {
	for name, opts := range modes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t, arena.WithLimit(64<<10))
			var seen error
			around := func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
				reply, err := h(ctx, r)
				seen = err
				return reply, err
			}
			client, stop := start(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				if r.GetFillUsername() { // as errgroup does with the panic of one of its goroutines
					defer func() { panic(fmt.Errorf("in a group: %w", recover().(error))) }()
				}
				arena.FromContext(ctx).AllocBytes(int(r.GetResponseSize()))
				return echo(ctx, r)
			}}, opts, grpc.UnaryInterceptor(around))
			for _, r := range []*pb.SimpleRequest{{Payload: body(100 << 10)}, {ResponseSize: 100 << 10},
				{ResponseSize: 100 << 10, FillUsername: true}} {
				if _, err := client.UnaryCall(background(t), r); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "limit exceeded") {
					t.Error(err)
				}
			}
			if _, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: body(100)}); err != nil || seen != nil {
				t.Error(err, seen)
			}
			stop()
			allBack(t, pool, 4)
		})
	}
}

// TestTextOfArena: headers and trailers that are strings of the request are sent whole, however soon the
// memory would be used again. Headers and trailers cost an arena.
func TestTextOfArena(t *testing.T) {
	text := func(ctx context.Context, r *pb.SimpleRequest) string {
		return r.GetResponseStatus().GetMessage()
	}
	for name, opts := range modes {
		for what, unary := range map[string]func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error){
			"header": func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				return &pb.SimpleResponse{}, grpc.SetHeader(ctx, metadata.Pairs("name", text(ctx, r)))
			},
			"sent header": func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				return &pb.SimpleResponse{}, grpc.SendHeader(ctx, metadata.Pairs("name", text(ctx, r)))
			},
			"header of a child": func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				s := arena.FromContext(ctx).Child().AllocString(text(ctx, r))
				return &pb.SimpleResponse{}, grpc.SetHeader(ctx, metadata.Pairs("name", s))
			},
			"trailer": func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				return &pb.SimpleResponse{}, grpc.SetTrailer(ctx, metadata.Pairs("name", text(ctx, r)))
			},
			"other": func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("name", strings.Clone(text(ctx, r))))
				return nil, status.Error(codes.NotFound, strings.Clone(text(ctx, r)))
			},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				pool := arena.NewPool(arena.WithReuse())
				client, stop := start(t, pool, &service{unary: unary}, opts)
				const n = 50
				for i := range n {
					want := fmt.Sprintf("%s of request %d", what, i)
					var header, trailer metadata.MD
					_, err := client.UnaryCall(background(t), &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Message: want}}, grpc.Header(&header), grpc.Trailer(&trailer))
					if got := fmt.Sprint(status.Convert(err).Message(), header.Get("name"), trailer.Get("name")); !strings.Contains(got, want) {
						t.Fatalf("%s instead of %s", got, want)
					}
				}
				stop()
				allBack(t, pool, n)
				if s := pool.Stats(); (s.Freed == n) != (strings.Contains(what, "header") || what == "trailer") {
					t.Errorf("%d freed", s.Freed)
				}
			})
		}
	}
}

// TestKeep: messages stay valid after Keep, and after Free by the handler.
func TestKeep(t *testing.T) {
	for name, opts := range modes {
		t.Run(name, func(t *testing.T) {
			pool := arena.NewPool(arena.WithReuse())
			var kept []*pb.SimpleRequest
			var last context.Context
			client, stop := start(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				kept, last = append(kept, r), ctx
				if len(kept)%2 == 0 {
					arena.FromContext(ctx).Free()
				} else if !arenagrpc.Keep(ctx) {
					t.Error("Keep is false")
				}
				return &pb.SimpleResponse{Payload: r.GetPayload()}, nil
			}}, opts)
			for i := range 20 {
				if _, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: body(i)}); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			for i, r := range kept {
				if !proto.Equal(r.GetPayload(), body(i)) {
					t.Errorf("request %d has changed", i)
				}
			}
			allBack(t, pool, 20)
			if arenagrpc.Keep(last) || arenagrpc.Keep(context.Background()) || arena.FromContext(last) != nil {
				t.Error("an arena after the end")
			}
		})
	}
}

// TestWithout: methods that are excepted, services that aren't registered by Registrar, servers without the options or a pool,
// and those that trace are served from the heap.
func TestWithout(t *testing.T) {
	pool := arenatest.NewPool(t)
	unary := func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		if arena.FromContext(ctx) != nil {
			t.Error("an arena")
		}
		return echo(ctx, r)
	}
	for name, f := range map[string]func() *grpc.Server{
		"excepted": func() *grpc.Server {
			s := grpc.NewServer(arenagrpc.ServerOptions(pool, arenagrpc.Except(pb.TestService_UnaryCall_FullMethodName))...)
			pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &service{unary: unary})
			return s
		},
		"no registrar": func() *grpc.Server {
			s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
			pb.RegisterTestServiceServer(s, &service{unary: unary})
			return s
		},
		"no options": func() *grpc.Server {
			s := grpc.NewServer()
			pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &service{unary: unary})
			return s
		},
		"no pool": func() *grpc.Server {
			s := grpc.NewServer(arenagrpc.ServerOptions(nil)...)
			pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &service{unary: unary})
			return s
		},
		"tracing": func() *grpc.Server {
			grpc.EnableTracing = true
			s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
			pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &service{unary: unary})
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn, stop := dial(t, f())
			for range 2 {
				reply, err := pb.NewTestServiceClient(conn).UnaryCall(background(t), &pb.SimpleRequest{Payload: body(10)})
				if err != nil || !proto.Equal(reply.GetPayload(), body(10)) {
					t.Error(err)
				}
			}
			stop()
			grpc.EnableTracing = false
		})
	}
	allBack(t, pool, 0)
}

// payloads is a stats.Handler that looks at all messages.
type payloads struct {
	stats.Handler
	see func(in bool, m proto.Message)
}

func (p payloads) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (p payloads) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (p payloads) HandleConn(context.Context, stats.ConnStats)                       {}
func (p payloads) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s := s.(type) {
	case *stats.InPayload:
		p.see(true, s.Payload.(proto.Message))
	case *stats.OutPayload:
		p.see(false, s.Payload.(proto.Message))
	}
}

// TestStats: a stats.Handler sees requests as they are, and replies with AtEnd; without it they are
// empty, but of the right type.
func TestStats(t *testing.T) {
	for name, opts := range modes {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t)
			var in, out int
			p := payloads{see: func(isIn bool, m proto.Message) {
				if isIn {
					in = len(m.(*pb.SimpleRequest).GetPayload().GetBody())
					return
				}
				if got := m.ProtoReflect().Descriptor().Name(); got != "SimpleResponse" {
					t.Error(got)
				}
				out = proto.Size(m)
			}}
			client, stop := start(t, pool, &service{unary: echo}, opts, grpc.StatsHandler(p))
			if _, err := client.UnaryCall(background(t), &pb.SimpleRequest{Payload: body(500)}); err != nil {
				t.Fatal(err)
			}
			stop()
			if in != 500 || (out > 500) != (name == "end") || out > 0 && name != "end" {
				t.Errorf("%d in, %d out", in, out)
			}
			allBack(t, pool, 1)
		})
	}
}
