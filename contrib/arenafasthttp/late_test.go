package arenafasthttp_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenafasthttp"
	"github.com/valyala/fasthttp"
)

// This file tests work that goes on after the client's end of the request.

// TestTimeout: a handler for which nobody waits keeps its memory for as long as it needs it, whether
// the arena is got before the timeout or after, and wherever the TimeoutHandler is. Then the GC
// finds it.
func TestTimeout(t *testing.T) {
	for _, around := range []bool{false, true} {
		for _, early := range []bool{false, true} {
			t.Run(fmt.Sprintf("around=%t,early=%t", around, early), func(t *testing.T) {
				pool := newPool()
				goOn, ended := make(chan bool), make(chan error, 1)
				slow := func(ctx *fasthttp.RequestCtx) {
					if string(ctx.Path()) != "/slow" {
						ctx.Write(text(arena.FromContext(ctx), 'q', 1000))
						return
					}
					var mine []byte
					if early {
						mine = text(arena.FromContext(ctx), 's', 1000)
					}
					<-goOn
					a := arena.FromContext(ctx)
					if !early {
						mine = text(a, 's', 1000)
					}
					more := text(a, 'm', 1000)
					var err error
					if !is(mine, 's', 1000) || !is(more, 'm', 1000) {
						err = fmt.Errorf("it finds %.20q and %.20q", mine, more)
					}
					ctx.WriteString("late")
					ended <- err
				}
				timeout := func(h fasthttp.RequestHandler) fasthttp.RequestHandler {
					return fasthttp.TimeoutHandler(h, 50*time.Millisecond, "too late")
				}
				h := arenafasthttp.Handler(pool, timeout(slow))
				if around {
					h = timeout(arenafasthttp.Handler(pool, slow))
				}
				url := listen(t, h)
				if status, text := get(t, url+"/slow"); status != fasthttp.StatusRequestTimeout || text != "too late" {
					t.Errorf("%d: %q", status, text)
				}
				quick := 0
				for range 50 {
					if status, text := get(t, url+"/quick"); status == 200 && text != strings.Repeat("q", 1000) {
						t.Errorf("%.20q", text)
					} else if status == 200 {
						quick++
					}
				}
				close(goOn)
				if err := <-ended; err != nil {
					t.Error(err)
				}
				waitFor(t, "the GC", func() bool { runtime.GC(); return pool.Stats().Live == 0 })
				if s := pool.Stats(); s.Puts < quick || s.Freed != 0 || s.Lost > s.Gets-quick {
					t.Errorf("%d answers; %v", quick, s)
				}
			})
		}
	}
}

// TestTimeoutErrorOfTheHandler: a handler that calls TimeoutError itself, since other work goes on.
func TestTimeoutErrorOfTheHandler(t *testing.T) {
	pool := newPool()
	goOn, ended := make(chan bool), make(chan bool)
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		mine := text(a, 'x', 1000)
		go func() {
			<-goOn
			ctx.ResetUserValues() // which isn't the end
			ended <- is(mine, 'x', 1000) && is(text(a, 'y', 1000), 'y', 1000)
		}()
		ctx.TimeoutError("later")
	}))
	get(t, url)
	close(goOn)
	if !<-ended {
		t.Error("it has lost its memory")
	}
	wantEnds(t, pool, 0, 0, 1)
}

// TestStreamWriter: its output arrives, complete, and the arena is put back afterwards.
func TestStreamWriter(t *testing.T) {
	pool := newPool()
	h := handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
			for i := range 20 {
				w.Write(text(a, 'a'+byte(i), 1<<i%70_000))
				if i%3 == 0 {
					w.Flush()
				}
			}
		})
	})
	var want bytes.Buffer
	for i := range 20 {
		want.Write(bytes.Repeat([]byte{'a' + byte(i)}, 1<<i%70_000))
	}
	url := listen(t, fasthttp.CompressHandler(h)) // reads the stream in a goroutine of its own
	for range 20 {
		if status, text := get(t, url); status != 200 || text != want.String() {
			t.Errorf("%d: %d bytes", status, len(text))
		}
	}
	wantEnds(t, pool, 20, 0, 0)
}

