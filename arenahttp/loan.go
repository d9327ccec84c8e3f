package arenahttp

import (
	"context"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file holds the life of a request's arena. It must not depend on what is written to the
// client.
//
//	FromContext ──▶ Get ──▶ handler, and who has called Detach ──▶ Put
//	                                                           ├─▶ Free: values may still be read
//	                                                           └─▶ left to the GC: somebody may still allocate
//
// net/http.TimeoutHandler runs its handler in a goroutine, with a context derived from the
// request's, and doesn't report whether it has waited for it. But it answers 503 if it hasn't, and
// if it hasn't because the client is gone, the request's context has ended. Of other middleware that
// does the same, only the contexts with which the arena is asked for tell: if the handler was left
// behind, its context has run out of time. If it was waited for, its context was cancelled while the
// request's goes on.

// A loan is a request that may have an arena, and its context.
type loan struct {
	context.Context
	handler *handler
	outside *http.Request   // the one that the handler got
	request *http.Request   // the one that next gets
	form    *multipart.Form // that somebody has parsed before

	// What is written, by the goroutine of the request.
	w        http.ResponseWriter
	returned bool // next has returned, and doesn't panic
	wrote    bool // a part of the answer
	hijacked bool
	timedOut bool // by net/http.TimeoutHandler
	unsent   bool // HTTP/2 may still send what a Write was given

	mu       sync.Mutex
	arena    *arena.Arena      // nil until somebody asks
	askers   []context.Context // those by which somebody has asked, and that may end by themselves
	owners   int               // the request, and those who have called Detach
	detached bool              // Detach was called
	left     bool              // somebody may go on allocating: the GC will find when nobody does
	free     bool              // the handler has panicked
	read     bool              // net/http may go on reading
	ended    bool              // owners was 0
	late     bool              // ended, and there was an arena that is others' by now
	header   []string          // strings that net/http may have, from when it was sent or from the end
}

// maxAskers is how many contexts that haven't ended are remembered. With more, the arena is left to
// the GC.
const maxAskers = 256

// loanKey is the key of the loan in its context.
type loanKey struct{}

// Value implements context.Context.
func (l *loan) Value(key any) any {
	switch key {
	case inspect.ContextKey{}, loanKey{}:
		return l
	}
	return l.Context.Value(key)
}

// Lend implements inspect.Lender.
func (l *loan) Lend(asker context.Context) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended && !l.left {
		return (*arena.Arena)(nil)
	}
	if l.arena == nil && !l.ended {
		l.arena = l.get()
	}
	if !l.ended {
		l.note(asker)
	}
	return l.arena
}

// get gets an arena for requests of the same kind.
func (l *loan) get() *arena.Arena {
	if key := l.key(); key != "" {
		return l.handler.pool.GetKeyed(key)
	}
	return l.handler.pool.Get()
}

// key returns the request's method and pattern, as "POST /orders", or "" without a pattern. That is
// known if this very request has passed a ServeMux, or a router that sets it too. A pattern for all
// methods is a kind of work for each: to list orders takes more than to add one. Methods that aren't
// usual are one kind, since clients may send any.
func (l *loan) key() string {
	pattern := l.request.Pattern
	if path := strings.IndexByte(pattern, '/'); path < 0 || strings.Contains(pattern[:path], " ") {
		return pattern
	}
	switch method := l.request.Method; method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method + " " + pattern
	}
	return pattern
}

// note remembers a context with which the arena was asked for, unless it is the request's
// or ends when that does. Detached work reports when it is done, whatever its context.
//
// Contexts are distinguished by their channels. Those that had ended before their channel was first
// asked for all share one, which tells nothing.
func (l *loan) note(asker context.Context) {
	if l.detached {
		return
	}
	if own, ok := asker.(*loan); ok && own == l {
		return
	}
	done := asker.Done()
	select {
	case <-done:
		l.left = l.left || asker.Err() != context.Canceled
		return
	default:
	}
	if done == l.Done() {
		return
	}
	for _, c := range l.askers {
		if c.Done() == done {
			return
		}
	}
	if n := len(l.askers); n >= 16 && n == cap(l.askers) {
		l.askers = slices.DeleteFunc(l.askers, l.waitedFor)
	}
	if len(l.askers) == maxAskers {
		l.left = true
		return
	}
	l.askers = append(l.askers, asker)
}

// waitedFor reports whether the code that asked with a context is done: code that waits for it
// cancels the context. If the request's context has ended all others have too, and nothing is known.
func (l *loan) waitedFor(asker context.Context) bool {
	return asker.Err() == context.Canceled && l.Err() == nil // in this order
}

// leftBehind reports whether code may be running that the handler hasn't waited for.
func (l *loan) leftBehind() bool {
	return l.timedOut || l.Err() != nil ||
		slices.ContainsFunc(l.askers, func(c context.Context) bool { return !l.waitedFor(c) })
}

// end is called when next has returned, or panics.
func (l *loan) end(panics bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.left || l.hijacked || l.leftBehind()
	l.free = panics
	l.read = l.unsent
	if !l.hijacked && l.arena != nil {
		l.settle()
	}
	l.tell()
	l.drop()
}

// settle makes sure that net/http finds the header unchanged.
func (l *loan) settle() {
	alone := !l.left && l.owners == 1 && !l.arena.Freed()
	switch h := l.w.Header(); {
	case !l.wrote && alone:
		settleHeader(h, l.arena)
	case !l.wrote:
		settleHeader(h, nil)
	case alone:
		l.read = l.read || ownsAny(l.arena, texts(h))
	case !l.left:
		l.header = slices.AppendSeq(l.header, texts(h))
	}
}

// keepHeader remembers what is in a header that is about to be sent. Whether it is in the arena is
// checked at the end, when nothing else uses the arena.
func (l *loan) keepHeader(h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arena != nil {
		l.header = slices.AppendSeq(l.header, texts(h))
	}
}

// drop removes one of the owners. With the last one the arena ends.
func (l *loan) drop() {
	if l.owners--; l.owners > 0 {
		return
	}
	l.ended = true
	l.removeFiles()
	a := l.arena
	switch {
	case l.left: // who has the context still finds it there
		if a != nil {
			inspect.Abandon(a)
		}
		return
	case a == nil || a.Freed(): // by the handler, which may
	case l.read || ownsAny(a, slices.Values(l.header)):
		if !inspect.Scrubs(a) { // which is to erase what is read
			a.Free()
		}
	case l.free:
		a.Free()
	default:
		l.handler.pool.Put(a)
	}
	l.late = a != nil
	l.arena, l.header = nil, nil
}

// Detach keeps the arena of a request beyond the handler's return, for work that goes on after the
// answer: it is put back when done has been called too, which any goroutine may do. Detach must be
// called before the handler returns, and panics afterwards, if the arena has gone. It may be called
// for several parts of the work: the arena is put back when the last one is done. A second call of
// the same done does nothing.
//
//	done := arenahttp.Detach(r)
//	go func() {
//		defer done()
//		archive(a, order)
//	}()
//
// The arena is still for one goroutine at a time: the handler must not allocate from it any more.
// Its context ends with the handler; use [context.WithoutCancel] for work that goes on. A request
// without an arena, since there is no [Handler] around, needs none of this, and Detach does
// nothing.
func Detach(r *http.Request) (done func()) {
	l, _ := r.Context().Value(loanKey{}).(*loan)
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.late:
		panic("arenahttp: Detach: the handler has returned, and the request's arena was put back; call Detach before")
	case l.ended: // it is nobody else's
		return func() {}
	}
	l.note(r.Context())
	l.detached = true
	l.owners++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.drop()
	})
}
