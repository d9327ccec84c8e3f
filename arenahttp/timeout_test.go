package arenahttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests http.TimeoutHandler inside, with all ways to answer.

type textKey struct{}

// allocates is middleware that puts a text of the arena into the context.
func allocates(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := arena.FromContext(r.Context()).AllocString("a text of the middleware")
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), textKey{}, text)))
	})
}

// textOf returns that text.
func textOf(r *http.Request) string { return r.Context().Value(textKey{}).(string) }

// answers are the ways of a handler to answer in time, with the end of the arena.
var answers = map[string]struct {
	answer http.HandlerFunc
	want   string
}{
	"nothing":     {func(http.ResponseWriter, *http.Request) {}, "put back"},
	"text":        {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, textOf(r)) }, "put back"},
	"status":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "put back"},
	"header":      {func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Text", strings.Clone(textOf(r))) }, "put back"},
	"not found":   {http.NotFound, "put back"},
	"error":       {func(w http.ResponseWriter, r *http.Request) { http.Error(w, textOf(r), 500) }, "put back"},
	"unavailable": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, textOf(r), http.StatusServiceUnavailable) }, "left"},
	"problem":     {func(w http.ResponseWriter, r *http.Request) { arenahttp.Error(w, r, io.EOF) }, "put back"},
	"redirect":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }, "put back"},
	"panic":       {func(http.ResponseWriter, *http.Request) { panic("oops") }, "freed"},
	"abort":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "freed"},
	"limit":       {func(http.ResponseWriter, *http.Request) { arena.NewArena(arena.WithLimit(1)).AllocBytes(2) }, "freed"},
}

// TestTimeoutHandlerAndAnswers: the memory of a middleware stays for as long as a handler that was left behind reads
// it, whether or not the handler requests the arena.
func TestTimeoutHandlerAndAnswers(t *testing.T) {
	for name, c := range answers {
		for _, asks := range []bool{false, true} {
			testkit.Run(t, fmt.Sprint(name, ", in time, asks ", asks), func(t *testing.T) {
				pool := newPool()
				inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if asks {
						arena.FromContext(r.Context())
					}
					c.answer(w, r)
				})
				serve(arenahttp.Handler(pool, allocates(http.TimeoutHandler(inner, time.Hour, ""))), t.Context())
				wantEnd(t, pool, c.want)
			})
			testkit.Run(t, fmt.Sprint(name, ", too late, asks ", asks), func(t *testing.T) {
				late(t, asks, c.answer, 10*time.Millisecond, func() {}, itself, t.Context())
			})
			testkit.Run(t, fmt.Sprint(name, ", client gone, asks ", asks), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				late(t, asks, c.answer, time.Hour, cancel, itself, ctx)
			})
		}
	}
}

// TestTimeoutHandlerWithin: the same holds if middleware around the TimeoutHandler changes its answer, or writes it
// later, as compressing middleware does.
func TestTimeoutHandlerWithin(t *testing.T) {
	for name, between := range map[string]func(http.Handler) http.Handler{
		"changed": func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(changes{w}, r) })
		},
		"buffered":          buffered(func(status int) int { return status }),
		"buffered, changed": buffered(func(int) int { return http.StatusGatewayTimeout }),
	} {
		testkit.Run(t, name, func(t *testing.T) {
			late(t, false, http.NotFound, 10*time.Millisecond, func() {}, between, t.Context())
		})
	}
}

func itself(h http.Handler) http.Handler { return h }

// changes is a ResponseWriter that answers with 504.
type changes struct{ http.ResponseWriter }

func (w changes) WriteHeader(int) { w.ResponseWriter.WriteHeader(http.StatusGatewayTimeout) }

// buffered returns middleware that passes an answer on when the handler has returned, with another status.
func buffered(change func(status int) int) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			buffer := httptest.NewRecorder()
			h.ServeHTTP(buffer, r)
			w.WriteHeader(change(buffer.Code))
			io.Copy(w, buffer.Body)
		})
	}
}

// late has a request end before its handler, which then reads the middleware's text, and answers.
func late(t *testing.T, asks bool, answer http.HandlerFunc, limit time.Duration, end func(),
	between func(http.Handler) http.Handler, ctx context.Context) {
	pool := newPool()
	goOn, ended := make(chan bool), make(chan bool)
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		if asks {
			arena.FromContext(r.Context())
		}
		end()
		<-goOn
		if got := textOf(r); got != "a text of the middleware" {
			t.Errorf("a handler that nobody waits for reads %q", got)
		}
		answer(w, r)
	})
	w := serve(arenahttp.Handler(pool, allocates(between(http.TimeoutHandler(inner, limit, "")))), ctx)
	if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusGatewayTimeout {
		t.Errorf("answered with %d", w.Code)
	}
	others := make([]*arena.Arena, 10)
	for i := range others {
		others[i] = pool.Get()
		others[i].AllocString(strings.Repeat("#", 100))
	}
	for _, a := range others {
		pool.Put(a)
	}
	close(goOn)
	<-ended
	wantEnd(t, pool, "left")
}

// serve returns the answer of a handler, which may panic.
func serve(h http.Handler, ctx context.Context) *httptest.ResponseRecorder {
	defer func() { _ = recover() }()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	return w
}

// wantEnd waits until no arena is live, and checks how that of the first request ended.
func wantEnd(t *testing.T, pool *arena.Pool, want string) {
	t.Helper()
	waitFor(t, "the GC", func() bool { runtime.GC(); return pool.Stats().Live == 0 })
	s := pool.Stats()
	if got := map[[2]int]string{{0, 0}: "put back", {1, 0}: "freed", {0, 1}: "left"}[[2]int{s.Freed, s.Lost}]; got != want {
		t.Errorf("the arena is %q, not %q: %v", got, want, s)
	}
}
