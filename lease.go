package arena

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds what a Pool knows of each of its arenas: whether it is lent,
// what it has used, and how large its chunks should be. It may not know who waits for an
// arena, nor in which order they are lent.

// A lease is what a Pool knows of one of its arenas. The arena points to it,
// and so does the Pool, which must not keep alive the arena itself: the GC is
// to drop idle ones, and finds those that were never put back.
//
// Everything is counted here, where only the goroutine that has the arena
// writes. Get and Put touch nothing that processors share.
type lease struct {
	pool  *Pool
	class *class
	arena weak.Pointer[Arena]

	// turns counts the calls of Get, and of Put or Free: the arena is lent while
	// it is odd.
	turns atomic.Uint64
	freed atomic.Bool // by Free, which was the last turn

	reserved atomic.Int64  // bytes of blocks, with those of children
	growths  atomic.Uint64 // blocks that came from the Go heap
	used     atomic.Uint64 // bytes handed out at Put or Free, all turns together
	peak     atomic.Uint64 // the largest of these
	sizes    sizes         // all of these

	sampled bool         // a checked arena among others, lent once
	lentAt  *watch.Stack // stack of the last Get, of a checked arena

	sampler atomic.Pointer[profile.Sampler] // while the lease is observed; else nil
	spare   *profile.Sampler                // for the next time that it is

	byChildren uintptr // what children that have ended have used, since begin has begun to look

	doing bool // lent by Do; known to who has the arena
	skip  int  // turns to go until one is looked at

	sighted sighting // of the last turn that somebody has watched; last, as Get and Put need what is above
}

// overLimit returns e, and has the pool that the arena is from take account of it.
func (a *Arena) overLimit(e *LimitError) *LimitError {
	a.leave()
	if a.lease != nil {
		a.lease.hitLimit(e)
		if a.lease.doing {
			e.lease, e.turn = a.lease, a.lease.turns.Load()
		}
	}
	return e
}

// inDo reports whether the Do goes on that has lent the arena for a turn. It may be lent to
// another goroutine by now.
func (l *lease) inDo(turn uint64) bool { return l.turns.Load() == turn }

// newArena makes an arena of a class.
func (p *Pool) newArena(c *class, options *config) *Arena {
	a := &Arena{config: options}
	a.init()
	a.state = pooled
	a.lease = &lease{pool: p, class: c, arena: weak.Make(a)}
	if p.total.limit > 0 {
		a.budget.account = &p.total
	}
	a.memory.SetAccount((*counted)(a))
	a.memory.SetLearned()
	a.plain.SetFirst(c.work.First(options.Chunk), nil)
	p.enlist(a.lease)
	return a
}

// begin lends the arena. What it reserves counts towards the pool's limit from now on; if that
// is too much, it gives up what it has kept, and begins with nothing.
func (l *lease) begin(a *Arena) {
	l.turns.Add(1)
	if a.watch() != nil {
		l.lentAt = new(watch.Stack)
		runtime.Callers(3, l.lentAt[:])
	}
	if watchedUntil.Load() != 0 {
		l.sight(l.sampled)
	}
	a.open()
	if c := a.budget.account; c != nil && !c.tryCharge(l.reserved.Load()) {
		a.budget.account = nil // which doesn't know of what the arena has kept
		a.memory.Trim(true, 0)
		a.budget.account = c
	}
	if l.skip == 0 {
		l.byChildren = 0
		for r := range a.memory.Busy {
			r.ForgetPeak()
		}
	}
}

// end takes the arena back. turns is changed first, so that of two calls for the same arena
// one panics, whatever the other does. What is learned from the turn comes after the reset,
// and before the chunks stop counting.
func (l *lease) end(a *Arena) {
	turn := l.turns.Load()
	if turn%2 == 0 || !l.turns.CompareAndSwap(turn, turn+1) {
		l.panicPut()
	}
	reserved := l.bytes()
	observed := l.sampler.Load() != nil
	if observed {
		l.unobserve(a)
	}
	used := uint64(a.reset())
	l.count(used)
	if observed {
		l.spare.End(used)
	}
	if l.skip--; l.skip < 0 && l.look(a, turn, reserved) {
		for r := range a.memory.Busy {
			r.Refit()
		}
	}
	l.shed(a)
	a.close()
	if a.budget.account != nil {
		a.budget.account.bytes.Add(-l.reserved.Load())
	}
}

