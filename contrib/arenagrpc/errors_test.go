package arenagrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	spb "google.golang.org/genproto/googleapis/rpc/status"
)

// This file tests that a client gets the error that a handler has made from its request, of any type.

// Types of errors that make their texts when they are asked.
type (
	named  struct{ name string }
	listed []string // not comparable
	coded  struct{ text string }
	vague  struct{ name string }
	nested struct{ error }
)

func (e *named) Error() string              { return e.name }
func (e listed) Error() string              { return e[0] }
func (e coded) Error() string               { return "coded" }
func (e coded) GRPCStatus() *status.Status  { return status.New(codes.Aborted, e.text) }
func (e *vague) Error() string              { return e.name }
func (e *vague) GRPCStatus() *status.Status { return nil }
func (e nested) Unwrap() error              { return e.error }

// failures are the kinds of errors. s is a string of the request.
var failures = map[string]func(a *arena.Arena, s string) error{
	"nothing":     func(*arena.Arena, string) error { return nil }, // the reply is nil, too
	"status":      func(_ *arena.Arena, s string) error { return status.Error(codes.NotFound, s) },
	"own type":    func(_ *arena.Arena, s string) error { return &named{s} },
	"list":        func(_ *arena.Arena, s string) error { return listed{s} },
	"code":        func(_ *arena.Arena, s string) error { return coded{s} },
	"no status":   func(_ *arena.Arena, s string) error { return &vague{s} },
	"nested":      func(_ *arena.Arena, s string) error { return nested{nested{coded{s}}} },
	"open":        func(_ *arena.Arena, s string) error { _, err := os.Open("/none/" + s); return err },
	"path":        func(_ *arena.Arena, s string) error { return &os.PathError{Op: s, Path: s, Err: os.ErrNotExist} },
	"join":        func(_ *arena.Arena, s string) error { return errors.Join(&named{s}, coded{s}) },
	"wrap":        func(_ *arena.Arena, s string) error { return fmt.Errorf("wrapped: %w", &named{s}) },
	"wrap status": func(_ *arena.Arena, s string) error { return nested{status.Error(codes.NotFound, s)} },
	"deadline":    func(_ *arena.Arena, s string) error { return errors.Join(&named{s}, context.DeadlineExceeded) },
	"canceled":    func(*arena.Arena, string) error { return context.Canceled },
	"child":       func(a *arena.Arena, s string) error { return &named{a.Child().AllocString(s)} },
	"status of a child": func(a *arena.Arena, s string) error {
		return status.Error(codes.NotFound, a.Child().AllocString(s))
	},
	"in the arena": func(a *arena.Arena, s string) error {
		e := arena.New[named](a)
		e.name = s
		return e
	},
	"details": func(a *arena.Arena, s string) error {
		detail := &anypb.Any{TypeUrl: a.AllocString("type.googleapis.com/" + s), Value: a.AllocBytes(100)}
		copy(detail.Value, s)
		return status.FromProto(&spb.Status{Code: int32(codes.DataLoss), Message: "details", Details: []*anypb.Any{detail}}).Err()
	},
}

// A usurper uses the memory that RPCs have put back before gRPC looks at their results: it is around the handlers, and
// the last stats.Handler.
type usurper struct {
	payloads
	below grpc.ServiceRegistrar
	pool  *arena.Pool
}

func (u usurper) RegisterService(desc *grpc.ServiceDesc, impl any) {
	for i := range desc.Methods {
		h := desc.Methods[i].Handler
		desc.Methods[i].Handler = func(srv any, ctx context.Context, dec func(any) error, i grpc.UnaryServerInterceptor) (any, error) {
			defer u.use()
			return h(srv, ctx, dec, i)
		}
	}
	for i := range desc.Streams {
		h := desc.Streams[i].Handler
		desc.Streams[i].Handler = func(srv any, s grpc.ServerStream) error {
			defer u.use()
			return h(srv, s)
		}
	}
	u.below.RegisterService(desc, impl)
}

func (u usurper) HandleRPC(_ context.Context, s stats.RPCStats) {
	if _, ok := s.(*stats.End); ok {
		u.use()
	}
}

// use fills the memory of the pool's arenas.
func (u usurper) use() {
	if u.pool == nil {
		return
	}
	for _, key := range []string{pb.TestService_UnaryCall_FullMethodName, pb.TestService_FullDuplexCall_FullMethodName} {
		a := u.pool.GetKeyed(key)
		for range 20 {
			copy(a.AllocBytesUninit(200), bytes.Repeat([]byte{'#'}, 200))
			arena.NewOf(a, named{"another's"})
		}
		u.pool.Put(a)
	}
}

// TestErrorsOfTheRequest compares a client's errors with the errors of a server without arenas.
func TestErrorsOfTheRequest(t *testing.T) {
	failing := &service{
		unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
			kind, s, _ := strings.Cut(r.GetResponseStatus().GetMessage(), ":")
			return nil, failures[kind](arena.FromContext(ctx), s)
		},
		duplex: func(s pb.TestService_FullDuplexCallServer) error {
			m, err := s.Recv()
			if err != nil {
				return err
			}
			kind, text, _ := strings.Cut(m.GetResponseStatus().GetMessage(), ":")
			return failures[kind](arena.FromContext(s.Context()), text)
		},
	}
	dialed := func(pool *arena.Pool, opts ...arenagrpc.Option) pb.TestServiceClient {
		u := usurper{pool: pool}
		s := grpc.NewServer(append(arenagrpc.ServerOptions(pool, opts...), grpc.StatsHandler(u))...)
		u.below = s
		pb.RegisterTestServiceServer(arenagrpc.Registrar(u), failing)
		conn, _ := dial(t, s)
		return pb.NewTestServiceClient(conn)
	}
	type way func(c pb.TestServiceClient, text string) error
	unary := func(c pb.TestServiceClient, text string) error {
		_, err := c.UnaryCall(background(t), &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Message: text}})
		return err
	}
	duplex := func(c pb.TestServiceClient, text string) error {
		s, err := c.FullDuplexCall(background(t))
		if err == nil {
			err = s.Send(&pb.StreamingOutputCallRequest{ResponseStatus: &pb.EchoStatus{Message: text}})
		}
		if err == nil {
			_, err = s.Recv()
		}
		return err
	}
	plain := dialed(nil)
	for mode, opts := range modes {
		for name, call := range map[string]way{"unary": unary, "stream": duplex} {
			for _, scrub := range []bool{false, true} {
				pool := arena.NewPool(arena.WithReuse())
				if scrub {
					pool = arena.NewPool(arena.WithReuse(), arena.WithScrub())
				}
				c := dialed(pool, opts...)
				for kind := range failures {
					for i := range 4 {
						text := fmt.Sprint(kind, ":the name of client ", i)
						got, want := call(c, text), call(plain, text)
						if !proto.Equal(status.Convert(got).Proto(), status.Convert(want).Proto()) {
							t.Errorf("%s, %s, scrub %t, %s: %q; without arenas %q", mode, name, scrub, kind, got, want)
						}
					}
				}
				if name == "unary" || !scrub { // otherwise they are left to the GC
					allBack(t, pool, -1)
				}
			}
		}
	}
}