// TestStreamWriterWhoseClientIsGone: fasthttp doesn't wait for it, but the arena does.
func TestStreamWriterWhoseClientIsGone(t *testing.T) {
	pool := newPool()
	goOn, ended := make(chan bool), make(chan bool)
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		if string(ctx.Path()) == "/other" {
			ctx.Write(text(a, 'o', 1000))
			return
		}
		arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
			mine := text(a, 'x', 1<<20)
			for w.Flush() == nil {
				w.Write(mine)
			}
			<-goOn
			ended <- is(mine, 'x', 1<<20) && is(text(a, 'y', 1000), 'y', 1000)
		})
	}))
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	conn.Read(make([]byte, 100))
	conn.Close()
	for range 20 {
		get(t, url+"/other")
	}
	time.Sleep(10 * time.Millisecond) // for fasthttp to see that the client is gone, which a slower machine may do later
	if s := pool.Stats(); s.Live == 0 {
		t.Errorf("the arena was put back: %v", s)
	}
	close(goOn)
	if !<-ended {
		t.Error("it has lost its memory")
	}
	wantEnds(t, pool, 21, 0, 0)
}

// TestStreamWriterBeyondTheLimit: clients don't mistake a part of the answer for all of it.
func TestStreamWriterBeyondTheLimit(t *testing.T) {
	pool := newPool(arena.WithLimit(100 << 10))
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
			w.Write(text(a, 'x', 50_000))
			w.Write(text(a, 'y', 100_000))
		})
	}))
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) || bytes.Contains(b, []byte("y")) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	wantEnds(t, pool, 1, 0, 0)
}

// TestStreamWriterAndTimeout: an answer that isn't sent, since its handler was too slow before or after it, doesn't
// hold its arena.
func TestStreamWriterAndTimeout(t *testing.T) {
	for _, around := range []bool{false, true} {
		for _, early := range []bool{false, true} {
			pool := newPool()
			goOn, ended := make(chan bool), make(chan bool)
			slow := func(ctx *fasthttp.RequestCtx) {
				a := arena.FromContext(ctx)
				stream := func() {
					arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
						for range 100 { // more than a pipe takes
							w.Write(text(a, 'x', 1000))
							w.Flush()
						}
					})
				}
				if early {
					stream()
				}
				<-goOn
				if !early {
					stream()
				}
				ended <- true
			}
			timeout := func(h fasthttp.RequestHandler) fasthttp.RequestHandler {
				return fasthttp.TimeoutHandler(h, 20*time.Millisecond, "too late")
			}
			h := arenafasthttp.Handler(pool, timeout(slow))
			if around {
				h = timeout(arenafasthttp.Handler(pool, slow))
			}
			url := listen(t, h)
			for range 6 {
				if status, text := get(t, url); status != fasthttp.StatusRequestTimeout || text != "too late" {
					t.Errorf("%d: %q", status, text)
				}
			}
			close(goOn)
			for range 6 {
				<-ended
			}
			waitFor(t, "the GC", func() bool { runtime.GC(); return pool.Stats().Live == 0 })
			if s := pool.Stats(); s.Lost != 6 {
				t.Errorf("around %t, early %t: %v", around, early, s)
			}
		}
	}
}

// TestReadStream: a stream that is only read may be in the arena, as fasthttp reads it before the end.
func TestReadStream(t *testing.T) {
	pool := newPool()
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		ctx.SetBodyStream(bytes.NewReader(text(a, 'x', 100_000)), -1)
	}))
	for range 20 {
		if _, text := get(t, url); text != strings.Repeat("x", 100_000) {
			t.Errorf("%d bytes, %.20q", len(text), text)
		}
	}
	wantEnds(t, pool, 20, 0, 0)
}

// TestHeadOfAStream: the stream isn't read, and its writer ends all the same.
func TestHeadOfAStream(t *testing.T) {
	pool := newPool()
	url := listen(t, handle(pool, func(ctx *fasthttp.RequestCtx, a *arena.Arena) {
		arenafasthttp.SetBodyStreamWriter(ctx, func(w *bufio.Writer) {
			mine := text(a, 'x', 100_000)
			for range 100 {
				if _, err := w.Write(mine); err != nil {
					return
				}
			}
		})
	}))
	resp, err := http.Head(url)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(err, resp)
	}
	resp.Body.Close()
	wantEnds(t, pool, 1, 0, 0)
}
