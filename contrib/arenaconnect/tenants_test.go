package arenaconnect_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/types/known/structpb"
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
	secure, plain := o.open(pool, true), o.open(pool, false)
	var left atomic.Int64
	left.Store(int64(n))
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for left.Add(-1) >= 0 {
				who := [...]string{"alice", "bob"}[r.IntN(2)]
				if r.IntN(3) == 0 {
					o.visit(r, plain, false, who)
				} else {
					o.visit(r, secure, true, who)
				}
			}
		})
	}
	clients.Wait()
	secure.Close()
	plain.Close()
	o.late.Wait()
	s := pool.Stats()
	t.Logf("%d RPCs: %d right answers, %d cut, %d connections; %v", n, o.answers.Load(), o.cut.Load(), o.dialed.Load(), s)
	if o.answers.Load() < int64(n/3) || o.cut.Load() < int64(n/100) || s.Puts < n/4 || s.Freed == 0 {
		t.Error("not enough of each kind has happened")
	}
	allBack(t, pool, -1)
}

// An office has procedures that serve tenants: one for each kind of unary RPC, and a stream.
type office struct {
	t            *testing.T
	erased       bool           // arenas that are back are erased
	late         sync.WaitGroup // what goes on after the answer
	answers, cut atomic.Int64
	dialed       atomic.Int64
}

// codes are what a kind of RPC ends with, if it isn't 0.
var codes = map[string]connect.Code{"plain": 0, "echo": 0, "slow": 0, "error": connect.CodeNotFound, "header": 0, "panic": connect.CodeInternal, "limit": connect.CodeResourceExhausted, "late": 0}

// kinds are what clients ask for, by chance.
var kinds = []string{"plain", "plain", "plain", "echo", "slow", "error", "header", "panic", "limit", "late", "stream", "messages"}

// service is what all procedures' names begin with.
const service = "/test.Office/"

// open starts a server on the loopback interface, of which connections are cut at any moment.
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
	transport.DialContext = o.dial
	return s
}

// dial returns a connection that is closed some time later.
func (o *office) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		o.dialed.Add(1)
		time.AfterFunc(time.Duration(20+rand.IntN(180))*time.Millisecond, func() { conn.Close() })
	}
	return conn, err
}

// work fills memory with the tenant's name, and looks at all of it some time later. It returns names.
func (o *office) work(a *arena.Arena, who string) *list {
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
		o.check(who, "a page", a.AllocBytesToString(n.pages[0]))
	}
	out := arena.New[list](a)
	for range 2 {
		text := arena.NewOf(a, structpb.Value_StringValue{StringValue: a.AllocBytesToString(notes.pages[0])})
		out.Values = arena.Append(a, out.Values, arena.NewOf(a, structpb.Value{Kind: text}))
	}
	return out
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
func (o *office) check(who, where, text string) {
	for i := range len(text) {
		if text[i] != who[i%len(who)] {
			o.t.Errorf("%s finds %q at %d of %d bytes in %s", who, text[max(0, i-10):min(len(text), i+20)], i, len(text), where)
			return
		}
	}
}

// checkAll looks at all texts of a message, and returns whose it is: the first is the name, once.
func (o *office) checkAll(l *list, where string) (who string) {
	for i, v := range l.GetValues() {
		if i == 0 {
			who = v.GetStringValue()
		}
		o.check(who, where, v.GetStringValue())
	}
	if who != "alice" && who != "bob" {
		o.t.Errorf("%q in %s", who, where)
	}
	return who
}

// serve serves a unary RPC.
func (o *office) serve(ctx context.Context, r *request, kind string) (*reply, error) {
	a, who := arena.FromContext(ctx), o.checkAll(r.Msg, "a request of "+kind)
	out := connect.NewResponse(o.work(a, who))
	text := who
	if o.erased {
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
	if o.erased { // what is kept is, too
		m = arenaproto.Clone(m)
	} else if arena.FromContext(ctx) != nil && !arenaconnect.Keep(ctx) {
		o.t.Error("it isn't kept")
	}
	who := strings.Clone(m.GetValues()[0].GetStringValue())
	o.late.Go(func() {
		for range 3 {
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			if got := o.checkAll(m, "what was kept"); got != who {
				o.t.Errorf("%s finds %q", who, got)
			}
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
	ctx, cancel := context.WithCancel(o.t.Context())
	defer cancel()
	if r.IntN(20) == 0 || kind == "slow" { // at any moment
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(3000))*time.Microsecond)
		defer cancel()
	}
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
	return listOf(who, string(names(nil, who, r.IntN(300))), string(names(nil, who, r.IntN(300))))
}

// unary makes a unary RPC.
func (o *office) unary(ctx context.Context, r *rand.Rand, client *connect.Client[list, list], kind, who string) {
	got, err := client.CallUnary(ctx, connect.NewRequest(message(r, who)))
	if c := codes[kind]; err != nil && c != 0 && connect.CodeOf(err) == c && kind != "panic" {
		if kind == "error" && !strings.HasSuffix(err.Error(), ": "+who) {
			o.t.Errorf("%s gets the error %q", who, err)
		}
		o.answers.Add(1)
		return
	}
	if err != nil {
		o.failed(who, kind, err)
		return
	}
	if kind == "header" && (got.Header().Get("X-Who") != who || got.Trailer().Get("X-Tail") != who) {
		o.t.Errorf("%s gets headers for %v and %v", who, got.Header(), got.Trailer())
	}
	o.answers.Add(1)
	for _, v := range got.Msg.GetValues() {
		o.check(who, "a reply of "+kind, v.GetStringValue())
	}
}

// failed counts an RPC whose client, connection or handler is gone.
func (o *office) failed(who, kind string, err error) {
	switch connect.CodeOf(err) {
	case connect.CodeCanceled, connect.CodeDeadlineExceeded, connect.CodeUnavailable, connect.CodeInternal, connect.CodeUnknown,
		connect.CodeUnimplemented: // which is 404 as well, where what says that nothing was found is cut off
		o.cut.Add(1)
	default:
		o.t.Errorf("%s gets %v of %s", who, err, kind)
	}
}

// converse sends messages, of both tenants in turns, and looks at what comes back.
func (o *office) converse(ctx context.Context, r *rand.Rand, client *connect.Client[list, list], who string) {
	s := client.CallBidiStream(ctx)
	defer s.CloseResponse()
	defer s.CloseRequest()
	for i := range 1 + r.IntN(5) {
		if i > 0 {
			who = map[string]string{"alice": "bob", "bob": "alice"}[who]
		}
		err := s.Send(message(r, who))
		for n := 0; n < 2 && (err == nil || errors.Is(err, io.EOF)); n++ { // EOF of Send: Receive says why
			var m *list
			if m, err = s.Receive(); err == nil {
				for _, v := range m.GetValues() {
					o.check(who, "a message", v.GetStringValue())
				}
			}
		}
		if err != nil && connect.CodeOf(err) != connect.CodeResourceExhausted {
			o.failed(who, "a stream", err)
			return
		}
		if err != nil {
			break
		}
	}
	o.answers.Add(1)
}
