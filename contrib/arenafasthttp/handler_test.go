package arenafasthttp_test

import (
	"bufio"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

type anyKey struct{}

// TestEnds: how a request's arena ends.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		h                func(ctx *fasthttp.RequestCtx)
		status           int
		put, freed, left int
	}{
		"nobody asks": {func(ctx *fasthttp.RequestCtx) {}, 200, 0, 0, 0},
		"asked twice": {func(ctx *fasthttp.RequestCtx) {
			if arena.FromContext(ctx) != arena.FromContext(context.WithValue(ctx, anyKey{}, 1)) {
				panic("two arenas")
			}
		}, 200, 1, 0, 0},
		"freed": {func(ctx *fasthttp.RequestCtx) {
			a := arena.FromContext(ctx)
			ctx.Write(text(a, 'x', 10))
			a.Free()
		}, 200, 0, 1, 0},
		"panic": {func(ctx *fasthttp.RequestCtx) {
			ctx.Response.SetBodyRaw(text(arena.FromContext(ctx), 'x', 10))
			panic("oops")
		}, 500, 0, 1, 0},
		"panic without an arena": {func(*fasthttp.RequestCtx) { panic("oops") }, 500, 0, 0, 0},
		"limit": {func(ctx *fasthttp.RequestCtx) {
			ctx.WriteString("a part of the answer")
			arena.FromContext(ctx).AllocBytes(1 << 20)
		}, 413, 0, 1, 0},
		"limit in another error": {func(ctx *fasthttp.RequestCtx) {
			defer func() { panic(fmt.Errorf("in a group: %w", recover().(error))) }()
			arena.FromContext(ctx).AllocBytes(1 << 20)
		}, 413, 0, 1, 0},
		"limit of all": {func(ctx *fasthttp.RequestCtx) {
			ctx.WriteString("a part of the answer")
			arena.FromContext(ctx).AllocBytes(100 << 10)
		}, 503, 0, 1, 0},
		"user values removed": {func(ctx *fasthttp.RequestCtx) {
			a := arena.FromContext(ctx)
			b := text(a, 'x', 1000)
			ctx.ResetUserValues()
			if !is(b, 'x', 1000) || arena.FromContext(ctx) != nil {
				panic("it was put back")
			}
		}, 200, 0, 0, 1},
		"nested": {func(ctx *fasthttp.RequestCtx) {
			a := arena.FromContext(ctx)
			arenafasthttp.Handler(arena.NewPool(arena.WithReuse()), func(ctx *fasthttp.RequestCtx) {
				if arena.FromContext(ctx) != a {
					panic("two arenas")
				}
			})(ctx)
		}, 200, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			pool := newPool(arena.WithLimit(200<<10), arena.WithPoolLimit(64<<10))
			url := listen(t, recovered(arenafasthttp.Handler(pool, c.h)))
			if status, text := get(t, url); status != c.status || status != 200 && strings.Contains(text, "a part") {
				t.Errorf("%d: %q", status, text)
			}
			wantEnds(t, pool, c.put, c.freed, c.left)
		})
	}
}

// TestGoexit: it isn't a return.
func TestGoexit(t *testing.T) {
	pool := newPool()
	var ctx fasthttp.RequestCtx
	done := make(chan bool)
	go func() {
		defer close(done)
		handle(pool, func(*fasthttp.RequestCtx, *arena.Arena) { runtime.Goexit() })(&ctx)
	}()
	<-done
	ctx.Request.Reset()
	wantEnds(t, pool, 0, 1, 0)
}

func TestOptions(t *testing.T) {
	pool := newPool(arena.WithLimit(100<<10), arena.WithName("keys"))
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		if string(ctx.Path()) == "/large" {
			a.AllocBytes(1 << 20)
		}
		ctx.Write(text(a, 'x', 10))
	}, arenafasthttp.OnLimit(nil), arenafasthttp.OnLimit(func(ctx *fasthttp.RequestCtx, e *arena.LimitError) {
		ctx.Error(fmt.Sprint(e.Asked), 400)
	}), arenafasthttp.Key(func(ctx *fasthttp.RequestCtx) string {
		return "route " + string(ctx.Path())
	})))
	for path, want := range map[string]string{"/a": "xxxxxxxxxx", "/large": "1048576"} {
		for range 2 {
			if _, got := get(t, url+path); got != want {
				t.Errorf("%s: %q", path, got)
			}
		}
	}
	wantEnds(t, pool, 2, 2, 0)
	if keys := pool.Stats().Keys; len(keys) != 2 || keys["route /a"].Puts != 2 {
		t.Errorf("%v", keys)
	}
}

// TestWithoutPool: the arena is the Go heap.
func TestWithoutPool(t *testing.T) {
	url := listen(t, handle(nil, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		defer arenafasthttp.Detach(ctx)()
		fmt.Fprint(ctx, a == nil && len(text(a, 'x', 10)) == 10)
	}))
	if _, got := get(t, url); got != "true" {
		t.Error(got)
	}
	var ctx fasthttp.RequestCtx
	arenafasthttp.Detach(&ctx)() // without a handler
}

// TestAnswersInTheArena: fasthttp sends them before the arena is put back, which erases it, even if
// requests come without waiting for answers, and if middleware compresses answers.
func TestAnswersInTheArena(t *testing.T) {
	pool := newPool()
	h := handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		n := ctx.QueryArgs().GetUintOrZero("n")
		ctx.Response.SetBodyRaw(text(a, 'a'+byte(n%26), n))
	})
	for name, h := range map[string]fasthttp.RequestHandler{"plain": h, "compressed": fasthttp.CompressHandler(h)} {
		t.Run(name, func(t *testing.T) {
			l := fasthttputil.NewInmemoryListener()
			go (&fasthttp.Server{Handler: h, Logger: quiet{}}).Serve(l)
			defer l.Close()
			conn, err := l.Dial()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			const requests = 50
			go func() {
				for i := range requests {
					fmt.Fprintf(conn, "GET /?n=%d HTTP/1.1\r\nHost: x\r\nAccept-Encoding: %s\r\n\r\n", 1<<(i%20), map[string]string{"compressed": "gzip"}[name])
				}
			}()
			r := bufio.NewReader(conn)
			for i := range requests {
				var resp fasthttp.Response
				if err := resp.Read(r); err != nil {
					t.Fatal(err)
				}
				b, err := resp.BodyUncompressed()
				if n := 1 << (i % 20); err != nil || !is(b, 'a'+byte(n%26), n) {
					t.Errorf("answer %d: %v, %d bytes", i, err, len(b))
				}
			}
		})
	}
	waitFor(t, "the end", func() bool { s := pool.Stats(); return s.Puts == 100 })
}

// TestNoAllocation: a request with an arena doesn't allocate on the Go heap.
func TestNoAllocation(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("allocations are not those of a usual build")
	}
	h := handle(arena.NewPool(arena.WithReuse()), func(_ *fasthttp.RequestCtx, a *arena.Arena) { a.AllocBytes(100) })
	var ctx fasthttp.RequestCtx
	n := testing.AllocsPerRun(1000, func() {
		h(&ctx)
		ctx.Request.Reset()
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}