// shed releases what the arena need not keep: more than its kind of work takes, or if too little is
// known of that, more than the pool's work as a whole does; and more than its share, where all
// arenas together have too much. A first chunk that is somewhat larger than the share stays, lest
// each life need a new one.
func (l *lease) shed(a *Arena) {
	p, room := l.pool, l.class.work.Room()
	if room == 0 {
		room = p.shares.Room()
	}
	if room > 0 && l.bytes() > room {
		a.memory.Shed(room)
	}
	if !p.exceeded() || l.bytes() <= p.shares.Share() {
		return
	}
	p.review(false)
	if share := p.shares.Share(); p.exceeded() && l.bytes() > share {
		if a.memory.Shed(share); l.bytes() > tuning.ShareSlack*share {
			a.memory.DropUnused()
		}
	}
}

// look learns from this turn, and says how many will be skipped now.
func (l *lease) look(a *Arena, turn uint64, reserved uintptr) (misfit bool) {
	l.skip = 0
	if turn > 2*tuning.SampleFirst {
		l.skip = rand.IntN(2*tuning.SampleEvery - 1)
	}
	misfit, needed := l.class.work.Note(&a.memory, l.byChildren, reserved, l.pool.shares.Free())
	if needed > 0 && l.pool.shares.Note(needed) {
		l.pool.review(true)
	}
	return misfit
}

// bytes returns the bytes of the arena's blocks.
func (l *lease) bytes() uintptr { return uintptr(l.reserved.Load()) }

//go:noinline
func (l *lease) panicPut() {
	why := " was put back already"
	if l.freed.Load() {
		why = " was freed, which took it out of its pool"
	}
	panic("arena: Put: the arena" + quoted(l.pool.config.name) + why)
}

// endFreed is end for an arena that is freed.
func (l *lease) endFreed(used uintptr) {
	l.count(uint64(used))
	l.endSamples(uint64(used))
	l.turns.Add(1)
	l.freed.Store(true)
}

// observe begins to observe an arena that was lent just now.
func (l *lease) observe(a *Arena) {
	s := l.spare
	if s == nil {
		s = new(profile.Sampler)
	}
	l.spare = nil
	s.Begin(&l.pool.profile, float64(l.used.Load())/float64(max(1, l.turns.Load()/2)))
	l.sampler.Store(s)
	l.sight(true)
	a.setObserved()
}

// setObserved has each allocation counted, those in a child too.
func (a *Arena) setObserved() {
	a.memory.SetMetered(true)
	a.memory.SetBudget((*observed)(a))
}

// isObserved says whether the arena is from a Pool that observes it, or a child of such a one.
func (a *Arena) isObserved() bool { return a.lease != nil && a.lease.sampler.Load() != nil }

// samples returns how many samples there are of an arena that is observed.
func (a *Arena) samples() uint64 {
	if !a.isObserved() {
		return 0
	}
	return a.lease.sampler.Load().Number()
}

// dropSamples is called when what an arena has allocated isn't in use any more, but what was when there were so many samples.
func (a *Arena) dropSamples(after uint64) {
	if a.isObserved() {
		a.lease.sampler.Load().Drop(uintptr(unsafe.Pointer(a)), after) // which is only compared
	}
}

// unobserve ends that.
func (l *lease) unobserve(a *Arena) {
	l.spare = l.sampler.Swap(nil) // to be ended when it is known what was used
	a.memory.SetMetered(false)
	var b memory.Budget
	if a.budget.share != nil {
		b = (*limited)(a)
	}
	a.memory.SetBudget(b)
}

// endSamples ends the observation of an arena that isn't lent again.
func (l *lease) endSamples(used uint64) {
	if s := l.sampler.Load(); s != nil {
		s.End(used)
	}
}

