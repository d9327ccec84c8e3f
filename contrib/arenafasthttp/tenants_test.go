package arenafasthttp_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/harena-go/arena/internal/tests/testkit/tenants"
	"github.com/valyala/fasthttp"
)

// TestTwoTenants: no request sees the memory of another, whatever ends it: timeouts, hijacking and streams as well.
func TestTwoTenants(t *testing.T) {
	tenants.Test(t, func(o *tenants.Office, pool *arena.Pool) {
		office := &office{o}
		url := listen(t, recovered(office.handler(pool)))
		o.Open(func(r *rand.Rand, who string) { office.visit(r, url, who) })
		o.Close()
	})
}

// An office has handlers that serve tenants.
type office struct{ *tenants.Office }

// handler serves /kind/who.
func (o *office) handler(pool *arena.Pool) fasthttp.RequestHandler {
	kinds := map[string]fasthttp.RequestHandler{
		"plain": o.serve,
		"raw": func(ctx *fasthttp.RequestCtx) {
			ctx.Response.SetBodyRaw(o.Work(arena.FromContext(ctx), o.who(ctx)))
		},
		"panic": func(ctx *fasthttp.RequestCtx) {
			o.serve(ctx)
			panic("oops")
		},
		"limit":  func(ctx *fasthttp.RequestCtx) { arena.FromContext(ctx).AllocBytes(1 << 20) },
		"within": fasthttp.TimeoutHandler(o.slow, time.Millisecond, ""),
		"detach": func(ctx *fasthttp.RequestCtx) {
			done := arenafasthttp.Detach(ctx)
			o.serve(ctx)
			a, who := arena.FromContext(ctx), o.who(ctx)
			o.Late.Go(func() {
				defer done()
				o.Work(a, who)
			})
		},
		"stream": func(ctx *fasthttp.RequestCtx) {
			a, who := arena.FromContext(ctx), o.who(ctx)
			o.Late.Add(1)
			arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
				defer o.Late.Done()
				for range 3 {
					w.Write(o.Work(a, who))
					w.Flush()
				}
			})
		},
		"hijack": func(ctx *fasthttp.RequestCtx) {
			a, who := arena.FromContext(ctx), o.who(ctx)
			o.Work(a, who)
			ctx.HijackSetNoResponse(true)
			ctx.Hijack(func(c net.Conn) {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", o.Work(a, who))
			})
		},
	}
	within := arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) { kinds[o.part(ctx, 1)](ctx) })
	around := fasthttp.TimeoutHandler(arenafasthttp.Handler(pool, o.slow), time.Millisecond, "")
	return func(ctx *fasthttp.RequestCtx) {
		if o.part(ctx, 1) == "around" {
			around(ctx)
			return
		}
		within(ctx)
	}
}

func (o *office) part(ctx *fasthttp.RequestCtx, i int) string {
	return strings.Split(string(ctx.Path()), "/")[i]
}

func (o *office) who(ctx *fasthttp.RequestCtx) string { return o.part(ctx, 2) }

// serve answers with the name, in several writes.
func (o *office) serve(ctx *fasthttp.RequestCtx) {
	o.Check(o.who(ctx), "the body", ctx.PostBody())
	page := o.Work(arena.FromContext(ctx), o.who(ctx))
	for range 2 {
		ctx.Write(page)
	}
}

// slow serves a tenant, and often isn't in time.
func (o *office) slow(ctx *fasthttp.RequestCtx) {
	o.Late.Add(1)
	defer o.Late.Done()
	o.serve(ctx)
	if rand.IntN(2) == 0 {
		time.Sleep(2 * time.Millisecond)
	}
	o.Work(arena.FromContext(ctx), o.who(ctx))
}

// visit sends one request, of any kind, and looks at the answer.
func (o *office) visit(r *rand.Rand, url, who string) {
	kinds := [...]string{"plain", "plain", "raw", "raw", "within", "around", "panic", "limit", "detach", "stream", "stream", "hijack"}
	kind := kinds[r.IntN(len(kinds))]
	if resp, text, _ := o.Post(r, http.DefaultClient, url, kind, who); resp != nil && resp.StatusCode == 200 {
		o.Check(who, "an answer of "+kind, text)
	}
}
