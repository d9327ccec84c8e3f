package arena

import "context"

// This file holds the way of an arena through a context. It may not know what is allocated.

// contextKey is the key of the arena in a context.
type contextKey struct{}

// NewContext returns a context with an arena, for functions that are given a
// context alone. The context must not be used for longer than the arena: who
// allocates from an arena that was freed, or put back into its pool, panics.
// Mind goroutines that go on when the function that has the arena returns,
// such as a handler's behind [net/http.TimeoutHandler].
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// FromContext returns the arena that NewContext put into ctx. It returns nil if
// there is none, which is the Go heap: all allocating functions work with it.
// The arena still belongs to one goroutine at a time, however many have the
// context.
func FromContext(ctx context.Context) *Arena {
	a, _ := ctx.Value(contextKey{}).(*Arena)
	return a
}
