package arena

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/learn"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the books of a Pool: the list of its leases, and its
// statistics. It may not know how an arena is lent. Nothing here is on the path of Get and
// Put, but that a new arena is enlisted.
//
//	enlist ──▶ leases ──▶ prune: freed, or lost to the GC ──▶ past of the class
//
// Invariant: what the leases and the pasts say, added up, is what happened since the pool
// was made: no number is lost or counted twice when a lease goes.

// PoolStats describes the work of a Pool since it was made, and its memory now.
type PoolStats struct {
	Name string // of the pool, set by WithName; or the key

	Gets   int // arenas lent
	Puts   int // arenas that came back
	Misses int // of Gets, those for which there was no idle arena
	Freed  int // arenas that were freed instead of put back
	Lost   int // arenas that were neither, and were found by the GC
	Live   int // arenas that are lent now; Put takes one off when it begins
	Idle   int // arenas that wait to be lent

	LimitHits int // allocations that a limit didn't allow; see Pool.LastLimitHit
	Checked   int // of Gets, arenas that were checked ones, by WithCheckRate or WithObserveRate
	Escapes   int // references found by these and by WithChecks

	Used      uint64 // bytes handed out, as seen by Put and Free; those of children don't count
	HighWater int    // the largest number of bytes handed out between Get and Put
	Growths   int    // chunks taken from the Go heap
	Reserved  int    // bytes of chunks that arenas have now
	Retained  int    // of Reserved, those of idle arenas
	Waste     int    // of Retained, those that the arena that has them has never used

	Limit     int              // bytes that an arena may hand out, by WithLimit; 0 if there is no limit
	PoolLimit int              // bytes of chunks for all arenas that are lent, by WithPoolLimit; 0 if there is no limit
	Usage     UsagePercentiles // what arenas have handed out between Get and Put lately

	Sizes Histogram `json:"-"` // what all of Puts and Freed have handed out

	FirstChunk int // bytes of the first chunk of a new arena, not counting slabs

	// Keys has the part that GetKeyed has in all of this, by key.
	Keys map[string]PoolStats `json:",omitempty"`
}

// UsagePercentiles says how many bytes pieces of work take. P90 is what nine in ten of the last few hundred that the Pool
// has looked at took at most, children included, rounded up by a quarter at most. It is zero while too little is known.
// The maximum is PoolStats.HighWater.
type UsagePercentiles struct {
	P50, P90, P99 int

	// Types is how many bytes a piece of work takes on average for values of each type with pointers, by
	// the type's name, and under "" for all values without.
	Types map[string]int `json:",omitempty"`
}

// GrowthsPerGet returns how many chunks a piece of work has taken from the Go
// heap on average. It is near 0 in a pool that is warm.
func (s PoolStats) GrowthsPerGet() float64 {
	return float64(s.Growths) / float64(max(1, s.Gets))
}

// String returns the statistics as one readable line.
func (s PoolStats) String() string {
	return fmt.Sprintf("pool%s: %s, %d misses, %.2g chunks each; %d live, %d freed, %d lost; "+
		"%s used each, %s at most; %s reserved, %s of it idle; first chunk %s",
		quoted(s.Name), count(s.Gets, "get"), s.Misses, s.GrowthsPerGet(), s.Live, s.Freed, s.Lost,
		size(int(s.Used/uint64(max(1, s.Puts+s.Freed)))), size(s.HighWater),
		size(s.Reserved), size(s.Retained), size(s.FirstChunk))
}

// add adds the numbers of t to s.
func (s *PoolStats) add(t PoolStats) {
	s.Gets += t.Gets
	s.Puts += t.Puts
	s.Misses += t.Misses
	s.Freed += t.Freed
	s.Lost += t.Lost
	s.Live += t.Live
	s.Idle += t.Idle
	s.LimitHits += t.LimitHits
	s.Checked += t.Checked
	s.Escapes += t.Escapes
	s.Waste += t.Waste
	s.Used += t.Used
	s.Sizes.add(t.Sizes)
	s.HighWater = max(s.HighWater, t.HighWater)
	s.Growths += t.Growths
	s.Reserved += t.Reserved
	s.Retained += t.Retained
}

