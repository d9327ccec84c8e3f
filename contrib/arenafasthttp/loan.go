package arenafasthttp

import (
	"context"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/valyala/fasthttp"
)

// This file holds the life of a request's arena. It must not depend on what is written to the
// client.
//
//	FromContext ──▶ Get ──▶ handler ──▶ fasthttp: answer written, user values closed ──▶ Detach's done ──▶ Put
//	                           └▶ a timeout: user values never closed, left to the GC       └▶ a panic: Free

// A loan is a request that may have an arena. It is a user value of the request, under the key that
// arena.FromContext uses. fasthttp closes it when nothing of the request is in use any more.
type loan struct {
	handler *handler
	ctx     *fasthttp.RequestCtx

	mu       sync.Mutex
	arena    *arena.Arena // nil until somebody asks
	returned bool         // the handler has
	closed   bool         // Close was called since
	detached bool         // Detach was called
	owners   int          // those who have called Detach and aren't done
	free     bool         // the handler has panicked
}

// loans has ended loans for reuse. Nothing refers to them, as fasthttp has dropped the user
// value.
var loans = sync.Pool{New: func() any { return new(loan) }}

func newLoan(h *handler, ctx *fasthttp.RequestCtx) *loan {
	l := loans.Get().(*loan)
	l.handler, l.ctx = h, ctx
	return l
}

// loanOf returns the loan of a request, or nil.
func loanOf(ctx *fasthttp.RequestCtx) *loan {
	l, _ := ctx.UserValue(arenaext.ContextKey{}).(*loan)
	return l
}

// Lend is called by arena.FromContext.
func (l *loan) Lend(context.Context) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arena == nil && !l.returned {
		l.arena = l.get()
	}
	return l.arena
}

func (l *loan) get() *arena.Arena {
	if l.handler.key == nil {
		return l.handler.pool.Get()
	}
	return l.handler.pool.GetKeyed(l.handler.key(l.ctx))
}

// handled is called when the handler has returned, or panics. With fasthttp.TimeoutHandler another
// goroutine may have the context by then, so this doesn't look at it.
func (l *loan) handled(panics bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.returned, l.free = true, panics
}

// Close implements io.Closer. fasthttp calls it when the answer was written, or can't be, or when
// the handler of a hijacked connection has returned. A Close because a handler resets its user
// values is not the end of the request: the arena is then left to the GC.
func (l *loan) Close() error {
	l.mu.Lock()
	over := l.returned && !l.closed && l.ctx.LastTimeoutErrorResponse() == nil
	if over {
		l.closed = true
		l.drop()
	}
	again := over && !l.detached
	l.mu.Unlock()
	if again {
		*l = loan{}
		loans.Put(l)
	}
	return nil
}

// drop puts the arena back if nothing uses it.
func (l *loan) drop() {
	a := l.arena
	switch {
	case !l.closed || l.owners > 0:
		return
	case a.Freed(): // by the handler, which may
	case l.free:
		a.Free()
	default:
		l.handler.pool.Put(a)
	}
	l.arena = nil
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detached = true
	l.owners++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.owners--
		l.drop()
	})
}
