package arenahttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests work after the handler's return.

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// stuck returns a handler that runs beyond the end of its context until it is released, and then
// reports whether its memory was still its own.
func stuck(t *testing.T, goOn, ended chan bool) http.Handler {
	return plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		if r.URL.Path == "/fast" {
			io.WriteString(w, a.AllocString("fast"))
			return
		}
		mine := a.AllocString("mine")
		<-goOn
		more := a.AllocString("more")
		if mine != "mine" || more != "more" || arena.FromContext(r.Context()) != a {
			t.Errorf("%q, %q", mine, more)
		}
		arenahttp.Detach(r)()
		ended <- true
	})
}

// TestTimeoutHandlerInside: a handler that was left behind keeps its arena, for all ways of
// deriving its context from the request's. If the handler is in time the arena is put back, except
// where that can't be known.
func TestTimeoutHandlerInside(t *testing.T) {
	type key struct{}
	for name, between := range map[string]func(http.Handler) http.Handler{
		"nothing": func(h http.Handler) http.Handler { return h },
		"WithValue": func(h http.Handler) http.Handler {
			return with(h, func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) })
		},
		"WithoutCancel": func(h http.Handler) http.Handler { return with(h, context.WithoutCancel) },
		"ServeMux": func(h http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/", h)
			return mux
		},
	} {
		testkit.Run(t, name, func(t *testing.T) {
			pool := newPool()
			goOn, ended := make(chan bool), make(chan bool)
			inner := http.TimeoutHandler(between(stuck(t, goOn, ended)), 200*time.Millisecond, "late")
			s, _ := listen(t, arenahttp.Handler(pool, between(inner)), false)
			for range 3 {
				if _, text := get(t, s, "/fast", ""); text != "fast" {
					t.Error(text)
				}
			}
			if resp, text := get(t, s, "/stuck", ""); resp.StatusCode != 503 || text != "late" {
				t.Error(resp.Status, text)
			}
			put := pool.Stats().Puts // on a slow machine a fast one may not be
			if live := pool.Stats().Live; live < 1 {
				t.Errorf("%d arenas lent while the handler runs", live)
			}
			others := make([]*arena.Arena, 10)
			for i := range others {
				others[i] = pool.Get()
				others[i].AllocString("others")
			}
			close(goOn)
			<-ended
			for _, a := range others {
				pool.Put(a)
			}
			if name != "WithoutCancel" && put < 1 {
				t.Errorf("of requests in time, %d arenas were put back", put)
			}
			waitFor(t, "the GC", func() bool { runtime.GC(); return pool.Stats().Live == 0 })
			if s := pool.Stats(); s.Lost < 1 || s.Freed != 0 {
				t.Errorf("%d were left to the GC, %d freed", s.Lost, s.Freed)
			}
		})
	}
}

// with changes the context of requests on their way to h.
func with(h http.Handler, f func(context.Context) context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(f(r.Context()))) })
}

// A gate is a ResponseWriter that waits with the status.
type gate struct {
	http.ResponseWriter
	open <-chan bool
}

func (g gate) WriteHeader(status int) {
	<-g.open
	g.ResponseWriter.WriteHeader(status)
}

// TestClientGone: TimeoutHandler leaves its handler behind when the client is gone, too, and when
// it was gone from the beginning: then both contexts have ended before their first call of Done,
// and have the same channel.
func TestClientGone(t *testing.T) {
	for _, before := range []bool{false, true} {
		pool := newPool()
		goOn, ended := make(chan bool), make(chan bool)
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan bool)
		inner := stuck(t, goOn, ended)
		h := arenahttp.Handler(pool, http.TimeoutHandler(plain(func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			close(asked)
			inner.ServeHTTP(w, r)
		}), time.Hour, ""))
		if before {
			cancel()
		} else {
			go func() { <-asked; cancel() }()
		}
		h.ServeHTTP(gate{httptest.NewRecorder(), asked}, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		if s := pool.Stats(); s.Live != 1 {
			t.Errorf("gone before: %t: %d arenas are lent, %d back", before, s.Live, s.Puts)
		}
		close(goOn)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("gone before: %t: the handler that was left behind lost its arena", before)
		}
	}
}

