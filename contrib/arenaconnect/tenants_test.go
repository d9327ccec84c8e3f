package arenaconnect_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/contrib/arenaproto"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
	"google.golang.org/protobuf/types/known/structpb"
)

// TestTwoTenants: no RPC sees the memory of another, whatever ends it.
func TestTwoTenants(t *testing.T) {
	tenants.Test(t, func(o *tenants.Office, pool *arena.Pool) {
		office := &office{o}
		secure, plain := office.open(pool, true), office.open(pool, false)
		o.Open(func(r *rand.Rand, who string) {
			if r.IntN(3) == 0 {
				office.visit(r, plain, false, who)
			} else {
				office.visit(r, secure, true, who)
			}
		})
		secure.Close()
		plain.Close()
		o.Close()
		allBack(t, pool, -1)
	})
}

// An office has procedures that serve tenants: one for each kind of unary RPC, and a stream.
type office struct{ *tenants.Office }

// codes are the codes with which a kind of RPC ends, except 0.
var codes = map[string]connect.Code{"plain": 0, "echo": 0, "slow": 0, "error": connect.CodeNotFound, "header": 0, "panic": connect.CodeInternal, "limit": connect.CodeResourceExhausted, "late": 0}

// kinds are the kinds of RPCs that clients choose at random.
var kinds = []string{"plain", "plain", "plain", "echo", "slow", "error", "header", "panic", "limit", "late", "stream", "messages"}

// service is the prefix of all procedures' names.
const service = "/test.Office/"

// open starts a server on the loopback interface. Its connections are cut at random moments.
func (o *office) open(pool *arena.Pool, secure bool) *httptest.Server {
	mux := http.NewServeMux()
	opts := arenaconnect.HandlerOptions(pool, arenaconnect.PerMessage(service+"messages"))
	for kind := range codes {
		mux.Handle(service+kind, connect.NewUnaryHandler(service+kind, func(ctx context.Context, r *request) (*reply, error) { return o.serve(ctx, r, kind) }, opts))
	}
	for _, kind := range []string{"stream", "messages"} {
		mux.Handle(service+kind, connect.NewBidiStreamHandler(service+kind, o.stream, opts))
	}
	s := httptest.NewUnstartedServer(arenaconnect.Middleware(mux))
	s.Config.ErrorLog = quiet
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	transport := s.Client().Transport.(*http.Transport)
	transport.MaxIdleConnsPerHost = 8
	transport.DialContext = tenants.Dial
	return s
}

// work works for a tenant, and returns names.
func (o *office) work(a *arena.Arena, who string) *list {
	page := o.Work(a, who)
	out := arena.New[list](a)
	for range 2 {
		text := arena.NewOf(a, structpb.Value_StringValue{StringValue: a.AllocBytesToString(page)})
		out.Values = arena.Append(a, out.Values, arena.NewOf(a, structpb.Value{Kind: text}))
	}
	return out
}

// check looks whether a text is the tenant's.
func (o *office) check(who, where, text string) { o.Check(who, where, []byte(text)) }

// checkAll checks all texts of a message, and returns its tenant: the first text is the name, once.
func (o *office) checkAll(l *list, where string) (who string) {
	for i, v := range l.GetValues() {
		if i == 0 {
			who = v.GetStringValue()
		}
		o.check(who, where, v.GetStringValue())
	}
	if who != "alice" && who != "bob" {
		o.Errorf("%q in %s", who, where)
	}
	return who
}

// serve serves a unary RPC.
func (o *office) serve(ctx context.Context, r *request, kind string) (*reply, error) {
	a, who := arena.FromContext(ctx), o.checkAll(r.Msg, "a request of "+kind)
	out := connect.NewResponse(o.work(a, who))
	text := who
	if o.Erased {
		text = strings.Clone(who) // since what net/http reads late would be erased
	}
	switch kind {
	case "echo":
		out.Msg = r.Msg
	case "slow":
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		o.work(a, who)
	case "error":
		return nil, connect.NewError(connect.CodeNotFound, errors.New(text))
	case "header":
		out.Header().Set("X-Who", text)
		out.Trailer().Set("X-Tail", text)
	case "panic":
		panic(http.ErrAbortHandler)
	case "limit":
		a.AllocBytes(1 << 20)
	case "late":
		o.goOn(ctx, r.Msg)
	}
	o.checkAll(r.Msg, "the request of "+kind+" at the end")
	return out, nil
}

