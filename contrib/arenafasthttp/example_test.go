package arenafasthttp_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
)

// show sends a body to a server with a handler, and prints the answer.
func show(h fasthttp.RequestHandler, path, body string) {
	l := fasthttputil.NewInmemoryListener()
	s := &fasthttp.Server{Handler: h}
	go s.Serve(l)
	defer s.Shutdown()
	client := fasthttp.HostClient{Addr: "example.com", Dial: func(string) (net.Conn, error) { return l.Dial() }}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	req.SetRequestURI("http://example.com" + path)
	req.Header.SetMethod("POST")
	req.SetBodyString(body)
	req.SetConnectionClose()
	if err := client.Do(req, resp); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.StatusCode(), string(resp.Body()))
}

// An arena for each request, whose memory is used again and again.
func Example() {
	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<29))
	h := arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		a := arena.FromContext(ctx)
		var words []string // in the arena, like all other values of the request
		for word := range strings.FieldsSeq(a.AllocBytesToString(ctx.PostBody())) {
			words = arena.Append(a, words, word)
		}
		ctx.WriteString(a.Sprintf("%d words, the last is %s", len(words), words[len(words)-1]))
	})
	show(h, "/words", "to be or not to be")
	show(h, "/words", "that is the question")
	s := pool.Stats()
	fmt.Println(s.Gets, "requests,", s.Live, "arenas still lent")
	// Output:
	// 200 6 words, the last is be
	// 200 4 words, the last is question
	// 2 requests, 0 arenas still lent
}

func ExampleHandler() {
	pool := arena.NewPool()
	show(arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		ctx.Response.SetBodyRaw(arena.CopySlice(arena.FromContext(ctx), []byte("from the arena")))
	}), "/", "")
	// Output: 200 from the arena
}

func ExampleOption() {
	options := []arenafasthttp.Option{arenafasthttp.Key(func(*fasthttp.RequestCtx) string { return "all" })}
	show(arenafasthttp.Handler(arena.NewPool(), func(ctx *fasthttp.RequestCtx) { ctx.WriteString("hello") }, options...), "/", "")
	// Output: 200 hello
}

// The method and the route are the kind of work, not the path.
func ExampleKey() {
	pool := arena.NewPool()
	h := arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		ctx.WriteString(arena.FromContext(ctx).Sprintf("hello, %s", ctx.Path()[len("/hello/"):]))
	}, arenafasthttp.Key(func(ctx *fasthttp.RequestCtx) string {
		if ctx.IsPost() && strings.HasPrefix(string(ctx.Path()), "/hello/") {
			return "POST /hello/{name}"
		}
		return ""
	}))
	show(h, "/hello/Ada", "")
	show(h, "/hello/Alan", "")
	fmt.Println(pool.Stats().Keys["POST /hello/{name}"].Gets)
	// Output:
	// 200 hello, Ada
	// 200 hello, Alan
	// 2
}

func ExampleOnLimit() {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	show(arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		arena.FromContext(ctx).AllocBytes(2 << 20)
	}, arenafasthttp.OnLimit(func(ctx *fasthttp.RequestCtx, e *arena.LimitError) {
		ctx.Error(fmt.Sprintf("%s needs %d bytes of %d", ctx.Path(), e.Asked, e.Limit), fasthttp.StatusRequestEntityTooLarge)
	})), "/all", "")
	// Output: 413 /all needs 2097152 bytes of 1048576
}

// The answer doesn't wait for the archive, but the arena does.
func ExampleDetach() {
	pool := arena.NewPool()
	written, archived := make(chan bool), make(chan bool)
	show(arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		body := arena.CopySlice(arena.FromContext(ctx), ctx.PostBody())
		done := arenafasthttp.Detach(ctx)
		go func() {
			<-written
			fmt.Printf("archived %q, arenas lent: %d\n", body, pool.Stats().Live)
			done()
			close(archived)
		}()
		ctx.SetStatusCode(fasthttp.StatusAccepted)
		ctx.WriteString("accepted")
	}), "/orders", "two apples")
	close(written)
	<-archived
	fmt.Println("arenas lent:", pool.Stats().Live)
	// Output:
	// 202 accepted
	// archived "two apples", arenas lent: 1
	// arenas lent: 0
}

func ExampleSetBodyStreamWriter() {
	pool := arena.NewPool()
	show(arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		a := arena.FromContext(ctx)
		arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
			for i := range 3 {
				w.WriteString(a.Sprintf("line %d;", i))
				w.Flush()
			}
		})
	}), "/", "")
	fmt.Println(pool.Stats().Live)
	// Output:
	// 200 line 0;line 1;line 2;
	// 0
}
