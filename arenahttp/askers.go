package arenahttp

import (
	"context"
	"slices"
)

// This file finds handlers that were left behind, by the contexts with which they requested the arena. It must not
// depend on arenas.
//
// net/http.TimeoutHandler runs its handler in a goroutine, with a context derived from the request's, and doesn't
// report whether it has waited for it. But if it hasn't waited it answers 503, or the client is gone and the
// request's context has ended. For other middleware that does the same, only the contexts with which the arena was
// requested show it. If the handler was left behind, its context has run out of time. If it was waited for, its
// context was cancelled while the request's goes on.

// askers are the contexts with which code has requested the arena, and that may end by themselves.
type askers []context.Context

// maxAskers is the most live contexts that are remembered.
const maxAskers = 256

// add remembers a context, unless it ends with the request's. It returns false if the requesting code was left
// behind, or if there are too many contexts to decide that.
//
// Contexts are distinguished by their channels. All contexts that ended before the first call of Done share one
// channel, which can't distinguish them.
func (s *askers) add(asker, request context.Context) bool {
	done := asker.Done()
	select {
	case <-done:
		return asker.Err() == context.Canceled
	default:
	}
	if done == request.Done() || slices.ContainsFunc(*s, func(c context.Context) bool { return c.Done() == done }) {
		return true
	}
	if n := len(*s); n >= 16 && n == cap(*s) {
		*s = slices.DeleteFunc(*s, func(c context.Context) bool { return waitedFor(c, request) })
	}
	if len(*s) == maxAskers {
		return false
	}
	*s = append(*s, asker)
	return true
}

// leftBehind reports whether code may be running that the handler hasn't waited for.
func (s askers) leftBehind(request context.Context) bool {
	return slices.ContainsFunc(s, func(c context.Context) bool { return !waitedFor(c, request) })
}

// waitedFor reports whether the code that requested the arena with a context is done: code that waits for it cancels
// the context. If the request's context has ended all others have too, and show nothing.
func waitedFor(asker, request context.Context) bool {
	return asker.Err() == context.Canceled && request.Err() == nil // in this order
}
