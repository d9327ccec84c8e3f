package arena

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/learn"
	"github.com/harena-go/arena/internal/poolstats"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds a Pool's records of its arenas, and the list of them. It must not depend on how a Pool chooses the
// arena to lend (pool.go), nor on the statistics made from its counters (stats.go).
//
//	enlist ──▶ leases ──▶ prune: freed, or lost to the GC ──▶ past of the class
//
// Invariant: the counts of the leases and of the pasts add up to all events since the pool was made. No number is lost
// or counted twice when a lease goes.

// A lease is a Pool's record of one of its arenas. The arena points to it, and so does the Pool, which must not keep
// the arena itself alive: the GC drops idle arenas, and finds those that were never put back.
//
// Everything is counted here, where only the goroutine that has the arena writes. Get and Put write to nothing that
// processors share.
type lease struct {
	pool  *poolState
	class *class
	arena weak.Pointer[Arena]

	gear      *gear // if the Pool doesn't reuse memory; then the lease is of one arena after the other
	ticket    weak.Pointer[ticket]
	misses    atomic.Uint64 // of its arenas, those that began with no memory
	frees     atomic.Uint64 // twice the number of those that were freed, and 1 while one ends so
	checkedAt uint32        // memory.Cycle when sampled lives were looked at last

	untilSample int // lives to go until one is sampled

	// turns counts the calls of Get, and of Put or Free: the arena is lent while it is odd.
	turns atomic.Uint64
	freed atomic.Bool // by Free, which was the last turn

	reserved atomic.Int64    // bytes of blocks, with those of children
	growths  atomic.Uint64   // blocks that came from the Go heap
	taken    atomic.Uint64   // their bytes
	used     atomic.Uint64   // bytes allocated at Put or Free, all turns together
	peak     atomic.Uint64   // the largest of these
	sizes    poolstats.Sizes // all of these

	sampled bool                        // a checked arena among others, lent once
	lentAt  *watch.Stack                // stack of the last Get, of a checked arena
	putAt   atomic.Pointer[watch.Stack] // likewise of the last Put

	sampler atomic.Pointer[profile.Sampler] // while the lease is observed; else nil
	spare   *profile.Sampler                // for the next time that it is

	byChildren  uintptr // bytes used by children that have ended, since look was last due
	takenBefore uint64  // taken, when that was

	doTurn uint64 // the last turn for which Do lent it; only the goroutine that has the arena reads or sets it
	skip   int    // turns until the next look

	sighted poolstats.Sighting // of the last turn that was watched; last, since Get and Put need the fields above
}

// A class is the arenas of a pool that do the same kind of work.
type class struct {
	key   string
	reuse bool
	keeping
	idle sync.Pool // of *Arena; without reuse of *ticket

	work learn.Work
	past poolstats.Counts // of arenas that were dropped; under the lock of the Pool

	checked   atomic.Uint64 // arenas that were lent as samples
	escapes   atomic.Uint64 // found in checked arenas
	limitHits int           // under the lock of the Pool
}

// A poolState is the state that all arenas of a Pool share.
type poolState struct {
	total   total        // of the chunks of live arenas; its limit is 0 if there is none
	held    atomic.Int64 // bytes of the chunks of all arenas, lent or idle
	shares  learn.Shares // how much of held each arena may have
	types   learn.Types  // what keys learn together
	depot   memory.Depot // chunks that no arena needs for itself; not a part of held
	profile profile.Profile

	collecting sync.Mutex // held while the GC runs because the limit is reached

	mu       sync.Mutex // guards the fields below, and the past of classes
	leases   []*lease   // of all arenas that may still be in use or come back
	pruneAt  int        // the number of leases at which prune is worthwhile
	pruned   uint64     // the GC cycles that had passed at the last prune
	limitHit limitHit   // the last one

	untilReview int // arenas to come back until the shares are reviewed, while held is too much
}

// A limitHit is an allocation that a limit didn't allow.
type limitHit struct {
	at    time.Time
	asked int
	total bool
	stack watch.Stack
}

