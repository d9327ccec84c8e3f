package arenafasthttp_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/valyala/fasthttp"
)

// newPool returns a pool that erases its arenas when they are put back: kept values show up as zeros.
func newPool(opts ...arena.PoolOption) *arena.Pool {
	return arena.NewPool(append(opts, arena.WithReuse(), arena.WithName("test"), arena.WithScrub())...)
}

// quiet drops what fasthttp logs of clients that are gone.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// listen serves h on the loopback interface and returns its URL.
func listen(t testing.TB, h fasthttp.RequestHandler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &fasthttp.Server{Handler: h, Logger: quiet{}, CloseOnShutdown: true}
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		s.Shutdown()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// get sends a request and returns the answer's status and text.
func get(t testing.TB, url string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// wantEnds waits until no request has an arena, and checks what has become of them.
func wantEnds(t testing.TB, pool *arena.Pool, put, freed, left int) {
	t.Helper()
	waitFor(t, "the end of the requests", func() bool { s := pool.Stats(); return s.Puts+s.Freed+s.Live+s.Lost == s.Gets && s.Live <= left })
	if s := pool.Stats(); s.Puts != put || s.Freed != freed || s.Live+s.Lost != left {
		t.Errorf("%d put back, %d freed, %d left to the GC; want %d, %d, %d", s.Puts, s.Freed, s.Live+s.Lost, put, freed, left)
	}
}

// recovered is middleware that answers for a handler that panics.
func recovered(h fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if v := recover(); v != nil {
				ctx.Error("oops", 500)
			}
		}()
		h(ctx)
	}
}

// handle returns a handler with an arena.
func handle(pool *arena.Pool, f func(ctx *fasthttp.RequestCtx, a *arena.Arena), opts ...arenafasthttp.Option) fasthttp.RequestHandler {
	return arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) { f(ctx, arena.FromContext(ctx)) }, opts...)
}

// text returns n bytes of an arena, all of them c.
func text(a *arena.Arena, c byte, n int) []byte {
	b := a.AllocBytesUninit(n)
	for i := range b {
		b[i] = c
	}
	return b
}

// is reports whether b consists of n times c.
func is(b []byte, c byte, n int) bool {
	return len(b) == n && strings.Count(string(b), string(c)) == n
}
