package arenagrpc_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// TestTwoTenants: no RPC sees the memory of another, whatever ends it.
func TestTwoTenants(t *testing.T) {
	tenants.Test(t, func(o *tenants.Office, pool *arena.Pool) {
		office := &office{Office: o, replies: arena.NewPool(arena.WithReuse(), arena.WithName("replies"))}
		if o.Erased {
			office.replies = arena.NewPool(arena.WithReuse(), arena.WithName("replies"), arena.WithScrub())
		}
		conns, stop := office.open(pool, false)
		more, stopMore := office.open(pool, true, arenagrpc.AtEnd(), arenagrpc.PerMessage())
		conns = append(conns, more...)
		o.Open(func(r *rand.Rand, who string) { office.visit(r, conns[r.IntN(len(conns))], who) })
		stop()
		stopMore()
		o.Close()
		allBack(t, pool, -1)
		allBack(t, office.replies, -1)
	})
}

// An office is a service for tenants. The request's status code selects the action, and its message is
// the tenant.
type office struct {
	pb.UnimplementedTestServiceServer
	*tenants.Office
	replies *arena.Pool // of clients
}

// A desk is an office's server.
type desk struct {
	*office
	perMessage bool
}

// kinds are the kinds of RPCs, by code.
var kinds = []string{"plain", "plain", "plain", "echo", "slow", "error", "header", "panic", "limit", "late"}

// open starts a server on the loopback interface, and returns connections to it that are cut at any moment.
func (o *office) open(pool *arena.Pool, perMessage bool, opts ...arenagrpc.Option) (conns []*grpc.ClientConn, stop func()) {
	s := grpc.NewServer(append(arenagrpc.ServerOptions(pool, opts...), grpc.WaitForHandlers(true), grpc.ChainUnaryInterceptor(o.impatient, recoverUnary), grpc.StreamInterceptor(recoverStream))...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &desk{o, perMessage})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	tcp := func(ctx context.Context, address string) (net.Conn, error) { return tenants.Dial(ctx, "tcp", address) }
	for range 2 {
		conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(tcp))
		if err != nil {
			o.Fatal(err)
		}
		conns = append(conns, conn)
	}
	return conns, func() {
		for _, c := range conns {
			c.Close()
		}
		s.Stop()
		if err := <-done; err != nil {
			o.Error(err)
		}
	}
}

