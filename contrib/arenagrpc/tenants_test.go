package arenagrpc_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// TestTwoTenants: two tenants fill their memory with their names, look whether it still says so, and get
// answers with nobody else's name in them, whatever ends their RPCs: an error, a panic, a limit, a deadline, a client or
// a connection that is gone at any moment; or goroutines that go on. HARENA_TENANTS says how many RPCs there are: 1000000 take some
// minutes. Half of them have arenas that are erased as soon as they are back, which shows who still reads there. With the race
// detector no two of them may touch the same memory.
func TestTwoTenants(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 1000
	}
	if s := os.Getenv("HARENA_TENANTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("Kept", func(t *testing.T) { twoTenants(t, n/2, &office{t: t}) })
	t.Run("Erased", func(t *testing.T) { twoTenants(t, n/2, &office{t: t, erased: true}, arena.WithScrub()) })
}

func twoTenants(t *testing.T, n int, o *office, opts ...arena.PoolOption) {
	pool := arena.NewPool(append(opts, arena.WithName("tenants"), arena.WithLimit(256<<10), arena.WithChunkSize(1024))...)
	o.replies = arena.NewPool(append(opts, arena.WithName("replies"))...)
	var conns []*grpc.ClientConn
	var stops []func()
	for i, opts := range [][]arenagrpc.Option{nil, {arenagrpc.AtEnd(), arenagrpc.PerMessage()}} {
		c, stop := o.open(pool, i == 1, opts)
		conns, stops = append(conns, c...), append(stops, stop)
	}
	var left atomic.Int64
	left.Store(int64(n))
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for left.Add(-1) >= 0 {
				o.visit(r, conns[r.IntN(len(conns))], [...]string{"alice", "bob"}[r.IntN(2)])
			}
		})
	}
	clients.Wait()
	for _, stop := range stops {
		stop()
	}
	o.late.Wait()
	s := pool.Stats()
	t.Logf("%d RPCs: %d right answers, %d cut, %d connections; %v", n, o.answers.Load(), o.cut.Load(), o.dialed.Load(), s)
	if o.answers.Load() < int64(n/3) || o.cut.Load() < int64(n/100) || s.Puts < n/4 || s.Freed == 0 {
		t.Error("not enough of each kind has happened")
	}
	allBack(t, pool, -1)
	allBack(t, o.replies, -1)
}

// An office is a service that serves tenants. What is to be done is the request's status code, and who asks its message.
type office struct {
	pb.UnimplementedTestServiceServer
	t            *testing.T
	erased       bool           // arenas that are back are erased
	replies      *arena.Pool    // of clients
	late         sync.WaitGroup // what goes on after the reply
	answers, cut atomic.Int64
	dialed       atomic.Int64
}

// A desk is an office's server.
type desk struct {
	*office
	perMessage bool
}

// kinds are what may be done, by code.
var kinds = []string{"plain", "plain", "plain", "echo", "slow", "error", "header", "panic", "limit", "late"}

