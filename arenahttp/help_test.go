package arenahttp_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// newPool returns a pool that erases its arenas when they are put back: kept values become zeros.
func newPool(opts ...arena.PoolOption) *arena.Pool {
	return arena.NewPool(append(opts, arena.WithReuse(), arena.WithName("test"), arena.WithScrub())...)
}

// A logBuffer holds what net/http logs.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// listen serves h on the loopback interface, by HTTP/1 or HTTP/2.
func listen(t testing.TB, h http.Handler, http2 bool) (*httptest.Server, *logBuffer) {
	logged := &logBuffer{}
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(logged, "", 0)
	if testkit.InBubble() {
		s.Listener.Close()
		s.Listener = &pipes{addr: s.Listener.Addr(), conns: make(chan net.Conn), closed: make(chan bool)}
	}
	connect := dialer(s.Listener)
	if http2 {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	s.Client().Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) { return connect() }
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s, logged
}

// dialer returns what connects to a listener.
func dialer(l net.Listener) func() (net.Conn, error) {
	if p, ok := l.(*pipes); ok {
		return p.dial
	}
	return func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }
}

// A pipes is a listener within the process: in a synctest bubble time stands still while somebody
// waits for the network.
type pipes struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan bool
	once   sync.Once
}

func (p *pipes) dial() (net.Conn, error) {
	mine, others := net.Pipe()
	select {
	case p.conns <- others:
		return mine, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Addr() net.Addr { return p.addr }

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// protocols runs a test with both protocols.
func protocols(t *testing.T, f func(t *testing.T, http2 bool)) {
	testkit.Run(t, "HTTP1", func(t *testing.T) { f(t, false) })
	testkit.Run(t, "HTTP2", func(t *testing.T) { f(t, true) })
}

// get sends a request and returns the answer, with its body read.
func get(t testing.TB, s *httptest.Server, path, body string) (*http.Response, string) {
	t.Helper()
	resp, text, err := ask(s, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

func ask(s *httptest.Server, path, body string) (*http.Response, string, error) {
	resp, err := s.Client().Post(s.URL+path, "", strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// wantEnds waits until no request has an arena, and checks how the arenas ended.
func wantEnds(t testing.TB, pool *arena.Pool, put, freed, live int) {
	t.Helper()
	waitFor(t, "the end of the requests", func() bool { s := pool.Stats(); return s.Puts+s.Freed+s.Live+s.Lost == s.Gets && s.Live <= live })
	if s := pool.Stats(); s.Puts != put || s.Freed != freed || s.Live+s.Lost != live {
		t.Errorf("%d put back, %d freed, %d left to the GC; want %d, %d, %d", s.Puts, s.Freed, s.Live+s.Lost, put, freed, live)
	}
}

// handle returns a handler with an arena.
func handle(pool *arena.Pool, f func(w http.ResponseWriter, r *http.Request, a *arena.Arena)) http.Handler {
	return arenahttp.Handler(pool, plain(f))
}

func plain(f func(w http.ResponseWriter, r *http.Request, a *arena.Arena)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(w, r, arena.FromContext(r.Context())) })
}

func TestMain(m *testing.M) {
	testkit.InBubbles(m, map[string]string{
		"TestOutlive":    "closes a half of a connection, which pipes don't have",
		"TestTwoTenants": "needs the buffers of a network: over a pipe, client and server may both wait for the other to read",
	})
	os.Exit(m.Run())
}
