package arenahttp

import (
	"errors"
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file wraps a handler: it holds the order of steps at a request's beginning and end. It must
// not depend on the reasons for not putting an arena back (see loan.go), or on the abilities of a
// ResponseWriter besides writing (see writer.go).

// handler is the http.Handler that Handler returns.
type handler struct {
	pool    *arena.Pool
	next    http.Handler
	maxBody int64
	onLimit func(http.ResponseWriter, *http.Request, *arena.LimitError)
}

// An Option changes the behavior of [Handler].
type Option func(*handler)

// DefaultMaxBody is the most bytes that [ReadBody] reads, unless [MaxBody] sets another limit: 10
// MiB.
const DefaultMaxBody = 10 << 20

// MaxBody sets the most bytes that [ReadBody] reads. It panics if bytes is negative.
func MaxBody(bytes int64) Option {
	if bytes < 0 {
		panic("arenahttp: MaxBody: the number of bytes is negative")
	}
	return func(h *handler) { h.maxBody = bytes }
}

// OnLimit sets the function that answers a request whose handler has panicked with a
// *arena.LimitError before it has written anything. The arena is no longer in the context of r. The
// default is [Error]: it answers with 503 (Service Unavailable) and Retry-After if the limit is
// that of all requests together, since the request will fit when others are done, and otherwise
// with 413 (Request Entity Too Large).
func OnLimit(f func(w http.ResponseWriter, r *http.Request, e *arena.LimitError)) Option {
	return func(h *handler) {
		if h.onLimit = f; f == nil {
			h.onLimit = answerLimit
		}
	}
}

// Handler returns a handler that calls next, for which arena.FromContext(r.Context()) is an arena
// from the pool; see the package's documentation for when it goes back. A nil pool means the Go
// heap.
//
// Panics are passed on with their original stack, except for a *arena.LimitError: see [OnLimit].
//
// The http.ResponseWriter of next is an http.Flusher, http.Hijacker, http.Pusher or io.ReaderFrom
// if the handler's own is, and works with [http.ResponseController].
func Handler(pool *arena.Pool, next http.Handler, opts ...Option) http.Handler {
	h := &handler{pool: pool, next: next, maxBody: DefaultMaxBody, onLimit: answerLimit}
	for _, o := range opts {
		o(h)
	}
	return h
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := &loan{Context: r.Context(), handler: h, w: w, outside: r, form: r.MultipartForm}
	l.life.Start(h.pool, l)
	l.request = r.WithContext(l)
	defer l.handled()
	inspect.CatchFaults()
	h.next.ServeHTTP(l.writer(), l.request)
	l.returned = true
}

// handled is deferred: it runs when next has returned or panics.
func (l *loan) handled() {
	if l.returned {
		l.end(false)
		return
	}
	v := recover()
	l.end(true)
	err, _ := v.(error)
	e, ok := errors.AsType[*arena.LimitError](err)
	switch {
	case v == nil: // runtime.Goexit
	case !ok || l.hijacked:
		panic(inspect.ReportFault(v))
	case l.wrote:
		panic(http.ErrAbortHandler)
	default:
		l.handler.onLimit(l.w, l.outside, e)
	}
}

// answerLimit is the default of OnLimit.
func answerLimit(w http.ResponseWriter, r *http.Request, e *arena.LimitError) { Error(w, r, e) }