// overLimit returns e after the arena's pool has counted it.
func (a *Arena) overLimit(e *LimitError) *LimitError {
	a.leave()
	if a.account.lease != nil {
		a.account.lease.hitLimit(e)
		if l := a.account.lease; l.doTurn == l.turns.Load() {
			e.lease, e.turn = weak.Make(l), l.doTurn
		}
	}
	return e
}

// hitLimit counts a *LimitError.
func (l *lease) hitLimit(e *LimitError) {
	h := limitHit{at: time.Now(), asked: e.Asked, total: e.Total}
	runtime.Callers(2, h.stack[:])
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	l.class.limitHits++
	l.pool.limitHit = h
}

// begin lends the arena. From now on its chunks count towards the pool's limit; if they exceed it, the arena releases
// its kept chunks and begins with nothing.
func (l *lease) begin(a *Arena) {
	l.turns.Add(1)
	if w := a.watch(); w != nil {
		l.lentAt = new(watch.Stack)
		runtime.Callers(3, l.lentAt[:])
		lent.note(l, w.Single())
	}
	if poolstats.Watched() {
		l.sighted.Note(l.turns.Load(), l.sampled)
	}
	if l.gear == nil {
		a.open()
	}
	if c := a.account.total; c != nil && !c.tryCharge(l.reserved.Load()) {
		a.account.total = nil // which hasn't counted the kept chunks
		a.memory.Trim(true, 0)
		a.account.total = c
	}
	if l.skip == 0 {
		l.byChildren, l.takenBefore = 0, l.taken.Load()
		for r := range a.memory.Regions {
			r.ForgetPeak()
		}
	}
}

// end is called by Put. It changes turns first, so that of two calls for the same arena one always panics. It learns
// from the turn after the reset, and before the chunks stop counting.
func (l *lease) end(a *Arena) {
	turn := l.turns.Load()
	if turn%2 == 0 || !l.turns.CompareAndSwap(turn, turn+1) {
		l.panicPut()
	}
	if l.lentAt != nil {
		lent.note(l, false)
		at := new(watch.Stack)
		runtime.Callers(2, at[:])
		l.putAt.Store(at)
	}
	reserved := l.bytes()
	l.settle(a)
	if l.gear != nil {
		l.endLasting(a, reserved, &l.gear.put)
		return
	}
	if l.skip--; l.skip < 0 && l.learn(a, turn, reserved) && !l.pool.crowded() {
		for r := range a.memory.Regions {
			r.Refit()
		}
	}
	l.shed(a, reserved)
	a.close()
	if a.account.total != nil {
		a.account.total.bytes.Add(-l.reserved.Load())
	}
}

// shed moves surplus chunks to the depot: those above the needs of this kind of work, or of the pool's work as a whole
// if too little was learned of its kind, and, while all arenas together have too much, those above the arena's share.
// Chunks above the needs of any two pieces of work go to the Go heap: that was a single huge one. Blocks are up to
// twice as large as needed, since they double.
func (l *lease) shed(a *Arena, reserved uintptr) {
	s, room := l.pool, l.class.work.Room()
	if room == 0 {
		room = s.shares.Room()
	}
	if room > 0 && l.bytes() > room {
		a.memory.Shed(max(room, 2*s.shares.Most()))
		l.moveToDepot(a, func(to memory.Keeper) { a.memory.ShedTo(room, false, to) })
	}
	if !s.crowded() || l.bytes() <= s.shares.Share() {
		return
	}
	s.review(false, reserved)
	if share := s.shares.Share(); s.crowded() && l.bytes() > share {
		l.moveToDepot(a, func(to memory.Keeper) { a.memory.ShedTo(share, true, to) })
	}
}

// moveToDepot calls move to pass on unused chunks of the arena to the depot. Then the surplus of all is released.
func (l *lease) moveToDepot(a *Arena, move func(to memory.Keeper)) {
	if a.quarantines() {
		return // it has none that may be used again
	}
	s := l.pool
	s.depot.Take(&a.memory, move)
	if n := s.shares.Excess(uintptr(s.held.Load()) + s.depot.Bytes()); n > 0 {
		s.depot.Shed(n)
	}
}

