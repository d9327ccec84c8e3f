package arenafasthttp

import (
	"errors"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/valyala/fasthttp"
)

// This file wraps a handler. It must not depend on when an arena is put back (see loan.go), or on
// how streams end (see stream.go).

// handler is the state of a Handler.
type handler struct {
	pool    *arena.Pool
	next    fasthttp.RequestHandler
	key     func(*fasthttp.RequestCtx) string
	onLimit func(*fasthttp.RequestCtx, *arena.LimitError)
}

// An Option changes what [Handler] does.
type Option func(*handler)

// Key sets the key of a request for [arena.Pool.GetKeyed]. It should be the method and the router's
// route, not the path: there may be any number of paths, and listing orders takes more memory than
// adding one. f is called when the arena is first used. By default all requests have the same key.
func Key(f func(ctx *fasthttp.RequestCtx) string) Option {
	return func(h *handler) { h.key = f }
}

// OnLimit sets the function that answers a request whose handler has panicked with a
// *arena.LimitError. The unfinished answer is in ctx.Response, and none of it was sent. The default
// answers with 503 (Service Unavailable) and Retry-After for the limit of all requests together,
// since the request will fit when others are done. Otherwise it answers with 413 (Request Entity
// Too Large).
func OnLimit(f func(ctx *fasthttp.RequestCtx, e *arena.LimitError)) Option {
	return func(h *handler) {
		if h.onLimit = f; f == nil {
			h.onLimit = answerLimit
		}
	}
}

// Handler returns a handler that calls next, for which arena.FromContext(ctx) is an arena from the
// pool; the package's documentation says when it is put back. A nil pool means the Go heap. Within
// another Handler it does nothing: the arena is that of the outer one.
//
// Panics are passed on with their original stack, except for a *arena.LimitError: see [OnLimit].
func Handler(pool *arena.Pool, next fasthttp.RequestHandler, opts ...Option) fasthttp.RequestHandler {
	h := &handler{pool: pool, next: next, onLimit: answerLimit}
	for _, o := range opts {
		o(h)
	}
	return h.serve
}

func (h *handler) serve(ctx *fasthttp.RequestCtx) {
	if loanOf(ctx) != nil {
		h.next(ctx)
		return
	}
	l := newLoan(h, ctx)
	ctx.SetUserValue(arenaext.ContextKey{}, l)
	returned := false
	defer h.handled(ctx, l, &returned)
	h.next(ctx)
	returned = true
}

// handled is deferred: it runs when next has returned or panics. It doesn't access ctx after a
// return, since ctx may belong to others after a timeout.
func (h *handler) handled(ctx *fasthttp.RequestCtx, l *loan, returned *bool) {
	if *returned {
		l.handled(false)
		return
	}
	v := recover()
	l.handled(true)
	err, _ := v.(error)
	if e, ok := errors.AsType[*arena.LimitError](err); ok {
		h.onLimit(ctx, e)
	} else if v != nil { // nil: runtime.Goexit
		panic(v)
	}
}

// answerLimit is the default for OnLimit.
func answerLimit(ctx *fasthttp.RequestCtx, e *arena.LimitError) {
	if e.Total {
		ctx.Error("the server has no memory left; try again", fasthttp.StatusServiceUnavailable)
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "1")
		return
	}
	ctx.Error("the request needs too much memory; send less at a time", fasthttp.StatusRequestEntityTooLarge)
}
