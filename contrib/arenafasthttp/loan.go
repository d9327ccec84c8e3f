package arenafasthttp

import (
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/valyala/fasthttp"
)

// This file reports to the arenaext.Loan of a request what fasthttp does with the request. It must not depend on what
// is written to the client.
//
//	FromContext ──▶ Get ──▶ handler ──▶ fasthttp: answer written, user values closed ──▶ Detach's done ──▶ Put
//	                           └▶ a timeout: user values never closed, left to the GC       └▶ a panic: Free

// A loan is a request that may have an arena. It is a user value of the request, under the key that
// arena.FromContext uses. fasthttp closes it when nothing of the request is in use any more.
type loan struct {
	arenaext.Loan
	handler  *handler
	ctx      *fasthttp.RequestCtx
	returned atomic.Bool // the handler has
	detached bool        // Detach was called
}

// loans has ended loans for reuse. Nothing refers to them, as fasthttp has dropped the user
// value.
var loans = sync.Pool{New: func() any { return new(loan) }}

func newLoan(h *handler, ctx *fasthttp.RequestCtx) *loan {
	l := loans.Get().(*loan)
	l.handler, l.ctx = h, ctx
	l.Start(h.pool, l)
	return l
}

// loanOf returns the loan of a request, or nil.
func loanOf(ctx *fasthttp.RequestCtx) *loan {
	l, _ := ctx.UserValue(arenaext.ContextKey{}).(*loan)
	return l
}

// Key implements arenaext.Request.
func (l *loan) Key() string {
	if l.handler.key == nil {
		return ""
	}
	return l.handler.key(l.ctx)
}

// Settle implements arenaext.Request: fasthttp has sent everything.
func (l *loan) Settle(*arena.Arena) bool { return false }

// handled is called when the handler has returned, or panics. With fasthttp.TimeoutHandler another
// goroutine may have the context by then, so this doesn't look at it.
func (l *loan) handled(panics bool) {
	if panics {
		l.Keep()
	}
	l.returned.Store(true)
}

// Close implements io.Closer. fasthttp calls it when the answer was written, or can't be, or when
// the handler of a hijacked connection has returned. A Close because a handler resets its user
// values is not the end of the request: the arena is then left to the GC.
func (l *loan) Close() error {
	if !l.returned.Load() || l.ctx.LastTimeoutErrorResponse() != nil {
		l.Abandon()
		return nil
	}
	l.End()
	if !l.detached {
		*l = loan{}
		loans.Put(l)
	}
	return nil
}

// Detach keeps the arena of a request beyond its end, for work that goes on after the answer: it is
// put back when done has been called too, which any goroutine may do. Detach must be called before
// the handler returns. It may be called for several parts of the work: the arena is put back when
// the last one is done. A second call of the same done does nothing.
//
//	done := arenafasthttp.Detach(ctx)
//	go func() {
//		defer done()
//		archive(a, order)
//	}()
//
// The arena is still for one goroutine at a time: the handler must not allocate from it any more.
// As always with fasthttp, work that goes on must not use ctx: get the arena from it before. A
// request without an arena, since there is no [Handler] around, needs none of this, and Detach does
// nothing.
func Detach(ctx *fasthttp.RequestCtx) (done func()) {
	l := loanOf(ctx)
	if l == nil {
		return func() {}
	}
	l.detached = true
	if done = l.Loan.Detach(); done == nil {
		panic("arenafasthttp: Detach: the request has ended; call Detach before the handler returns")
	}
	return done
}