// learn learns from this turn, and decides how many turns to skip. It reports whether first chunks are to change.
func (l *lease) learn(a *Arena, turn uint64, reserved uintptr) (misfit bool) {
	l.skip = 0
	if turn > 2*tuning.SampleFirst {
		l.skip = rand.IntN(2*tuning.SampleEvery - 1)
	}
	taken := uintptr(l.taken.Load() - l.takenBefore)
	if a.quarantines() { // and so uses no memory again
		taken = 0
	}
	misfit, needed := l.class.work.Note(&a.memory, l.byChildren, reserved, taken, l.pool.shares.Free())
	if needed > 0 && l.pool.shares.Note(needed) {
		l.pool.review(true, reserved)
		l.pool.depot.Trim()
	}
	return misfit
}

// bytes returns the bytes of the arena's blocks.
func (l *lease) bytes() uintptr { return uintptr(l.reserved.Load()) }

//go:noinline
func (l *lease) panicPut() {
	why := " was put back already" + l.ending("")
	if l.freed.Load() {
		why = " was freed, which took it out of its pool"
	}
	panic("arena: Put: the arena" + quoted(l.pool.total.name) + why)
}

// ending continues a message: where a checked arena was put back last, and a hint; or at the end of which work it was.
func (l *lease) ending(hint string) string {
	if l == nil || l.putAt.Load() == nil {
		return hint
	}
	frames := l.putAt.Load().Frames()
	when := watch.When(frames, l.class.key)
	if watch.Ended(frames, l.class.key) != "" {
		return " " + when + "; work that goes on uses Detach or an arena of its own"
	}
	return ", " + when + hint
}

// endFreed is end for an arena that is freed.
func (l *lease) endFreed(used uintptr) {
	l.count(uint64(used))
	l.endSamples(uint64(used))
	if l.lentAt != nil {
		lent.note(l, false)
	}
	l.freed.Store(true)
	l.turns.Add(1)
}

// count counts the bytes that the arena has used in a turn.
func (l *lease) count(used uint64) {
	l.sizes.Note(used)
	if used == 0 {
		return
	}
	l.used.Store(l.used.Load() + used)
	if used > l.peak.Load() {
		l.peak.Store(used)
	}
}

// counts returns the numbers of the arena. Those of a lease that is in use may not agree with each other.
func (l *lease) counts() poolstats.Counts {
	ended, freed := l.ended()
	turns, frees := int(ended), int(freed)
	c := poolstats.Counts{
		Gets: (turns + 1) / 2, Puts: turns/2 - frees, Freed: frees, Misses: 1, Live: turns % 2,
		Used: l.used.Load(), HighWater: int(l.peak.Load()),
		Growths: int(l.growths.Load()), Taken: l.taken.Load(), Reserved: int(l.reserved.Load()),
		Sizes: l.sizes.Histogram(),
	}
	c.Sizes.Sum = float64(c.Used)
	if l.gear != nil {
		c.Misses = int(l.misses.Load())
		return c
	}
	if c.Live == 0 {
		c.Idle = 1 - frees
		c.Retained = c.Reserved
		c.Waste = max(0, c.Reserved-c.HighWater)
	}
	return c
}

// lent holds the leases of lent arenas with CheckObjects, of all pools, for arenatest. Leases of lost arenas stay, and
// keep their pools: a test may ask for them when all else is gone.
var lent lentLeases

type lentLeases struct {
	mu  sync.Mutex
	all map[*lease]bool
}

// note adds a lease, or removes it.
func (n *lentLeases) note(l *lease, yes bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !yes {
		delete(n.all, l)
		return
	}
	if n.all == nil {
		n.all = map[*lease]bool{}
	}
	n.all[l] = true
}

// close makes allocating from an arena that was reset panic.
func (a *Arena) close() {
	a.life.state, a.self = pooled, nil
	a.memory.Shut()
}

// open is the opposite of close.
func (a *Arena) open() {
	a.life.state, a.self = live, a
	a.memory.Open()
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
	l.sighted.Note(l.turns.Load(), true)
	a.setObserved()
}

