package arenatest

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file reports arenas that are never put back. It must not depend on the borrower.

// backWithin is the time that a test waits for lent arenas: a server may work on after its last answer.
const backWithin = time.Second

// A leak is a call that lent arenas of a pool, and the number of those that never came back.
type leak struct {
	inspect.Lease
	times int
}

// String returns the report.
func (l leak) String() string {
	pool, arenas := "a pool without a name", "an arena of %s was"
	if l.Pool != "" {
		pool = fmt.Sprintf("pool %q", l.Pool)
	}
	if l.times > 1 {
		arenas = fmt.Sprint(l.times) + " arenas of %s were"
	}
	return fmt.Sprintf(arenas+" neither put back nor freed\n\nLent by:%s", pool, l.Stack)
}

// neverBack returns the leaks of a pool, or of all if it is nil, and forgets them. It waits for arenas that may come
// back: those that the GC hasn't freed.
func neverBack(p *arena.Pool) []fmt.Stringer {
	mayCome := func(l inspect.Lease) bool { return !l.Lost }
	lent := inspect.Arenas.Lent(p)
	for wait := backWithin / 128; wait < backWithin && slices.ContainsFunc(lent, mayCome); wait *= 2 {
		peek() // before the GC frees the evidence of writes
		runtime.GC()
		if lent = inspect.Arenas.Lent(p); slices.ContainsFunc(lent, mayCome) {
			time.Sleep(wait)
			lent = inspect.Arenas.Lent(p)
		}
	}
	leaks := map[string]fmt.Stringer{}
	for _, l := range lent {
		key := l.Pool + "\x00" + l.Stack
		if old, ok := leaks[key].(leak); ok {
			leaks[key] = leak{l, old.times + 1}
		} else {
			leaks[key] = leak{l, 1}
		}
		l.End()
	}
	var list []fmt.Stringer
	for _, key := range slices.Sorted(maps.Keys(leaks)) {
		list = append(list, leaks[key])
	}
	return list
}
