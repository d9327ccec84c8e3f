package arenaconnect

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"unsafe"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// This file holds the life of an RPC's arena. It must not depend on messages.
//
//	Middleware ──▶ open: arena ──▶ decode ... handler ──▶ leave ──▶ reply written ──▶ release
//	release ──▶ Put
//	        ├─▶ Free if something refers to it
//	        ├─▶ the handler still runs: Free in leave
//	        └─▶ left to the GC: a handler may still allocate
//
// http.TimeoutHandler, and other middleware between Middleware and the handler, may answer before
// the handler does: leave is called when it has returned. Interceptors inside ours may answer early
// too, and then nothing tells when the handler returns; but they can answer only with an error.

// A lease is the arena of an RPC, and the context that its handler gets.
//
// Invariant: arena is nil before open, and from release or leave on, whichever is later, so that a
// goroutine that outlives the RPC finds the Go heap in its context.
type lease struct {
	context.Context
	server    *server
	procedure string
	arena     atomic.Pointer[arena.Arena]
	keep      atomic.Bool // Keep was called

	mu      sync.Mutex      // held while the arena is decoded to, and where it changes
	inner   context.Context // of the RPC, derived from the lease by what is between
	running int             // calls of open without leave
	ended   bool            // the RPC has; the last leave frees the arena
	unsure  bool            // an interceptor may have the arena, to read it
	left    bool            // a handler may have it, to allocate from it
}

// leaseKey is the key of the lease in its context.
type leaseKey struct{}

// Value returns the arena for arena.FromContext.
func (l *lease) Value(key any) any {
	switch key {
	case arenaext.ContextKey{}:
		return l.arena.Load()
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

// open gets the arena, unless the RPC has ended.
func (l *lease) open(ctx context.Context, s *server, procedure string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inner, l.server, l.procedure = ctx, s, procedure
	if l.running++; !l.ended && l.arena.Load() == nil {
		l.arena.Store(s.pool.GetKeyed(procedure))
	}
}

// leave is called when a handler has returned, or panics. If there were interceptors around it
// (alone is false) and they returned an error, one of them may not have waited for it.
func (l *lease) leave(alone, panics bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsure = l.unsure || panics || !alone && err != nil
	l.left = l.left || !alone && (l.inner.Err() != nil || err != nil && isTimeout(err))
	if l.running--; l.running > 0 || !l.ended {
		return
	}
	if a := l.arena.Swap(nil); a != nil && !l.left {
		a.Free()
	}
}

// isTimeout reports whether an error is one that interceptors return when they wait no longer.
func isTimeout(err error) bool {
	code := connect.CodeOf(err)
	return code == connect.CodeDeadlineExceeded || code == connect.CodeCanceled ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// decode decodes a received message into the arena, or onto the heap after release.
func (l *lease) decode(v any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return decode(l.arena.Load(), v)
}

// release ends the RPC: its arena goes back to the pool, unless it is in use or one of these
// headers refers to it.
func (l *lease) release(headers ...http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = true; l.running > 0 {
		return
	}
	a := l.arena.Swap(nil)
	switch {
	case a == nil || l.left:
	case l.unsure || l.keep.Load() || l.timedOut() || refer(a, headers):
		a.Free()
	default:
		l.server.put(a)
	}
}

// timedOut reports whether middleware in between may not have waited for the reply to be written.
// If it has waited, it has cancelled its context.
func (l *lease) timedOut() bool {
	return l.Err() != nil || errors.Is(l.inner.Err(), context.DeadlineExceeded)
}

// refer reports whether strings in the arena are to be sent in headers, which net/http reads when
// the handler has returned.
func refer(a *arena.Arena, headers []http.Header) bool {
	if a.UsedBytes() == 0 {
		return false
	}
	for _, h := range headers {
		for k, values := range h {
			if owns(a, k) {
				return true
			}
			for _, v := range values {
				if owns(a, v) {
					return true
				}
			}
		}
	}
	return false
}

// owns reports whether a string lies in the arena. The pointer is only compared.
func owns(a *arena.Arena, s string) bool {
	return a.Owns(unsafe.Pointer(unsafe.StringData(s)))
}

// Keep lets messages of the context's RPC outlive it: its arena is then freed, not put back, so
// that they stay valid for as long as something points to them. If each message of a stream has the
// arena to itself, Keep applies to the last one received, and arena.FromContext returns another
// arena from the next one on. Keep costs the next RPC a new arena.
// [github.com/harena-go/arena/contrib/arenaproto.Clone] is better for a small part, and the only
// way with arena.WithScrub, which erases what is freed. Keep does nothing and returns false if the
// RPC has no arena or has ended. Any goroutine may call it.
func Keep(ctx context.Context) bool {
	l := leaseOf(ctx)
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.arena.Load() == nil {
		return false
	}
	l.keep.Store(true)
	return true
}

// Middleware returns a handler that serves handlers made with [HandlerOptions], and any others: it
// puts the arena of each RPC back when next has answered.
func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := &lease{Context: r.Context()}
		ended := false
		defer func() {
			if !ended { // a panic, and nobody knows who still has what
				l.keep.Store(true)
			}
			l.release(w.Header())
		}()
		next.ServeHTTP(w, r.WithContext(l))
		ended = true
	})
}