// TestAskedTooLate: of contexts that have ended, one by cancel and one by its time, the second
// counts although both have the same channel.
func TestAskedTooLate(t *testing.T) {
	pool := newPool()
	handle(pool, func(_ http.ResponseWriter, r *http.Request, _ *arena.Arena) {
		canceled, cancel := context.WithCancel(r.Context())
		cancel()
		arena.FromContext(canceled)
		late, cancel := context.WithDeadline(r.Context(), time.Now())
		defer cancel()
		arena.FromContext(late)
	}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	wantEnds(t, pool, 0, 0, 1)
}

func TestDetach(t *testing.T) {
	pool := newPool()
	var request *http.Request
	var dones []func()
	var mine string
	h := handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
		request, mine = r, a.AllocString("mine")
		dones = []func(){arenahttp.Detach(r), arenahttp.Detach(r)}
		w.WriteHeader(200)
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	for i, done := range dones {
		if s := pool.Stats(); s.Live != 1 || mine != "mine" || arena.FromContext(request.Context()) == nil {
			t.Errorf("after %d of 2 are done: %v, %q", i, s, mine)
		}
		done()
		done()
	}
	wantEnds(t, pool, 1, 0, 0)
	if arena.FromContext(request.Context()) != nil {
		t.Error("the arena is still in the context")
	}
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "arenahttp: Detach: the handler has returned") {
			t.Errorf("a late Detach: %v", v)
		}
	}()
	arenahttp.Detach(request)
}

// TestDetachedContext: detached work has a context of its own, and reports its end itself.
func TestDetachedContext(t *testing.T) {
	pool := newPool()
	ended := make(chan bool)
	handle(pool, func(w http.ResponseWriter, r *http.Request, _ *arena.Arena) {
		done := arenahttp.Detach(r)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Hour)
		asked := make(chan bool)
		go func() {
			defer close(ended)
			defer cancel()
			defer done()
			arena.FromContext(ctx).AllocString("archive")
			close(asked)
		}()
		<-asked
	}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	<-ended
	wantEnds(t, pool, 1, 0, 0)
}

// TestHeaderInTheArena: net/http reads header fields when the arena is back in its pool.
func TestHeaderInTheArena(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		pool := newPool()
		s, _ := listen(t, handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
			h := w.Header()
			h[a.AllocString("X-Key")] = []string{"key"}
			h.Set("X-Value", a.AllocString("value"))
			h["X-Slice"] = arena.Append(a, nil, "slice")
			h["X-Child"] = arena.Append(a.Child(), nil, a.Child().AllocString("child"))
			if r.URL.Path == "/trailer" {
				h.Set("Trailer", "X-Trailer")
			}
			switch r.URL.Path {
			case "/detached":
				defer func(done func()) { go done() }(arenahttp.Detach(r))
			case "/cleared":
				w.WriteHeader(200)
				clear(h)
			case "/cleared, detached":
				done := arenahttp.Detach(r)
				io.WriteString(w, "text")
				clear(h)
				done()
			case "/written", "/trailer":
				io.WriteString(w, "text")
			}
			if r.URL.Path == "/trailer" {
				h.Set("X-Trailer", a.AllocString("trailer"))
			}
		}), http2)
		for i, path := range []string{"/", "/written", "/trailer", "/detached", "/cleared", "/cleared, detached"} {
			resp, _ := get(t, s, strings.ReplaceAll(path, " ", "%20"), "")
			for key, want := range map[string]string{"X-Key": "key", "X-Value": "value", "X-Slice": "slice", "X-Child": "child"} {
				if got := resp.Header.Get(key); got != want {
					t.Errorf("%s: %s is %q", path, key, got)
				}
			}
			if path == "/trailer" && resp.Trailer.Get("X-Trailer") != "trailer" {
				t.Errorf("the trailer is %v", resp.Trailer)
			}
			waitFor(t, "the end", func() bool { runtime.GC(); s := pool.Stats(); return s.Live == 0 && s.Gets == i+1 })
		}
	})
}

// A failing writer is that of a stream that was closed.
type failing struct{ http.ResponseWriter }

func (failing) Write([]byte) (int, error) { return 0, errors.New("stream closed") }

// TestHTTP2WriteThatFails: HTTP/2 may still read the data of a failed Write.
func TestHTTP2WriteThatFails(t *testing.T) {
	for _, scrub := range []bool{false, true} {
		for _, major := range []int{1, 2} {
			opts := []arena.PoolOption{}
			if scrub {
				opts = append(opts, arena.WithScrub())
			}
			pool := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
			var p []byte
			h := handle(pool, func(w http.ResponseWriter, r *http.Request, a *arena.Arena) {
				p = a.AllocBytes(10)
				copy(p, "mine")
				w.Write(p)
			})
			r := httptest.NewRequest("GET", "/", nil)
			r.ProtoMajor = major
			h.ServeHTTP(failing{httptest.NewRecorder()}, r)
			s := pool.Stats()
			if back := s.Puts == 1; back != (major == 1) || s.Freed == 1 != (major == 2 && !scrub) {
				t.Errorf("HTTP/%d, scrub %t: %d put back, %d freed, %d live", major, scrub, s.Puts, s.Freed, s.Live)
			}
			if major == 2 && string(p[:4]) != "mine" {
				t.Errorf("it is %q", p)
			}
		}
	}
}