// open starts a server on the loopback interface, and returns connections to it that are cut at any moment.
func (o *office) open(pool *arena.Pool, perMessage bool, opts []arenagrpc.Option) (conns []*grpc.ClientConn, stop func()) {
	s := grpc.NewServer(append(arenagrpc.ServerOptions(pool, opts...), grpc.WaitForHandlers(true), grpc.UnaryInterceptor(recoverUnary), grpc.StreamInterceptor(recoverStream))...)
	pb.RegisterTestServiceServer(arenagrpc.Registrar(s), &desk{o, perMessage})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	for range 2 {
		conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(o.dial))
		if err != nil {
			o.t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	return conns, func() {
		for _, c := range conns {
			c.Close()
		}
		s.Stop()
		if err := <-done; err != nil {
			o.t.Error(err)
		}
	}
}

// dial returns a connection that is closed some time later.
func (o *office) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err == nil {
		o.dialed.Add(1)
		time.AfterFunc(time.Duration(20+rand.IntN(180))*time.Millisecond, func() { conn.Close() })
	}
	return conn, err
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

// work fills memory with the tenant's name, and looks at all of it some time later. It returns whole names.
func (o *office) work(a *arena.Arena, who string) []byte {
	type note struct {
		name  string
		pages [][]byte
		next  *note
	}
	var notes *note
	for i := range 4 {
		n := arena.NewOf(a, note{name: a.AllocString(who), next: notes})
		n.pages = arena.Append(a, n.pages, names(a, who, 100*(i+1)))
		notes = n
		if i == 1 {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		}
	}
	for n := notes; n != nil; n = n.next {
		if n.name != who {
			o.t.Errorf("%s finds %q", who, n.name)
		}
		o.check(who, "a page", n.pages[0])
	}
	return notes.pages[0]
}

// names are n times a name, in an arena.
func names(a *arena.Arena, who string, n int) []byte {
	b := a.AllocBytesUninit(n * len(who))
	for i := range b {
		b[i] = who[i%len(who)]
	}
	return b
}

// check looks whether a text consists of a name, over and over.
func (o *office) check(who, where string, text []byte) {
	for i := range text {
		if text[i] != who[i%len(who)] {
			o.t.Errorf("%s finds %q at %d of %d bytes in %s", who, text[max(0, i-10):min(len(text), i+20)], i, len(text), where)
			return
		}
	}
}

// text is a string of the arena that may be sent as an error or a header.
func (o *office) text(a *arena.Arena, who string) string {
	if o.erased {
		return strings.Clone(who) // what the transport reads late isn't erased then
	}
	return a.AllocString(who)
}

// UnaryCall does what the request's code says.
func (d *desk) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	a, who := arena.FromContext(ctx), r.GetResponseStatus().GetMessage()
	d.check(who, "the request", r.GetPayload().GetBody())
	reply := arena.New[pb.SimpleResponse](a)
	reply.Username = a.AllocString(who)
	reply.Payload = arena.New[pb.Payload](a)
	reply.Payload.Body = d.work(a, who)
	switch kinds[r.GetResponseStatus().GetCode()] {
	case "echo":
		reply.Payload = r.GetPayload()
	case "slow":
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		d.work(a, who)
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
	d.check(who, "the request at the end", r.GetPayload().GetBody())
	return reply, nil
}

// goOn looks at messages after the reply.
func (d *desk) goOn(ctx context.Context, who string, all ...*pb.Payload) {
	if d.erased { // what is kept is, too
		for i, p := range all {
			all[i] = proto.Clone(p).(*pb.Payload)
		}
	} else if !arenagrpc.Keep(ctx) {
		d.t.Error("it isn't kept")
	}
	who = strings.Clone(who)
	d.late.Go(func() {
		for range 3 {
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			for _, p := range all {
				d.check(who, "what was kept", p.GetBody())
			}
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
		d.check(who, "a message", m.GetPayload().GetBody())
		for _, b := range [][]byte{m.GetPayload().GetBody(), d.work(a, who)} {
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
		d.check(m.GetResponseStatus().GetMessage(), "a message of before", m.GetPayload().GetBody())
	}
	return nil
}

// visit makes an RPC, of any kind, and perhaps gives up.
func (o *office) visit(r *rand.Rand, conn *grpc.ClientConn, who string) {
	kind := r.IntN(len(kinds))
	ctx, cancel := context.WithCancel(o.t.Context())
	defer cancel()
	if r.IntN(20) == 0 || kinds[kind] == "slow" { // at any moment
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(3000))*time.Microsecond)
		defer cancel()
	}
	var opts []grpc.CallOption
	if r.IntN(20) == 0 {
		opts = append(opts, grpc.UseCompressor(gzip.Name))
	}
	whose := &pb.EchoStatus{Code: int32(kind), Message: who}
	if r.IntN(8) == 0 {
		o.stream(ctx, r, conn, opts, whose)
		return
	}
	o.unary(ctx, conn, opts, &pb.SimpleRequest{ResponseStatus: whose, Payload: &pb.Payload{Body: names(nil, who, r.IntN(1000))}})
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
		o.t.Errorf("%s gets headers for %q and %q", who, header.Get("who"), trailer.Get("who"))
	}
	if err == nil && reply.GetUsername() != who {
		o.t.Errorf("%s gets a reply for %q", who, reply.GetUsername())
	}
	o.answers.Add(1)
	o.check(who, "a reply of "+kind, reply.GetPayload().GetBody())
}

// failed says whether an error is what the kind of RPC has to end with, and not that of a client or a connection that is gone.
func (o *office) failed(who, kind string, want codes.Code, err error) bool {
	switch c := status.Code(err); {
	case want != codes.OK && c == want:
		if text := status.Convert(err).Message(); kind == "error" && text != who || kind == "panic" && text != "oops" {
			o.t.Errorf("%s gets the error %q", who, text)
		}
		return true
	case c == codes.Canceled || c == codes.DeadlineExceeded || c == codes.Unavailable:
		o.cut.Add(1)
	default:
		o.t.Errorf("%s gets %v of %s", who, err, kind)
	}
	return false
}

// stream sends messages, of both tenants in turns, and looks at what comes back.
func (o *office) stream(ctx context.Context, r *rand.Rand, conn *grpc.ClientConn, opts []grpc.CallOption, whose *pb.EchoStatus) {
	who, kind := whose.GetMessage(), kinds[whose.GetCode()]
	stream, err := pb.NewTestServiceClient(conn).FullDuplexCall(ctx, opts...)
	for i := 0; i < 1+r.IntN(5) && err == nil; i++ {
		if i > 0 {
			who = map[string]string{"alice": "bob", "bob": "alice"}[who]
			whose = &pb.EchoStatus{Code: whose.GetCode(), Message: who}
		}
		err = stream.Send(&pb.StreamingOutputCallRequest{ResponseStatus: whose, Payload: &pb.Payload{Body: names(nil, who, r.IntN(1000))}})
		for n := 0; n < 2 && (err == nil || errors.Is(err, io.EOF)); n++ { // EOF of Send: Recv says why
			var m *pb.StreamingOutputCallResponse
			if m, err = stream.Recv(); err == nil {
				o.check(who, "a message of "+kind, m.GetPayload().GetBody())
			}
		}
	}
	if err == nil {
		stream.CloseSend()
		if _, err = stream.Recv(); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if want := map[string]codes.Code{"panic": codes.Internal, "limit": codes.ResourceExhausted}[kind]; err == nil || o.failed(who, kind, want, err) {
		o.answers.Add(1)
	}
}