// setObserved makes each allocation count from now on, also in children.
func (a *Arena) setObserved() {
	a.memory.SetMetered(true)
	a.memory.SetBudget((*observed)(a.core))
}

// isObserved reports whether the arena, or its parent, is from a Pool that observes it.
func (a *Arena) isObserved() bool {
	return a.account.lease != nil && a.account.lease.sampler.Load() != nil
}

// samples returns the number of samples of an arena that is observed.
func (a *Arena) samples() uint64 {
	if !a.isObserved() {
		return 0
	}
	return a.account.lease.sampler.Load().Number()
}

// dropSamples drops the samples of the arena after number after, since their memory isn't in use any more.
func (a *Arena) dropSamples(after uint64) {
	if a.isObserved() {
		a.account.lease.sampler.Load().Drop(uintptr(unsafe.Pointer(a.core)), after) // which is only compared
	}
}

// unobserve is the opposite of observe.
func (l *lease) unobserve(a *Arena) {
	l.spare = l.sampler.Swap(nil) // ended once the use of the turn is known
	a.memory.SetMetered(false)
	var b memory.Budget
	if a.account.share != nil {
		b = (*limited)(a.core)
	}
	a.memory.SetBudget(b)
}

// endSamples ends the observation of an arena that isn't lent again.
func (l *lease) endSamples(used uint64) {
	if s := l.sampler.Load(); s != nil {
		s.End(used)
	}
}

// enlist adds the lease of a new arena. From time to time it looks for those of arenas that the GC has dropped.
func (s *poolState) enlist(l *lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leases) >= s.pruneAt {
		s.prune()
		s.pruneAt = 2*len(s.leases) + 16
	}
	s.leases = append(s.leases, l)
}

// pruneLost is prune unless no arena can have been lost since the last one.
func (s *poolState) pruneLost() {
	if s.pruned != poolstats.Cycles() {
		s.prune()
	}
}

// prune removes the leases of arenas that can't be used again, and adds their counts to the past of their class.
func (s *poolState) prune() {
	s.pruned = poolstats.Cycles()
	s.leases = slices.DeleteFunc(s.leases, func(l *lease) bool {
		if ended := l.freed.Load() && l.turns.Load()%2 == 0; !ended && !l.lost() {
			return false
		}
		c := l.counts()
		if c.Live > 0 { // never put back
			c.Live, c.Lost = 0, 1
			l.endSamples(0)
			if s.total.limit > 0 {
				s.total.bytes.Add(-int64(c.Reserved))
			}
		}
		if l.gear == nil {
			s.held.Add(-int64(c.Reserved))
		}
		c.Gone()
		l.class.past.Add(&c)
		return true
	})
}

// live returns the number of arenas that are lent, and their bytes. The lock is held.
func (s *poolState) live() (n int, bytes uintptr) {
	for _, l := range s.leases {
		if l.turns.Load()%2 == 1 {
			n++
			bytes += l.bytes()
		}
	}
	return n, bytes
}

// review sets the shares by the number of arenas, if due is set and else from time to time, as the GC may have dropped
// idle ones. It returns at once if another goroutine holds the lock.
func (s *poolState) review(due bool, reserved uintptr) {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if s.untilReview--; s.untilReview > 0 && !due {
		return
	}
	s.pruneLost()
	s.untilReview = max(tuning.ReviewEvery/4, len(s.leases)/16)
	n, bytes := s.live()
	s.shares.Review(1+n, reserved+bytes, len(s.leases)) // with the caller's arena, which comes back now
}

// crowded reports whether arenas, lent or idle, have so much that too little is left for the depot.
func (s *poolState) crowded() bool { return s.shares.Crowded(uintptr(s.held.Load())) }

// reap makes the bytes of lost arenas stop counting towards the limit. It is called when the limit is reached, before
// the allocation panics.
func (s *poolState) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pruneLost()
}

// lendsOthers reports whether more arenas are lent than the one that the caller has.
func (s *poolState) lendsOthers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, _ := s.live()
	return n > 1
}
