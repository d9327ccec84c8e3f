package arenatest

import (
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// This file holds what a test may ask for beyond the arenas.

// strict is the option of Strict. The arena gets the inner one, which says what is the case anyhow.
type strict struct{ arena.Option }

// Strict makes errors of what is notes without it: values to which something still refers when
// their memory has just been reclaimed, though it may be dropped before it is used. It is an option
// for [New], [NewPool] and [NewShared], for code that clears what it holds before it gives an arena
// back.
func Strict() arena.Option { return strict{arena.WithChecks(arena.CheckObjects)} }

// Hold keeps the values alive until the arenas of tb have been looked at, at its end: the
// server, the cache, whatever the test is about, which could hold on to values of an arena. A test that
// holds nothing may end when its variables are gone, and then nobody can tell what was in them.
//
//	s := newServer(arenatest.NewPool(t))
//	arenatest.Hold(t, s)
//
// What it is given should outlive arenas, as servers and caches do, and it may have one. An object that is to end
// together with its arena, a tree with its nodes, isn't for Hold: New ends the arena first, when tb ends, and what the
// tree still has is reported. What only a sync.Pool holds isn't found, since the collector empties that.
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

// held has what Hold was given, by the names of tests.
var held struct {
	sync.Mutex
	by map[string][]any
}

// letGo ends the Hold of a test.
func letGo(name string) {
	held.Lock()
	defer held.Unlock()
	delete(held.by, name)
}
