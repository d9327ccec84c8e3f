package arenatest

import (
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// This file holds options and functions for tests beyond the arenas.

// strict is the option of Strict. The arena gets the inner option, which changes nothing.
type strict struct{ arena.Option }

// Strict turns notes into errors: references found right after the memory was reclaimed, which may be dropped before
// they are used. It is an option for [New], [NewPool] and [NewShared], for code that clears its references before it
// gives an arena back.
func Strict() arena.Option { return strict{arena.WithChecks(arena.CheckObjects)} }

// noLooks is the option of NoLooks, in the same way.
type noLooks struct{ arena.Option }

// NoLooks leaves out the looks for references right after memory was reclaimed; the one at the end of the test stays.
// Each look runs the garbage collector, which empties the program's sync.Pools. So a test whose code leaves memory of
// an arena in one, such as the buffer of an encoder, uses it again only without looks: then it is found. It is an
// option for [New], [NewPool] and [NewShared].
func NoLooks() arena.Option { return noLooks{arena.WithChecks(arena.CheckObjects)} }

// Hold keeps the values alive until the arenas of tb have been checked at its end: the server, the cache, or anything
// else under test that could hold values of an arena. Otherwise the test's variables may be gone at its end, and with
// them the references.
//
//	s := newServer(arenatest.NewPool(t))
//	arenatest.Hold(t, s)
//
// The values should outlive arenas, as servers and caches do, and may have arenas of their own. Don't hold an object
// that ends together with its arena, such as a tree with its nodes: when tb ends the arena ends first, and the tree's
// references are reported. References from a sync.Pool alone aren't found, since the collector empties it; see
// [NoLooks].
//
// It may be called before or after New, NewPool and NewShared, and by several goroutines.
func Hold(tb testing.TB, values ...any) {
	tb.Helper()
	held.Lock()
	defer held.Unlock()
	if held.by == nil {
		held.by = map[string][]any{}
	}
	name := tb.Name()
	if held.by[name] == nil && len(recordsOf(tb)) == 0 {
		newRecord(tb) // whose cleanup, the last of all, releases them
	}
	held.by[name] = append(held.by[name], values...)
}

// held has the values given to Hold, by the names of tests.
var held struct {
	sync.Mutex
	by map[string][]any
}

// release ends the Hold of a test.
func release(name string) {
	held.Lock()
	defer held.Unlock()
	delete(held.by, name)
}
