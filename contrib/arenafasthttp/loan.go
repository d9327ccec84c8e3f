package arenafasthttp

import (
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/valyala/fasthttp"
)

// This file reports a request's events in fasthttp to its arenaext.Loan. It must not depend on the answer's contents.
//
//	FromContext ──▶ Get ──▶ handler ──▶ fasthttp: answer written, user values closed ──▶ Detach's done ──▶ Put
//	                           └▶ a timeout: user values never closed, left to the GC       └▶ a panic: Free

// A loan is the state of a request that may have an arena. It is a user value of the request, under
// the key of arena.FromContext. fasthttp closes it when the request is no longer in use.
type loan struct {
	arenaext.Loan
	handler  *handler
	ctx      *fasthttp.RequestCtx
	returned atomic.Bool // the handler has
	detached bool        // Detach was called
}

// loans has ended loans for reuse. fasthttp has dropped its references to them.
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
// goroutine may have the context by then, so handled doesn't access it.
func (l *loan) handled(panics bool) {
	if panics {
		l.Keep()
	}
	l.returned.Store(true)
}

// Close implements io.Closer. fasthttp calls it when the answer was written, or can't be, or when
// the handler of a hijacked connection has returned. A handler that resets its user values closes
// them too, before the end of the request: the arena is then left to the GC.
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

// Detach keeps the arena of a request beyond its end, for work that goes on after the answer: the
// arena isn't put back before done is called, which any goroutine may do. Detach must be called
// before the handler returns. It may be called for several parts of the work: the arena is put back
// when the last one is done. A second call of the same done does nothing.
//
//	done := arenafasthttp.Detach(ctx)
//	go func() {
//		defer done()
//		archive(a, order)
//	}()
//
// The arena is still for one goroutine at a time: the handler must not allocate from it any more.
// As always with fasthttp, work that goes on must not use ctx: get the arena from it before. Outside
// of a [Handler], requests have no arena, and Detach does nothing.
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
