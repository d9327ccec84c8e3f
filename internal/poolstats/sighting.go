package poolstats

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/tuning"
)

// This file notes since when arenas are lent, and where. While nobody watches, Get reads one variable that doesn't
// change. For some minutes after a look at the leases, Get notes the time, and now and then the stack. No goroutine
// runs for that: it would belong to the synctest bubble of the first look.

// began is when the program began: outside all synctest bubbles, whose time begins in the year 2000.
var began = time.Now()

// clock returns the time since began. It is negative in a bubble, and never 0.
func clock() time.Duration { return time.Since(began) | 1 }

// watchedUntil is a time of the clock, or 0 while nobody watches.
var watchedUntil atomic.Int64

// Watched reports whether somebody watches leases, so that Get calls Note.
func Watched() bool { return watchedUntil.Load() != 0 }

// Watch makes leases be watched for some minutes from now. It returns the time.
func Watch() time.Duration {
	now := clock()
	until := int64(now + tuning.WatchTime)
	if u := watchedUntil.Load(); u == 0 || u < until { // a look in a bubble doesn't shorten the watch of others
		watchedUntil.Store(until)
	}
	return now
}

// Looking is held by those who call Seen. Get doesn't use it.
var Looking sync.Mutex

// A Sighting records when and where an arena was lent. The goroutine that lends it writes since and then turn;
// goroutines that look write the fields that they have found, with Looking held.
type Sighting struct {
	turn  atomic.Uint64 // of the lease: since and stack are of this one
	since atomic.Int64  // by the clock
	stack atomic.Pointer[turnStack]

	untilStack int // turns to go until a stack is noted

	foundTurn  uint64
	foundSince time.Duration
}

// A turnStack is the stack of Get for a turn.
type turnStack struct {
	turn  uint64
	stack watch.Stack
}

// Note notes that the arena is lent now. It notes the stack for one turn in some, or if always is set. The stack
// begins three calls above the caller's.
func (s *Sighting) Note(turn uint64, always bool) {
	now := int64(clock())
	if until := watchedUntil.Load(); now > until {
		watchedUntil.CompareAndSwap(until, 0) // nobody has looked for long
	}
	s.since.Store(now)
	s.turn.Store(turn)
	if s.untilStack--; always || s.untilStack < 0 {
		s.untilStack = rand.IntN(2*tuning.StackEvery - 1) // a fixed period may never meet a program's
		t := &turnStack{turn: turn}
		runtime.Callers(4, t.stack[:])
		s.stack.Store(t)
	}
}

// Seen describes a lease.
type Seen struct {
	Key      string
	Reserved int

	Found bool         // by those who looked: the arena may have been lent before
	Stack *watch.Stack // of Get, or nil

	since time.Duration
}

// Age returns for how long the arena has been lent, to the second.
func (s *Seen) Age(now time.Duration) time.Duration { return (now - s.since).Truncate(time.Second) }

// Seen describes the present turn of the lease. Looking is held. The clock of another synctest bubble is of no use.
func (s *Sighting) Seen(turn uint64, now time.Duration) (seen Seen) {
	sameClock := func(t time.Duration) bool { return t < 0 == (now < 0) }
	if since := time.Duration(s.since.Load()); s.turn.Load() == turn && sameClock(since) {
		seen.since = min(since, now)
		if t := s.stack.Load(); t != nil && t.turn == turn {
			seen.Stack = &t.stack
		}
		return seen
	}
	if s.foundTurn != turn || !sameClock(s.foundSince) {
		s.foundTurn, s.foundSince = turn, now
	}
	return Seen{since: min(s.foundSince, now), Found: true}
}

// Pools has the records of pools. Package arena sets it.
var Pools interface {
	// Sightings yields the known facts about each lease of an *arena.Pool, which may be nil.
	Sightings(pool any, now time.Duration) iter.Seq[Seen]

	// LastLimitHit returns the last allocation in an *arena.Pool that a limit refused; its time is zero if there was
	// none.
	LastLimitHit(pool any) (at time.Time, asked int, total bool, stack watch.Stack)
}

// Oldest returns the leases sorted by age, the oldest first, and up to most of them if that is above 0. It holds no
// more than twice as many at a time.
func Oldest(all iter.Seq[Seen], most int) (found []Seen) {
	before := time.Duration(math.MaxInt64)
	sort := func() {
		slices.SortStableFunc(found, func(a, b Seen) int { return cmp.Compare(a.since, b.since) })
		if most > 0 && len(found) > most {
			found = found[:most]
			before = found[most-1].since
		}
	}
	for s := range all {
		if s.since < before {
			found = append(found, s)
		}
		if most > 0 && len(found) == 2*most {
			sort()
		}
	}
	sort()
	return found
}
