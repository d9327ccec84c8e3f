package arena

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/harena-go/arena/internal/tuning"
)

// This file holds what somebody who watches a program sees of its pools: which there are, and
// since when their arenas are lent, and where. It may not know what is shown of that.
//
// While nobody watches, Get asks one variable, which nobody changes. Who looks at leases sets a
// clock going that counts the seconds for some minutes, and Get notes the time, and now and then
// the stack.

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

// watched is until when the clock runs.
var watched struct {
	mu    sync.Mutex
	until time.Time
}

// watchLeases has leases be watched from now on, for some minutes.
func watchLeases() {
	watched.mu.Lock()
	defer watched.mu.Unlock()
	watched.until = time.Now().Add(tuning.WatchTime)
	if clock.Load() == 0 {
		clock.Store(time.Now().Unix())
		go runClock()
	}
}

// runClock sets the clock until nobody watches any more.
func runClock() {
	for {
		time.Sleep(time.Second)
		watched.mu.Lock()
		now := time.Now()
		if now.After(watched.until) {
			clock.Store(0)
			watched.mu.Unlock()
			return
		}
		clock.Store(now.Unix())
		watched.mu.Unlock()
	}
}

// A Lease is an arena that a Pool has lent and that isn't back.
type Lease struct {
	Pool     string // its name, as Pool.Name says
	Key      string // as GetKeyed was given, or ""
	Reserved int    // bytes of its chunks

	// Age is for how long it has been lent, to the second. It is at least that, if AtLeast is
	// set: it was lent before somebody watched.
	Age     time.Duration
	AtLeast bool

	// Stack is that of Get, the innermost call first, if it was noted: for the first time that an
	// arena is lent while somebody watches, then for one in eight. Else it is nil.
	Stack []runtime.Frame
}

// Leases returns the arenas that are lent now, the oldest first, and up to max of them if that is above 0. Their age is known
// from when it or Metrics was called the first time, for as long as one of them is called once in five minutes: Get
// notes the time then, and one Get in eight of an arena its stack, which takes a microsecond. The leases of a nil pool are none.
func (p *Pool) Leases(max int) []Lease {
	if p == nil {
		return nil
	}
	watchLeases()
	now := clock.Load()
	p.mu.Lock()
	p.pruneLost()
	found := p.sightings(now)
	p.mu.Unlock()
	slices.SortStableFunc(found, func(a, b seen) int { return cmp.Compare(a.since, b.since) })
	if max > 0 && len(found) > max {
		found = found[:max]
	}
	name := p.Name()
	leases := make([]Lease, len(found))
	for i, s := range found {
		leases[i] = Lease{Pool: name, Key: s.lease.class.key, Reserved: int(s.lease.bytes()),
			Age: time.Duration(now-s.since) * time.Second, AtLeast: s.found}
		if s.stack != nil {
			leases[i].Stack = s.stack.stack.Frames()
		}
	}
	return leases
}

// sightings returns what is known of all that are lent. The pool's lock is held.
func (p *Pool) sightings(now int64) (found []seen) {
	for _, l := range p.leases {
		if turn := l.turns.Load(); turn%2 == 1 && !l.freed.Load() {
			found = append(found, l.seen(turn, now))
		}
	}
	return found
}
