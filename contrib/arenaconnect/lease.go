package arenaconnect

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// This file reports an RPC's events to its arenaext.Loan. It must not depend on messages.
//
//	Middleware ──▶ open: arena ──▶ decode ... handler ──▶ leave ──▶ reply written ──▶ release
//	release ──▶ Put
//	        ├─▶ Free if something refers to it
//	        ├─▶ the handler still runs: Free in leave
//	        └─▶ left to the GC: a handler may still allocate
//
// http.TimeoutHandler, and other middleware between Middleware and the handler, may answer before
// the handler does: leave is called when the handler has returned. Interceptors inside ours may
// answer early too, but only with an error; then the handler's return isn't seen.

// A lease is the arena of an RPC, and the context of its handler. Before open, and when the RPC and its handlers have
// ended, the context has no arena, which means the Go heap.
type lease struct {
	context.Context
	loan arenaext.Loan

	mu        sync.Mutex
	procedure string          // "" before open
	inner     context.Context // of the RPC, derived from the lease by other middleware
	headers   []http.Header   // that net/http will send; nil after release
}

// leaseKey is the key of the lease in its context.
type leaseKey struct{}

// Value returns the arena for arena.FromContext.
func (l *lease) Value(key any) any {
	switch key {
	case arenaext.ContextKey{}:
		return l.loan.Arena()
	case leaseKey{}:
		return l
	}
	return l.Context.Value(key)
}

// leaseOf returns the lease of an RPC, or nil if it isn't served through Middleware.
func leaseOf(ctx context.Context) *lease {
	l, _ := ctx.Value(leaseKey{}).(*lease)
	return l
}

// Key implements arenaext.Request.
func (l *lease) Key() string { return l.procedure }

// open is called when a handler begins. The handler may use an arena, unless the RPC has ended.
func (l *lease) open(ctx context.Context, s *server, procedure string) {
	l.mu.Lock()
	first := l.procedure == ""
	if l.inner = ctx; first {
		l.procedure = procedure
	}
	l.mu.Unlock() // before the loan's is locked: Settle locks them in the other order
	if first {
		l.loan.Start(s.pool, l)
	}
	l.loan.Enter()
}

// leave is called when a handler has returned, or panics. alone means that there are no interceptors
// around the handler. If there are and they return an error, one may not have waited for it.
func (l *lease) leave(alone, panics bool, err error) {
	if !alone && (l.context().Err() != nil || err != nil && isTimeout(err)) {
		l.loan.Abandon()
	}
	if panics || !alone && err != nil {
		l.loan.Keep()
	}
	l.loan.Leave()
}

// context returns the context of the RPC.
func (l *lease) context() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.inner, l.Context)
}

// isTimeout reports whether interceptors return this error when they stop waiting.
func isTimeout(err error) bool {
	code := connect.CodeOf(err)
	return code == connect.CodeDeadlineExceeded || code == connect.CodeCanceled ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// decode decodes a received message into the arena, or onto the heap after release.
func (l *lease) decode(v any) (err error) {
	l.loan.Use(func(a *arena.Arena) { err = decode(a, v) })
	return err
}

// send records headers that net/http reads when the handler has returned.
func (l *lease) send(headers ...http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.headers = append(l.headers, headers...)
}

// release ends the RPC. If the deadline of middleware in between has passed, it may not have waited
// for the reply to be written. Middleware that has waited has cancelled its context instead.
func (l *lease) release(panics bool) {
	if panics || l.Err() != nil || errors.Is(l.context().Err(), context.DeadlineExceeded) {
		l.loan.Keep()
	}
	l.loan.End()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.headers = nil
}

// Settle implements arenaext.Request: it reports whether strings in the arena are to be sent in
// headers.
func (l *lease) Settle(a *arena.Arena) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.headers, func(h http.Header) bool { return arenaext.OwnsHeader(a, h) })
}

// Keep lets messages of the context's RPC outlive it: its arena is then freed, not put back, so
// that they stay valid for as long as something points to them. If each message of a stream has the
// arena to itself, Keep applies to the last one received, and arena.FromContext returns another
// arena from the next one on. Keep costs the next RPC a new arena.
// [github.com/harena-go/arena/contrib/arenaproto.Clone] is better for a small part, and the only
// way with arena.WithScrub, which erases freed memory. Keep does nothing and returns false if the
// RPC has no arena or has ended. Any goroutine may call it.
func Keep(ctx context.Context) bool {
	l := leaseOf(ctx)
	return l != nil && l.loan.Keep()
}

// Middleware returns a handler that calls next, for handlers made with [HandlerOptions] and any
// others. It puts the arena of each RPC back when next has answered.
func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &lease{Context: r.Context(), headers: []http.Header{w.Header()}}
		panics := true // the arena may still be in use then
		defer func() { l.release(panics) }()
		next.ServeHTTP(w, r.WithContext(l))
		panics = false
	})
}