// stats returns the numbers of one arena. Those of a lease that is in use may
// not fit together.
func (l *lease) stats() PoolStats {
	turns := int(l.turns.Load())
	s := PoolStats{
		Gets: (turns + 1) / 2, Puts: turns / 2, Misses: 1, Live: turns % 2,
		Used: l.used.Load(), HighWater: int(l.peak.Load()),
		Growths: int(l.growths.Load()), Reserved: int(l.reserved.Load()),
		Sizes: l.sizes.histogram(),
	}
	s.Sizes.Sum = float64(s.Used)
	if s.Live == 0 {
		s.Idle = 1
		s.Retained = s.Reserved
		s.Waste = max(0, s.Reserved-s.HighWater)
	}
	if l.freed.Load() {
		s.Puts--
		s.Freed, s.Idle = 1, 0
	}
	return s
}

// Stats returns the pool's statistics. It takes time in proportion to the number
// of arenas and keys, for most of which others don't wait. Arenas that the GC has
// dropped are counted for what they did. The statistics of a nil pool are zero.
func (p *Pool) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	leases, of := p.books()
	for _, l := range leases {
		of[l.class].add(l.stats())
	}
	chunk := p.options().Chunk
	for c, s := range of {
		s.Escapes = int(c.escapes.Load())
		s.FirstChunk = int(c.work.First(chunk))
		s.Limit = int(p.config.limit)
		s.Checked = int(c.checked.Load())
		s.Usage = usageOf(&c.work)
	}
	total := *of[&p.main]
	total.Name = p.config.name
	total.PoolLimit = int(p.config.total)
	delete(of, &p.main)
	if len(of) > 0 {
		total.Keys = make(map[string]PoolStats, len(of))
	}
	for c, s := range of {
		s.Name = c.key
		total.Keys[c.key] = *s
		total.add(*s)
	}
	if len(of) > 0 {
		total.Usage.mix(&total, p)
	}
	return total
}

// usageOf returns what is known of one kind of work.
func usageOf(w *learn.Work) (u UsagePercentiles) {
	sizes := w.Sizes()
	u.quantiles(&sizes)
	for name, bytes := range w.Types {
		if bytes > 0 {
			u.add(name, float64(bytes), 1)
		}
	}
	return u
}

func (u *UsagePercentiles) quantiles(h *learn.Histogram) {
	u.P50, u.P90, u.P99 = int(h.Quantile(1, 2)), int(h.Quantile(9, 10)), int(h.Quantile(99, 100))
}

// add adds bytes for a type that a share of the work has.
func (u *UsagePercentiles) add(name string, bytes, share float64) {
	if u.Types == nil {
		u.Types = map[string]int{}
	}
	u.Types[name] += int(bytes * share)
}

// mix sets u to what all kinds of work together take, of which all but that without a key are among those of
// total.
func (u *UsagePercentiles) mix(total *PoolStats, p *Pool) {
	var all learn.Histogram
	rest := *u
	u.Types = nil
	gets := total.Gets
	for c := range p.classes {
		sizes := c.work.Sizes()
		all.Add(&sizes)
		if k, ok := total.Keys[c.key]; ok && c != &p.main {
			gets -= k.Gets
			for name, bytes := range k.Usage.Types {
				u.add(name, float64(bytes), float64(k.Gets)/float64(max(1, total.Gets)))
			}
		}
	}
	for name, bytes := range rest.Types {
		u.add(name, float64(bytes), float64(gets)/float64(max(1, total.Gets)))
	}
	u.quantiles(&all)
}

// books returns the leases, and by class what those did that are gone.
func (p *Pool) books() (leases []*lease, past map[*class]*PoolStats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pruneLost()
	past = map[*class]*PoolStats{}
	for c := range p.classes {
		s := c.past
		s.Sizes = s.Sizes.clone()
		s.LimitHits = c.limitHits
		past[c] = &s
	}
	return slices.Clone(p.leases), past
}

// enlist adds the lease of a new arena to the books. From time to time it looks
// for those of arenas that the GC has dropped.
func (p *Pool) enlist(l *lease) {
	p.register()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.leases) >= p.pruneAt {
		p.prune()
		p.pruneAt = 2*len(p.leases) + 16
	}
	p.leases = append(p.leases, l)
}

