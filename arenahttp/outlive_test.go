package arenahttp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit/outlive"
)

// hold has something outlive a request.
func hold(r *outlive.Request, a *arena.Arena) {
	mine := a.AllocString("mine, and nobody else's, for as long as it is used")
	r.Hold(func() string { return mine }, func() *arena.Arena { return a })
}

// within returns a handler with an arena, and middleware that uses it.
func within(r *outlive.Request, h http.Handler) http.Handler {
	return arenahttp.Handler(r.Pool, plain(func(w http.ResponseWriter, req *http.Request, a *arena.Arena) {
		r.Outer(a)
		h.ServeHTTP(w, req)
	}))
}

func holds(r *outlive.Request) http.Handler {
	return plain(func(_ http.ResponseWriter, _ *http.Request, a *arena.Arena) { hold(r, a) })
}

// gone is a handler whose client is gone at its end.
func gone(r *outlive.Request) http.Handler {
	return plain(func(_ http.ResponseWriter, req *http.Request, a *arena.Arena) {
		hold(r, a)
		<-req.Context().Done()
	})
}

// leaves is a handler that a goroutine outlives.
func leaves(r *outlive.Request, begin func(w http.ResponseWriter, req *http.Request) (end func())) http.Handler {
	return plain(func(w http.ResponseWriter, req *http.Request, a *arena.Arena) {
		end := begin(w, req)
		go func() {
			defer end()
			hold(r, a)
		}()
		<-r.Held
	})
}

// send sends a request over a connection, which it returns, and waits for the work that outlives
// it.
func send(r *outlive.Request, h http.Handler) *net.TCPConn {
	s, _ := listen(r.T, h, false)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	<-r.Held
	return conn.(*net.TCPConn)
}

// TestOutlive: see docs/promises.md.
func TestOutlive(t *testing.T) {
	timeout := func(h http.Handler) http.Handler { return http.TimeoutHandler(h, 300*time.Millisecond, "late") }
	nothing := func(http.ResponseWriter, *http.Request) func() { return func() {} }
	serve := func(h http.Handler) {
		defer func() { _ = recover() }()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	}
	outlive.Test(t, "HTTP", map[string]func(*outlive.Request){
		"a handler, behind a timeout handler within the package's own": func(r *outlive.Request) { serve(within(r, timeout(holds(r)))) },
		"a handler, behind a timeout handler around the package's own": func(r *outlive.Request) { serve(timeout(within(r, holds(r)))) },
		"a handler whose client has cancelled": func(r *outlive.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			go within(r, gone(r)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
			<-r.Held
			cancel()
		},
		"a handler whose client has closed its side": func(r *outlive.Request) { send(r, within(r, gone(r))).CloseWrite() },
		"a goroutine, after a panic": func(r *outlive.Request) {
			serve(within(r, plain(func(_ http.ResponseWriter, _ *http.Request, a *arena.Arena) {
				mine := a.AllocString("mine")
				go r.Hold(func() string { return mine }, nil)
				<-r.Held
				panic("oops")
			})))
		},
		"a hijacked connection": func(r *outlive.Request) {
			io.ReadAll(send(r, within(r, leaves(r, func(w http.ResponseWriter, _ *http.Request) func() {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					r.Error(err)
				}
				conn.Close()
				return func() {}
			}))))
		},
		"a goroutine, after `Detach` or `Keep`": func(r *outlive.Request) {
			serve(within(r, leaves(r, func(_ http.ResponseWriter, req *http.Request) func() { return arenahttp.Detach(req) })))
		},
		"a goroutine that the package isn't told of": func(r *outlive.Request) { serve(within(r, leaves(r, nothing))) },
	})
}
