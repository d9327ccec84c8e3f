package arena

import (
	"context"

	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file holds the way of an arena through a context. It may not know what is allocated.

// NewContext returns a context with an arena, for functions that are given a
// context alone. The context must not be used for longer than the arena: who
// allocates from an arena that was freed, or put back into its pool, panics.
// Mind goroutines that go on when the function that has the arena returns,
// such as a handler's behind [net/http.TimeoutHandler]; package
// [github.com/harena-go/arena/arenahttp] minds them.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, inspect.ContextKey{}, a)
}

// FromContext returns the arena that NewContext put into ctx. It returns nil if
// there is none, which is the Go heap: all allocating functions work with it.
// The arena still belongs to one goroutine at a time, however many have the
// context.
func FromContext(ctx context.Context) *Arena {
	switch v := ctx.Value(inspect.ContextKey{}).(type) {
	case *Arena:
		return v
	case inspect.Lender:
		return v.Lend(ctx).(*Arena)
	}
	return nil
}