// impatient answers some time before the handler does, now and then.
func (o *office) impatient(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (reply any, err error) {
	if rand.IntN(20) > 0 {
		return h(ctx, r)
	}
	o.Late.Go(func() {
		defer func() { _ = recover() }() // a LimitError, which nobody else would
		time.Sleep(time.Duration(rand.IntN(2)) * time.Millisecond)
		h(ctx, r)
	})
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	return nil, status.Error(codes.Unavailable, "impatient")
}

func recoverUnary(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (_ any, err error) {
	defer oops(&err)
	return h(ctx, r)
}

func recoverStream(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) (err error) {
	defer oops(&err)
	return h(srv, s)
}

// oops makes an error of the panic of that kind. It is called by defer.
func oops(err *error) {
	switch v := recover(); v {
	case nil:
	case "oops":
		*err = status.Error(codes.Internal, "oops")
	default:
		panic(v)
	}
}

// text is a string of the arena that may be sent as an error or a header.
func (o *office) text(a *arena.Arena, who string) string {
	if o.Erased {
		return strings.Clone(who) // what the transport reads late isn't erased then
	}
	return a.AllocString(who)
}

// UnaryCall acts by the request's code.
func (d *desk) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	a, who := arena.FromContext(ctx), r.GetResponseStatus().GetMessage()
	d.Check(who, "the request", r.GetPayload().GetBody())
	reply := arena.New[pb.SimpleResponse](a)
	reply.Username = a.AllocString(who)
	reply.Payload = arena.New[pb.Payload](a)
	reply.Payload.Body = d.Work(a, who)
	switch kinds[r.GetResponseStatus().GetCode()] {
	case "echo":
		reply.Payload = r.GetPayload()
	case "slow":
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		d.Work(a, who)
	case "error":
		return nil, status.Error(codes.NotFound, d.text(a, who))
	case "header":
		grpc.SetHeader(ctx, metadata.Pairs("who", d.text(a, who)))
		grpc.SetTrailer(ctx, metadata.Pairs("who", d.text(a, who)))
	case "panic":
		panic("oops")
	case "limit":
		a.AllocBytes(1 << 20)
	case "late":
		d.goOn(ctx, who, r.GetPayload(), reply.GetPayload())
	}
	d.Check(who, "the request at the end", r.GetPayload().GetBody())
	return reply, nil
}

// goOn looks at messages after the reply.
func (d *desk) goOn(ctx context.Context, who string, all ...*pb.Payload) {
	if d.Erased { // kept values are erased too
		for i, p := range all {
			all[i] = proto.Clone(p).(*pb.Payload)
		}
	} else if arena.FromContext(ctx) != nil && !arenagrpc.Keep(ctx) { // nil: called too late
		d.Error("it isn't kept")
	}
	who = strings.Clone(who)
	d.Later(func() {
		for _, p := range all {
			d.Check(who, "what was kept", p.GetBody())
		}
	})
}

// FullDuplexCall answers each message with its own bytes, and more, and looks at all of them in the end.
func (d *desk) FullDuplexCall(stream pb.TestService_FullDuplexCallServer) error {
	var seen []*pb.StreamingOutputCallRequest
	for {
		if d.perMessage {
			seen = nil
		}
		m, err := stream.Recv()
		if err != nil {
			break // the end, or the client's
		}
		a := arena.FromContext(stream.Context()) // which is another one after Keep
		seen = append(seen, m)
		who := m.GetResponseStatus().GetMessage()
		d.Check(who, "a message", m.GetPayload().GetBody())
		for _, b := range [][]byte{m.GetPayload().GetBody(), d.Work(a, who)} {
			out := arena.New[pb.StreamingOutputCallResponse](a)
			out.Payload = arena.NewOf(a, pb.Payload{Body: b})
			if stream.Send(out) != nil {
				return nil
			}
		}
		switch kinds[m.GetResponseStatus().GetCode()] {
		case "panic":
			panic("oops")
		case "limit":
			a.AllocBytes(1 << 20)
		case "late":
			d.goOn(stream.Context(), who, m.GetPayload())
		}
	}
	for _, m := range seen {
		d.Check(m.GetResponseStatus().GetMessage(), "a message of before", m.GetPayload().GetBody())
	}
	return nil
}

// visit makes an RPC, of any kind, and perhaps gives up.
func (o *office) visit(r *rand.Rand, conn *grpc.ClientConn, who string) {
	kind := r.IntN(len(kinds))
	ctx, cancel := o.Impatient(r, kinds[kind] == "slow", 3*time.Millisecond)
	defer cancel()
	var opts []grpc.CallOption
	if r.IntN(20) == 0 {
		opts = append(opts, grpc.UseCompressor(gzip.Name))
	}
	whose := &pb.EchoStatus{Code: int32(kind), Message: who}
	if r.IntN(8) == 0 {
		o.stream(ctx, r, conn, opts, whose)
		return
	}
	o.unary(ctx, conn, opts, &pb.SimpleRequest{ResponseStatus: whose, Payload: &pb.Payload{Body: tenants.Names(nil, who, r.IntN(1000))}})
}

// unary makes a unary RPC, whose reply is in an arena.
func (o *office) unary(ctx context.Context, conn *grpc.ClientConn, opts []grpc.CallOption, req *pb.SimpleRequest) {
	a := o.replies.Get()
	defer o.replies.Put(a)
	who, kind := req.GetResponseStatus().GetMessage(), kinds[req.GetResponseStatus().GetCode()]
	var header, trailer metadata.MD
	reply, err := arenagrpc.Invoke[pb.SimpleResponse](ctx, conn, pb.TestService_UnaryCall_FullMethodName, req, a, append(opts, grpc.Header(&header), grpc.Trailer(&trailer))...)
	if want := map[string]codes.Code{"error": codes.NotFound, "panic": codes.Internal, "limit": codes.ResourceExhausted}[kind]; err != nil && !o.failed(who, kind, want, err) {
		return
	}
	if kind == "header" && err == nil && (!slices.Equal(header.Get("who"), []string{who}) || !slices.Equal(trailer.Get("who"), []string{who})) {
		o.Errorf("%s gets headers for %q and %q", who, header.Get("who"), trailer.Get("who"))
	}
	if err == nil && reply.GetUsername() != who {
		o.Errorf("%s gets a reply for %q", who, reply.GetUsername())
	}
	o.Answers.Add(1)
	o.Check(who, "a reply of "+kind, reply.GetPayload().GetBody())
}

// failed reports whether an error is the right one for the kind of RPC, and not due to a lost client or connection.
func (o *office) failed(who, kind string, want codes.Code, err error) bool {
	switch c := status.Code(err); {
	case want != codes.OK && c == want:
		if text := status.Convert(err).Message(); kind == "error" && text != who || kind == "panic" && text != "oops" {
			o.Errorf("%s gets the error %q", who, text)
		}
		return true
	case c == codes.Canceled || c == codes.DeadlineExceeded || c == codes.Unavailable:
		o.Cut.Add(1)
	default:
		o.Errorf("%s gets %v of %s", who, err, kind)
	}
	return false
}

// stream sends messages, of both tenants in turns, and checks the answers.
func (o *office) stream(ctx context.Context, r *rand.Rand, conn *grpc.ClientConn, opts []grpc.CallOption, whose *pb.EchoStatus) {
	who, kind := whose.GetMessage(), kinds[whose.GetCode()]
	stream, err := pb.NewTestServiceClient(conn).FullDuplexCall(ctx, opts...)
	if err == nil {
		who, err = tenants.Converse(r, who, func(who string) error {
			whose := &pb.EchoStatus{Code: whose.GetCode(), Message: who}
			return stream.Send(&pb.StreamingOutputCallRequest{ResponseStatus: whose, Payload: &pb.Payload{Body: tenants.Names(nil, who, r.IntN(1000))}})
		}, func(who string) error {
			m, err := stream.Recv()
			if err == nil {
				o.Check(who, "a message of "+kind, m.GetPayload().GetBody())
			}
			return err
		})
	}
	if err == nil {
		stream.CloseSend()
		if _, err = stream.Recv(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if want := map[string]codes.Code{"panic": codes.Internal, "limit": codes.ResourceExhausted}[kind]; err == nil || o.failed(who, kind, want, err) {
		o.Answers.Add(1)
	}
}