// goOn looks at a message after the answer.
func (o *office) goOn(ctx context.Context, m *list) {
	if o.Erased { // kept values are erased too
		m = arenaproto.Clone(m)
	} else if arena.FromContext(ctx) != nil && !arenaconnect.Keep(ctx) {
		o.Error("it isn't kept")
	}
	who := strings.Clone(m.GetValues()[0].GetStringValue())
	o.Later(func() {
		if got := o.checkAll(m, "what was kept"); got != who {
			o.Errorf("%s finds %q", who, got)
		}
	})
}

// stream answers each message with its own texts, and more.
func (o *office) stream(ctx context.Context, s *connect.BidiStream[list, list]) error {
	for {
		m, err := s.Receive()
		if err != nil {
			return nil // the end, or the client's
		}
		a := arena.FromContext(ctx) // which is another one after Keep
		who := o.checkAll(m, "a message")
		if s.Send(m) != nil || s.Send(o.work(a, who)) != nil {
			return nil
		}
		switch rand.IntN(20) {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			a.AllocBytes(1 << 20)
		case 2, 3, 4, 5:
			o.goOn(ctx, m)
		}
	}
}

// visit makes an RPC, of any kind, and perhaps gives up.
func (o *office) visit(r *rand.Rand, s *httptest.Server, streams bool, who string) {
	kind := kinds[r.IntN(len(kinds))]
	ctx, cancel := o.Impatient(r, kind == "slow", 3*time.Millisecond)
	defer cancel()
	var opts []connect.ClientOption
	if streams && r.IntN(2) == 0 {
		opts = append(opts, connect.WithGRPC()) // which needs HTTP/2, as streams do
	}
	if r.IntN(20) == 0 {
		opts = append(opts, connect.WithSendGzip())
	}
	if kind != "stream" && kind != "messages" {
		o.unary(ctx, r, connect.NewClient[list, list](s.Client(), s.URL+service+kind, opts...), kind, who)
	} else if streams {
		o.converse(ctx, r, connect.NewClient[list, list](s.Client(), s.URL+service+kind, opts...), who)
	}
}

// message is one of a tenant.
func message(r *rand.Rand, who string) *list {
	return listOf(who, string(tenants.Names(nil, who, r.IntN(300))), string(tenants.Names(nil, who, r.IntN(300))))
}

// unary makes a unary RPC.
func (o *office) unary(ctx context.Context, r *rand.Rand, client *connect.Client[list, list], kind, who string) {
	got, err := client.CallUnary(ctx, connect.NewRequest(message(r, who)))
	if c := codes[kind]; err != nil && c != 0 && connect.CodeOf(err) == c && kind != "panic" {
		if kind == "error" && !strings.HasSuffix(err.Error(), ": "+who) {
			o.Errorf("%s gets the error %q", who, err)
		}
		o.Answers.Add(1)
		return
	}
	if err != nil {
		o.failed(who, kind, err)
		return
	}
	if kind == "header" && (got.Header().Get("X-Who") != who || got.Trailer().Get("X-Tail") != who) {
		o.Errorf("%s gets headers for %v and %v", who, got.Header(), got.Trailer())
	}
	o.Answers.Add(1)
	for _, v := range got.Msg.GetValues() {
		o.check(who, "a reply of "+kind, v.GetStringValue())
	}
}

// failed counts an RPC whose client, connection or handler is gone.
func (o *office) failed(who, kind string, err error) {
	switch connect.CodeOf(err) {
	case connect.CodeCanceled, connect.CodeDeadlineExceeded, connect.CodeUnavailable, connect.CodeInternal, connect.CodeUnknown,
		connect.CodeUnimplemented: // which is 404 as well, where what says that nothing was found is cut off
		o.Cut.Add(1)
	default:
		o.Errorf("%s gets %v of %s", who, err, kind)
	}
}

// converse sends messages, of both tenants in turns, and checks the answers.
func (o *office) converse(ctx context.Context, r *rand.Rand, client *connect.Client[list, list], who string) {
	s := client.CallBidiStream(ctx)
	defer s.CloseResponse()
	defer s.CloseRequest()
	who, err := tenants.Converse(r, who, func(who string) error { return s.Send(message(r, who)) }, func(who string) error {
		m, err := s.Receive()
		for _, v := range m.GetValues() {
			o.check(who, "a message", v.GetStringValue())
		}
		return err
	})
	if err != nil && connect.CodeOf(err) != connect.CodeResourceExhausted {
		o.failed(who, "a stream", err)
		return
	}
	o.Answers.Add(1)
}
