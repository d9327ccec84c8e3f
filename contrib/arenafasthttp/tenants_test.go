package arenafasthttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/valyala/fasthttp"
)

// TestTwoTenants: two tenants fill their memory with their names, look whether it still says so, and get
// answers with nobody else's name in them, whatever ends their requests: a panic, a limit, a
// timeout, hijacking, a connection that is cut at any moment, goroutines that go on, or streams. HARENA_TENANTS says how many requests
// there are: 1000000 takes some minutes. Half of them have arenas that are erased as soon as they are back, which shows who
// still reads there. With the race detector no two of them may touch the same memory.
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
	t.Run("Kept", func(t *testing.T) { twoTenants(t, n/2) })
	t.Run("Erased", func(t *testing.T) { twoTenants(t, n/2, arena.WithScrub()) })
}

func twoTenants(t *testing.T, n int, opts ...arena.PoolOption) {
	pool := arena.NewPool(append(opts, arena.WithName("tenants"), arena.WithLimit(256<<10), arena.WithChunkSize(1024))...)
	office := &office{t: t}
	url := listen(t, recovered(office.handler(pool)))
	var left atomic.Int64
	left.Store(int64(n))
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for left.Add(-1) >= 0 {
				office.visit(r, url, [...]string{"alice", "bob"}[r.IntN(2)])
			}
		})
	}
	clients.Wait()
	office.late.Wait()
	s := pool.Stats()
	t.Logf("%d requests: %d answers, %d cut; %v", n, office.answers.Load(), office.cut.Load(), s)
	if office.answers.Load() < int64(n/3) || office.cut.Load() < int64(n/50) || s.Puts < n/4 || s.Freed == 0 {
		t.Error("not enough of each kind has happened")
	}
}

// An office has handlers that serve tenants.
type office struct {
	t            *testing.T
	late         sync.WaitGroup // what goes on after the answer
	answers, cut atomic.Int64
}

// handler serves /kind/who.
func (o *office) handler(pool *arena.Pool) fasthttp.RequestHandler {
	kinds := map[string]fasthttp.RequestHandler{
		"plain": o.serve,
		"raw": func(ctx *fasthttp.RequestCtx) {
			ctx.Response.SetBodyRaw(o.work(arena.FromContext(ctx), o.who(ctx)))
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
			o.late.Go(func() {
				defer done()
				o.work(a, who)
			})
		},
		"stream": func(ctx *fasthttp.RequestCtx) {
			a, who := arena.FromContext(ctx), o.who(ctx)
			o.late.Add(1)
			arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
				defer o.late.Done()
				for range 3 {
					w.Write(o.work(a, who))
					w.Flush()
				}
			})
		},
		"hijack": func(ctx *fasthttp.RequestCtx) {
			a, who := arena.FromContext(ctx), o.who(ctx)
			o.work(a, who)
			ctx.HijackSetNoResponse(true)
			ctx.Hijack(func(c net.Conn) {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", o.work(a, who))
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
		page := a.AllocBytesUninit(100 * len(who) * (i + 1))
		for j := range page {
			page[j] = who[j%len(who)]
		}
		n.pages = arena.Append(a, n.pages, page)
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

// check looks whether a text consists of a name, over and over.
func (o *office) check(who, where string, text []byte) {
	for i := range text {
		if text[i] != who[i%len(who)] {
			o.t.Errorf("%s finds %q at %d of %d bytes in %s", who, text[max(0, i-10):min(len(text), i+20)], i, len(text), where)
			return
		}
	}
}

// serve answers with the name, in several writes.
func (o *office) serve(ctx *fasthttp.RequestCtx) {
	o.check(o.who(ctx), "the body", ctx.PostBody())
	page := o.work(arena.FromContext(ctx), o.who(ctx))
	for range 2 {
		ctx.Write(page)
	}
}

// slow serves a tenant, and often isn't in time.
func (o *office) slow(ctx *fasthttp.RequestCtx) {
	o.late.Add(1)
	defer o.late.Done()
	o.serve(ctx)
	if rand.IntN(2) == 0 {
		time.Sleep(2 * time.Millisecond)
	}
	o.work(arena.FromContext(ctx), o.who(ctx))
}

// visit sends one request, of any kind, and perhaps cuts it off.
func (o *office) visit(r *rand.Rand, url, who string) {
	kinds := [...]string{"plain", "plain", "raw", "raw", "within", "around", "panic", "limit", "detach", "stream", "stream", "hijack"}
	kind := kinds[r.IntN(len(kinds))]
	body := strings.Repeat(who, r.IntN(2000))
	if r.IntN(30) == 0 {
		o.cutOff(r, url, kind, who, body)
		return
	}
	ctx, cancel := context.WithCancel(o.t.Context())
	defer cancel()
	if r.IntN(20) == 0 { // at any moment
		timer := time.AfterFunc(time.Duration(r.IntN(300))*time.Microsecond, cancel)
		defer timer.Stop()
	}
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/"+kind+"/"+who, strings.NewReader(body))
	if err != nil {
		o.t.Error(err)
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.cut.Add(1)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		o.cut.Add(1)
	}
	if resp.StatusCode == 200 {
		o.answers.Add(1)
		o.check(who, "an answer of "+kind, text)
	}
}

// cutOff sends a request of which it closes the connection somewhere.
func (o *office) cutOff(r *rand.Rand, url, kind, who, body string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		o.t.Error(err)
		return
	}
	defer conn.Close()
	o.cut.Add(1)
	fmt.Fprintf(conn, "POST /%s/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", kind, who, len(body), body[:r.IntN(len(body)+1)])
	if r.IntN(2) == 0 {
		conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		bufio.NewReader(conn).ReadByte()
	}
}