// count takes account of what the arena has used.
func (l *lease) count(used uint64) {
	l.sizes.note(used)
	if used == 0 {
		return
	}
	l.used.Store(l.used.Load() + used)
	if used > l.peak.Load() {
		l.peak.Store(used)
	}
}

// remembered says whether the arena is to be named if it is never put back, as those with
// CheckObjects are.
func (l *lease) remembered() bool {
	return l.lentAt != nil && l.pool.config.checks&CheckObjects != 0
}

// close makes allocating from an arena that was reset panic.
func (a *Arena) close() {
	a.state, a.self = pooled, nil
	a.memory.Shut()
}

// open is the opposite of close.
func (a *Arena) open() {
	a.state, a.self = live, a
	a.memory.Open()
}

// lent returns the stacks of the calls of Get of those arenas with CheckObjects
// that were neither put back nor freed.
func (p *Pool) lent() (stacks []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.lost {
		stacks = append(stacks, watch.StackText(s.Frames()))
	}
	for _, l := range p.leases {
		if l.remembered() && l.turns.Load()%2 == 1 {
			stacks = append(stacks, watch.StackText(l.lentAt.Frames()))
		}
	}
	return stacks
}

// began is when the program did: outside all synctest bubbles, whose time begins in the year 2000.
var began = time.Now()

// clock returns the time since then. It is below 0 in a bubble, and 0 never.
func clock() time.Duration { return time.Since(began) | 1 }

// watchedUntil is a time of the clock, or 0 while nobody watches.
var watchedUntil atomic.Int64

// A sighting is what is known of when and where an arena was lent. Whoever lends it writes since and then turn;
// who looks writes what it has found, with looking held.
type sighting struct {
	turn  atomic.Uint64 // of the lease: what is known is of this one
	since atomic.Int64  // by the clock
	stack atomic.Pointer[turnStack]

	untilStack int // turns to go until one has its stack noted

	foundTurn  uint64
	foundSince time.Duration
}

// A turnStack is the stack of Get for a turn.
type turnStack struct {
	turn  uint64
	stack watch.Stack
}

// sight notes that the arena was lent now; the stack each time if always is set.
func (l *lease) sight(always bool) {
	turn, now := l.turns.Load(), int64(clock())
	if until := watchedUntil.Load(); now > until {
		watchedUntil.CompareAndSwap(until, 0) // nobody has looked for long
	}
	l.sighted.since.Store(now)
	l.sighted.turn.Store(turn)
	if l.sighted.untilStack--; always || l.sighted.untilStack < 0 {
		l.sighted.untilStack = rand.IntN(2*tuning.StackEvery - 1) // a fixed period may never meet a program's
		s := &turnStack{turn: turn}
		runtime.Callers(4, s.stack[:])
		l.sighted.stack.Store(s)
	}
}

// seen is what is known of a lease that is lent.
type seen struct {
	lease *lease
	since time.Duration
	found bool // by who looked, so that it may have been lent before
	stack *turnStack
}

// age returns for how long the arena has been lent, to the second.
func (s *seen) age(now time.Duration) time.Duration { return (now - s.since).Truncate(time.Second) }

// seen returns what is known now of the turn that the lease is in. looking is held. What the clock of another synctest bubble
// has said is of no use.
func (l *lease) seen(turn uint64, now time.Duration) seen {
	s := &l.sighted
	sameClock := func(t time.Duration) bool { return t < 0 == (now < 0) }
	if since := time.Duration(s.since.Load()); s.turn.Load() == turn && sameClock(since) {
		if stack := s.stack.Load(); stack != nil && stack.turn == turn {
			return seen{l, min(since, now), false, stack}
		}
		return seen{l, min(since, now), false, nil}
	}
	if s.foundTurn != turn || !sameClock(s.foundSince) {
		s.foundTurn, s.foundSince = turn, now
	}
	return seen{l, min(s.foundSince, now), true, nil}
}

// hitLimit takes account of a *LimitError.
func (l *lease) hitLimit(e *LimitError) {
	r := limitHit{LimitHit: LimitHit{Time: time.Now(), Asked: e.Asked, Total: e.Total}}
	runtime.Callers(2, r.stack[:])
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	l.class.limitHits++
	l.pool.limitHit = r
}
