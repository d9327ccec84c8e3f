package arenafasthttp_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/harena-go/arena/internal/tests/testkit/outlive"
	"github.com/valyala/fasthttp"
)

// hold makes work outlive a request.
func hold(r *outlive.Request, a *arena.Arena) {
	mine := a.AllocString("mine, and nobody else's, for as long as it is used")
	r.Hold(func() string { return mine }, func() *arena.Arena { return a })
}

func holds(r *outlive.Request) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) { hold(r, arena.FromContext(ctx)) }
}

// leaves is a handler that a goroutine outlives.
func leaves(r *outlive.Request, begin func(*fasthttp.RequestCtx) (end func())) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		a, end := arena.FromContext(ctx), begin(ctx)
		go func() {
			defer end()
			hold(r, a)
		}()
		<-r.Held
	}
}

// send sends a request over a connection, which it returns, and waits for the work that outlives it.
func send(r *outlive.Request, h fasthttp.RequestHandler) *net.TCPConn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(listen(r.T, h), "http://"))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-r.Held
	return conn.(*net.TCPConn)
}

// TestOutlive: see docs/promises.md.
func TestOutlive(t *testing.T) {
	timeout := func(h fasthttp.RequestHandler) fasthttp.RequestHandler {
		return fasthttp.TimeoutHandler(h, 300*time.Millisecond, "late")
	}
	answer := func(r *outlive.Request, h fasthttp.RequestHandler) { send(r, h).Read(make([]byte, 1)) }
	within := func(r *outlive.Request, h fasthttp.RequestHandler) fasthttp.RequestHandler {
		return arenafasthttp.Handler(r.Pool, func(ctx *fasthttp.RequestCtx) {
			r.Outer(arena.FromContext(ctx))
			h(ctx)
		})
	}
	outlive.Test(t, "fasthttp", map[string]func(*outlive.Request){
		"a handler, behind a timeout handler within the package's own": func(r *outlive.Request) { answer(r, within(r, timeout(holds(r)))) },
		"a handler, behind a timeout handler around the package's own": func(r *outlive.Request) { answer(r, timeout(within(r, holds(r)))) },
		"a handler whose client has cancelled":                         func(r *outlive.Request) { send(r, within(r, holds(r))).Close() },
		"a handler whose client has closed its side":                   func(r *outlive.Request) { send(r, within(r, holds(r))).CloseWrite() },
		"a goroutine, after a panic": func(r *outlive.Request) {
			answer(r, recovered(within(r, func(ctx *fasthttp.RequestCtx) {
				mine := arena.FromContext(ctx).AllocString("mine")
				go r.Hold(func() string { return mine }, nil)
				<-r.Held
				panic("oops")
			})))
		},
		"a hijacked connection": func(r *outlive.Request) {
			send(r, within(r, func(ctx *fasthttp.RequestCtx) {
				a := arena.FromContext(ctx)
				ctx.Hijack(func(net.Conn) { hold(r, a) })
			}))
		},
		"a goroutine, after `Detach` or `Keep`": func(r *outlive.Request) { answer(r, within(r, leaves(r, arenafasthttp.Detach))) },
		"a goroutine that the package isn't told of": func(r *outlive.Request) {
			answer(r, within(r, leaves(r, func(*fasthttp.RequestCtx) func() { return func() {} })))
		},
	})
}
