package arenaext

import "github.com/harena-go/arena/internal/diagnose/inspect"

// ContextKey is the key under which [arena.FromContext] looks for the arena: a *arena.Arena. It is for contexts of your
// own type, such as those of web frameworks; others use [arena.NewContext].
type ContextKey = inspect.ContextKey
