package arena

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds what somebody who watches a program sees of its pools: which there are, and
// since when their arenas are lent, and where. It may not know what is shown of that.
//
// While nobody watches, Get asks one variable, which nobody changes. For some minutes after somebody has looked at leases,
// Get notes the time, and now and then the stack. Nothing else runs meanwhile: a goroutine would belong to the synctest
// bubble of the first to look.

// Pools returns all pools that are in use, in the order in which they were made; a zero Pool was when it
// lent its first arena. A pool that nothing refers to any more is there until the GC finds that.
func Pools() (all []*Pool) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	prunePools()
	for _, w := range pools.all {
		if p := w.Value(); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// Name returns the pool's name: the one set by WithName, or else the line that has called NewPool, such as
// "pool at server.go:31". That of a zero Pool is "zero pool".
func (p *Pool) Name() string {
	switch {
	case p == nil:
		return "nil pool"
	case p.config.name != "":
		return p.config.name
	case p.madeAt == 0:
		return "zero pool"
	}
	f, _ := runtime.CallersFrames([]uintptr{p.madeAt}).Next()
	return fmt.Sprintf("pool at %s:%d", filepath.Base(f.File), f.Line)
}

// watchLeases has leases be watched from now on, for some minutes. It returns the time.
func watchLeases() time.Duration {
	now := clock()
	until := int64(now + tuning.WatchTime)
	if u := watchedUntil.Load(); u == 0 || u < until { // who looks in a bubble doesn't end what others watch
		watchedUntil.Store(until)
	}
	return now
}

// A Lease is an arena that a Pool has lent and that isn't back.
type Lease struct {
	Pool     string // its name, as Pool.Name says
	Key      string // as GetKeyed was given, or ""
	Reserved int    // bytes of its chunks

	// Age is for how long it has been lent, to the second. AgeIsLowerBound is set if it may have been
	// longer: it was lent before somebody watched, or by the clock of another synctest bubble.
	Age             time.Duration
	AgeIsLowerBound bool

	// Stack is that of Get, the innermost call first, if it was noted: for the first time that an
	// arena is lent while somebody watches, then for one in eight. Else it is nil.
	Stack []runtime.Frame
}

// Leases returns the arenas that are lent now, the oldest first, and up to max of them if that is above 0. Their age is known
// from when it, or Of or All of package arenametrics, was called the first time, for as long as one of them is called once in five minutes: Get
// notes the time then, and one Get in eight of an arena, at random, its stack, which takes a microsecond. Leases with
// the same stack may share it. The leases of a nil pool are none.
func (p *Pool) Leases(max int) []Lease {
	if p == nil {
		return nil
	}
	now := watchLeases()
	found := oldest(p.sightings(now), max)
	name := p.Name()
	leases := make([]Lease, len(found))
	stacks := map[watch.Stack][]runtime.Frame{} // many leases have the same
	for i, s := range found {
		leases[i] = Lease{Pool: name, Key: s.lease.class.key, Reserved: int(s.lease.bytes()), Age: s.age(now), AgeIsLowerBound: s.found}
		if s.stack == nil {
			continue
		}
		frames, ok := stacks[s.stack.stack]
		if !ok {
			frames = s.stack.stack.Frames()
			stacks[s.stack.stack] = frames
		}
		leases[i].Stack = frames
	}
	return leases
}

// looking is held by who looks at leases, of which Get knows nothing.
var looking sync.Mutex

// sightings yields what is known of all that are lent. The pool's lock, for which a Get that makes an arena waits, is held for
// a copy of the list only.
func (p *Pool) sightings(now time.Duration) iter.Seq[seen] {
	return func(yield func(seen) bool) {
		p.mu.Lock()
		all := slices.Clone(p.leases)
		p.mu.Unlock()
		looking.Lock()
		defer looking.Unlock()
		for _, l := range all {
			turn := l.turns.Load()
			if turn%2 == 0 || l.freed.Load() || l.arena.Value() == nil { // the GC has found it
				continue
			}
			if !yield(l.seen(turn, now)) {
				return
			}
		}
	}
}

// oldest returns the oldest of what was found first, and up to max of that if max is above 0: it never has more than
// twice as many.
func oldest(all iter.Seq[seen], max int) (found []seen) {
	before := time.Duration(math.MaxInt64)
	sort := func() {
		slices.SortStableFunc(found, func(a, b seen) int { return cmp.Compare(a.since, b.since) })
		if max > 0 && len(found) > max {
			found = found[:max]
			before = found[max-1].since
		}
	}
	for s := range all {
		if s.since < before {
			found = append(found, s)
		}
		if max > 0 && len(found) == 2*max {
			sort()
		}
	}
	sort()
	return found
}

// LeaseAges implements inspect.LeaseAges.
func (engine) LeaseAges(pool any, each func(key string, age time.Duration)) {
	if p := pool.(*Pool); p != nil {
		now := watchLeases()
		for s := range p.sightings(now) {
			each(s.lease.class.key, s.age(now))
		}
	}
}
