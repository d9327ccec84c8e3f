package arenametrics

import (
	"runtime"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/poolstats"
)

// A Lease is an arena that a Pool has lent and that isn't back.
type Lease struct {
	Pool     string // its name, as Pool.Name returns it
	Key      string // as given to GetKeyed, or ""
	Reserved int    // bytes of its chunks

	// Age is the time since it was lent, to the second. With AgeIsLowerBound it may be longer: the arena was lent
	// before ages were observed, or by the clock of another synctest bubble.
	Age             time.Duration
	AgeIsLowerBound bool

	// Stack is that of Get, the innermost call first. While ages are observed it is recorded the first time that an
	// arena is lent, then one time in eight. Otherwise it is nil.
	Stack []runtime.Frame
}

// Leases returns the arenas of a pool that are lent now, the oldest first, and at most max of them if max is above 0. A
// nil pool has none. Leases with the same stack may share it.
//
// Ages are observed from the first call of Leases, [Of] or [All], for as long as one of them is called once in five
// minutes. Meanwhile Get records the time, and for one Get in eight of an arena, at random, its stack, which takes a
// microsecond.
func Leases(p *arena.Pool, max int) []Lease {
	if p == nil {
		return nil
	}
	now := poolstats.Watch()
	found := poolstats.Oldest(poolstats.Pools.Sightings(p, now), max)
	name := p.Name()
	leases := make([]Lease, len(found))
	stacks := map[watch.Stack][]runtime.Frame{} // many leases have the same stack
	for i, s := range found {
		leases[i] = Lease{Pool: name, Key: s.Key, Reserved: s.Reserved, Age: s.Age(now), AgeIsLowerBound: s.Found}
		if s.Stack == nil {
			continue
		}
		frames, ok := stacks[*s.Stack]
		if !ok {
			frames = s.Stack.Frames()
			stacks[*s.Stack] = frames
		}
		leases[i].Stack = frames
	}
	return leases
}

// A LimitHit is an allocation refused by a limit of a Pool, or of one of its arenas.
type LimitHit struct {
	Time  time.Time
	Asked int             // bytes
	Total bool            // by the limit of all arenas together
	Stack []runtime.Frame // of the allocation, the innermost call first
}

// LastLimitHit returns the last allocation in a pool that a limit refused, and false if there was none.
func LastLimitHit(p *arena.Pool) (hit LimitHit, ok bool) {
	if p == nil {
		return hit, false
	}
	at, asked, total, stack := poolstats.Pools.LastLimitHit(p)
	if at.IsZero() {
		return hit, false
	}
	return LimitHit{at, asked, total, stack.Frames()}, true
}