// pruneLost is prune unless no arena can have been lost since the last one.
func (p *Pool) pruneLost() {
	if p.pruned != gcCycles() {
		p.prune()
	}
}

// gcCycles returns how many cycles the GC has completed. A weak pointer to a tick, as
// that of package watch, wouldn't do: who looks at it often keeps the tick alive.
func gcCycles() uint64 {
	s := [1]metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}

// prune takes the arenas that can't be used again out of the books, and adds
// up what they did.
func (p *Pool) prune() {
	p.pruned = gcCycles()
	p.leases = slices.DeleteFunc(p.leases, func(l *lease) bool {
		if !l.freed.Load() && l.arena.Value() != nil {
			return false
		}
		s := l.stats()
		if s.Live > 0 { // never put back
			if l.remembered() {
				p.lost = append(p.lost, l.lentAt)
			}
			s.Live, s.Lost = 0, 1
			l.endSamples(0)
			if p.total.limit > 0 {
				p.total.bytes.Add(-int64(s.Reserved))
			}
		}
		p.held.Add(-int64(s.Reserved))
		s.Reserved, s.Retained, s.Idle, s.Waste = 0, 0, 0, 0
		l.class.past.add(s)
		return true
	})
}

// review counts the arenas for the shares that they may have, unless that isn't due yet: while they
// have too much, it is from time to time, and after each cycle of the GC, which may have dropped
// idle ones. Nobody waits for another who does that.
func (p *Pool) review(due bool) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	p.untilReview--
	if p.pruned == gcCycles() && p.untilReview > 0 && !due {
		return
	}
	p.pruneLost()
	lent := 1 // who asks is just about to come back
	for _, l := range p.leases {
		lent += int(l.turns.Load() % 2)
	}
	p.untilReview = max(tuning.ReviewEvery/4, len(p.leases)/16)
	p.shares.Review(lent, len(p.leases))
}

// exceeded reports whether the arenas have more than they may have together.
func (p *Pool) exceeded() bool { return p.shares.Exceeded(uintptr(p.held.Load())) }

// reap gives back to the limit what arenas hold that were lost. It is called when a limit is
// reached, before anybody is told so.
func (p *Pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pruneLost()
}

// collect has the GC find arenas that were lost, if others are lent that may be: such as those of requests
// that have timed out, which would hold the limit until the next cycle. With nothing else on the heap
// that may be minutes away.
func (p *Pool) collect() {
	c := &collected
	c.Lock()
	defer c.Unlock()
	if time.Since(c.at) < c.wait || !p.lendsOthers() {
		return
	}
	runtime.GC()
	before := p.total.bytes.Load()
	p.reap()
	c.at, c.wait = time.Now(), min(2*max(c.wait, tuning.CollectLeast/2), tuning.CollectMost)
	if p.total.bytes.Load() < before {
		c.wait = tuning.CollectLeast
	}
}

// collected is when a cycle of the GC was run for a pool, and after which time there may be another.
var collected struct {
	sync.Mutex
	at   time.Time
	wait time.Duration
}

// lendsOthers reports whether more than one arena is lent: who asks has one.
func (p *Pool) lendsOthers() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	live := 0
	for _, l := range p.leases {
		live += int(l.turns.Load() % 2)
	}
	return live > 1
}

// A limitHit is a LimitHit whose Stack is still to be turned into frames.
type limitHit struct {
	LimitHit
	stack watch.Stack
}

// A LimitHit is an allocation that a limit of a Pool, or of one of its arenas, didn't allow.
type LimitHit struct {
	Time  time.Time
	Asked int             // bytes
	Total bool            // by the limit of all arenas together
	Stack []runtime.Frame // of who has asked, the innermost call first
}

// LastLimitHit returns the last allocation in the pool that a limit didn't allow, and false if there was none.
func (p *Pool) LastLimitHit() (r LimitHit, ok bool) {
	if p == nil {
		return r, false
	}
	p.mu.Lock()
	last := p.limitHit
	p.mu.Unlock()
	if last.Time.IsZero() {
		return r, false
	}
	last.Stack = last.stack.Frames()
	return last.LimitHit, true
}
