// Package copied copies arenas, which go vet must notice.
package copied

import "github.com/harena-go/arena"

func assign(a *arena.Arena) {
	b := *a
	b.Reset()
}

func pass(a arena.Arena) { a.Reset() }
