package arenaext

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// ContextKey is the key under which [arena.FromContext] looks for the arena: a *arena.Arena, or a [Loan].
// It is for contexts of your own type, such as those of web frameworks; others use [arena.NewContext].
type ContextKey = inspect.ContextKey

// OwnsHeader reports whether a string of a header is in the arena or in a child of it. Memory of a header that is sent
// later must not be reused.
func OwnsHeader(a *arena.Arena, header map[string][]string) bool {
	owns := func(s string) bool { return inspect.Arenas.Owns(a, unsafe.Pointer(unsafe.StringData(s))) } // only compared
	for key, values := range header {
		if owns(key) {
			return true
		}
		for _, v := range values {
			if owns(v) {
				return true
			}
		}
	}
	return false
}
