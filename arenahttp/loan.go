package arenahttp

import (
	"context"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// This file reports the actions of net/http and the handler to the arenaext.Loan of a request. It must not depend on
// what is written to the client.
//
//	FromContext ──▶ Get ──▶ handler, and callers of Detach ──▶ Put
//	                                                       ├─▶ Free: values may still be read
//	                                                       └─▶ left to the GC: other code may still allocate

// A loan is a request that may have an arena, and its context.
type loan struct {
	context.Context
	life    arenaext.Loan
	handler *handler
	outside *http.Request   // the handler's own
	request *http.Request   // the copy for next
	form    *multipart.Form // parsed before the handler

	// State of the answer, set by the goroutine of the request.
	w        http.ResponseWriter
	returned bool // next has returned, and doesn't panic
	wrote    bool // a part of the answer
	hijacked bool
	timedOut bool // by net/http.TimeoutHandler
	read     bool // net/http, or a handler that was left behind, may go on reading values in the arena

	mu       sync.Mutex // locked before that of the Loan, whose calls of Settle don't lock it
	askers   askers
	arena    *arena.Arena // until next returns; nil until it is requested
	detached bool         // Detach was called
	over     bool         // next has returned, or panics
	left     bool         // other code may go on allocating: the GC finds when it is done
	header   []string     // strings that net/http may have, since it was sent or since the end
}

// loanKey is the key of the loan in its context.
type loanKey struct{}

// Value implements context.Context.
func (l *loan) Value(key any) any {
	switch key {
	case arenaext.ContextKey{}, loanKey{}:
		return l
	}
	return l.Context.Value(key)
}

// Lend gets the arena for arena.FromContext, for requests of the same kind, and records the context.
func (l *loan) Lend(asker context.Context) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.life.Arena()
	if !l.over {
		l.arena = a
		l.note(asker)
	}
	return a
}

// Key implements arenaext.Request. It returns the request's method and pattern, as "POST /orders", or "" without a
// pattern. The pattern is known if this very request has passed a ServeMux, or a router that sets it too. A pattern
// for all methods is a kind of work for each: listing orders takes more than adding one. Unusual methods are one
// kind, since clients may send any.
func (l *loan) Key() string {
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

// note remembers a context with which the arena was requested. Detached work reports its end, so its context doesn't
// matter.
func (l *loan) note(asker context.Context) {
	if own, ok := asker.(*loan); l.detached || l.left || ok && own == l {
		return
	}
	if l.left = !l.askers.add(asker, l.Context); l.left {
		l.life.Abandon()
	}
}

// end is called when next has returned, or panics.
func (l *loan) end(panics bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.left || l.hijacked || l.timedOut || l.Err() != nil || l.askers.leftBehind(l.Context)
	if l.left {
		l.life.Abandon()
	}
	if panics {
		l.life.Keep()
	}
	if !l.hijacked && l.arena != nil {
		l.settle()
	}
	l.arena, l.over = nil, true
	l.tell()
	l.life.End()
}

// settle ensures that net/http finds the header unchanged.
func (l *loan) settle() {
	alone := !l.left && !l.detached && !l.arena.Freed()
	switch h := l.w.Header(); {
	case !l.wrote && alone:
		settleHeader(h, l.arena)
	case !l.wrote:
		settleHeader(h, nil)
	case alone:
		l.read = l.read || arenaext.OwnsHeader(l.arena, h)
	case !l.left:
		l.header = slices.AppendSeq(l.header, texts(h))
	}
}

// keepHeader remembers the strings of a header that is about to be sent. The check whether they are in the arena is
// at the end, when nothing else uses the arena.
func (l *loan) keepHeader(h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arena != nil {
		l.header = slices.AppendSeq(l.header, texts(h))
	}
}

// Settle implements arenaext.Request.
func (l *loan) Settle(a *arena.Arena) bool {
	l.removeFiles()
	return a != nil && (l.read || slices.ContainsFunc(l.header, func(s string) bool { return owns(a, s) }))
}

// Detach keeps the arena of a request beyond the handler's return, for work that goes on after the
// answer: it is put back after done was called too, by any goroutine. Detach must be called before
// the handler returns, and panics afterwards, if the arena has gone. It may be called for several
// parts of the work: the arena is put back after the last one is done. A second call of the same
// done does nothing.
//
//	done := arenahttp.Detach(r)
//	go func() {
//		defer done()
//		archive(a, order)
//	}()
//
// The arena is still for one goroutine at a time: the handler must not allocate from it any more.
// Its context ends with the handler; use [context.WithoutCancel] for work that goes on. A request
// without an arena, outside of a [Handler], needs none of this, and Detach does nothing.
func Detach(r *http.Request) (done func()) {
	l, _ := r.Context().Value(loanKey{}).(*loan)
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	done = l.life.Detach()
	if done == nil {
		panic("arenahttp: Detach: the handler has returned, and the request's arena was put back; call Detach before")
	}
	l.note(r.Context())
	l.detached = true
	return done
}
