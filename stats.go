package arena

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/learn"
	"github.com/harena-go/arena/internal/poolstats"
)

// This file holds the statistics of arenas and pools. It isn't on the path of an allocation, nor of Get and Put: it
// adds up existing counters.

// Stats describes the memory of an arena. All sizes are in bytes. A child's memory is not included in its parent's.
// The limits of a Pool and of a Shared, and PoolStats, count chunks only: Reserved less Lists.
type Stats struct {
	Name      string // set by WithName
	Used      int    // allocated now, padding included
	Reserved  int    // taken from the Go heap, in use or not: chunks and Lists
	Lists     int    // part of Reserved: lists of marks and the like beyond 1 KiB, and memory kept for stale pointers
	Retained  int    // part of Reserved: chunks with nothing in use, and unused parts of Lists
	Wasted    int    // part of Reserved: the ends of chunks that were too small for the next allocation
	HighWater int    // the largest Used seen by Stats, Reset, Rewind or Free
	Chunks    int    // blocks from the Go heap, including slabs
	Slabs     int    // types with pointers; each has chunks of its own
	Resets    int    // calls of Reset
}

// String returns the statistics as one readable line.
func (s Stats) String() string {
	return fmt.Sprintf("arena%s: %s used (high water %s) of %s in %s; %s retained, %s wasted; %s, %s",
		quoted(s.Name), size(s.Used), size(s.HighWater), size(s.Reserved), count(s.Chunks, "chunk"),
		size(s.Retained), size(s.Wasted), count(s.Slabs, "slab"), count(s.Resets, "reset"))
}

// UsedBytes returns the bytes that are allocated now, with the padding for alignment: objects count as multiples of 8,
// strings as they are. It takes time in proportion to the number of types with pointers. A nil or freed arena uses
// none.
func (a *Arena) UsedBytes() int {
	if a == nil || a.core == nil || a.idle() {
		return 0
	}
	return int(a.usedBytes())
}

// Stats returns the arena's statistics. It takes time in proportion to the number of its unused chunks and of types
// with pointers, cheap enough for each request. For a nil arena they are zero.
func (a *Arena) Stats() Stats {
	if a == nil || a.core == nil {
		return Stats{}
	}
	if a.idle() {
		return Stats{Name: a.name(), HighWater: int(a.life.highWater), Resets: int(a.life.resets)}
	}
	a.noteUse()
	s := Stats{Name: a.name(), HighWater: int(a.life.highWater), Resets: int(a.life.resets)}
	for r := range a.memory.Regions {
		s.countRegion(r)
	}
	lists := a.listSize()
	s.Reserved += int(lists.Total)
	s.Lists = int(lists.Total)
	s.Retained += int(lists.Unused)
	return s
}

// add adds the numbers of another arena.
func (s *Stats) add(t Stats) {
	s.Used += t.Used
	s.Reserved += t.Reserved
	s.Lists += t.Lists
	s.Retained += t.Retained
	s.Wasted += t.Wasted
	s.Chunks += t.Chunks
	s.Slabs = max(s.Slabs, t.Slabs)
}

// countRegion adds the memory of one region. A region with a type is a slab.
func (s *Stats) countRegion(r *memory.Region) {
	s.Used += int(r.Used())
	s.Reserved += int(r.Total())
	s.Retained += int(r.Unused())
	s.Wasted += int(r.Waste())
	s.Chunks += r.Len()
	if r.Type() != nil {
		s.Slabs++
	}
}

// Stats returns the statistics of all locals together, and of the chunks that are kept for further ones. Locals that
// ended by their own Free are not included. Like Reset, it must only be called while no goroutine is using its local.
// For a nil Shared they are zero.
func (s *Shared) Stats() Stats {
	if s == nil {
		return Stats{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.root.core == nil {
		return Stats{}
	}
	total := s.root.Stats()
	for a := range s.root.family.children {
		total.add(a.Stats())
	}
	total.HighWater = max(total.HighWater, total.Used)
	return total
}

// PoolStats describes the work of a Pool since it was made, and its memory now. A Pool without reuse has no idle arenas
// and no memory of its own: other Pools find its open chunks, too. So Idle, Retained, Waste and Checked are 0, and
// memory that only kept values keep belongs to the Go heap, and isn't counted.
type PoolStats struct {
	Name  string // of the pool, set by WithName; or the key
	Reuse bool   // Put reuses memory, by WithReuse; of a pool with keys, for arenas without one

	Gets   int // arenas lent
	Puts   int // arenas put back
	Misses int // of Gets, those without an idle arena; without reuse, those that began with no memory
	Freed  int // arenas that were freed instead of put back
	Lost   int // arenas that were neither put back nor freed, found by the GC
	Live   int // arenas that are lent now; Put subtracts one when it begins
	Idle   int // arenas ready to be lent; 0 without reuse

	LimitHits int // allocations refused by a limit; see arenametrics.LastLimitHit
	Checked   int // of Gets, checked arenas, by WithCheckRate, WithGuardRate or WithObserveRate
	Escapes   int // references found by checked arenas and by WithChecks

	// Without reuse, the lives that the Pool examined two collections after their end, and of these, the lives with
	// values still in use. If there are none, [WithReuse] may be right for such work; tests show that it is.
	Sampled, Kept int

	Used      uint64 // bytes allocated, as seen by Put and Free, without children
	HighWater int    // the largest number of bytes allocated between Get and Put
	Growths   int    // chunks taken from the Go heap
	Taken     uint64 // bytes of these chunks
	Reserved  int    // bytes of chunks that arenas have now; without reuse, the open chunks of lent arenas
	Retained  int    // part of Reserved: chunks of idle arenas; 0 without reuse
	Waste     int    // part of Retained: bytes that their arena has never used
	Learned   int    // bytes of the learned types of each kind of work; not a part of Reserved

	Limit     int              // bytes that an arena may allocate, by WithLimit; 0 if there is no limit
	PoolLimit int              // bytes of chunks for all lent arenas, by WithPoolLimit; 0 if there is no limit
	Usage     UsagePercentiles // bytes allocated between Get and Put lately

	Sizes Histogram `json:"-"` // bytes allocated, for each of Puts and Freed

	FirstChunk int // bytes of the first chunk of a new arena with reuse, not counting slabs

	// Keys has the part of all this due to GetKeyed, by key.
	Keys map[string]PoolStats `json:",omitempty"`
}

// A Histogram counts pieces of work by the bytes that they allocated between Get and Put, without children.
type Histogram struct {
	Count uint64  // pieces of work that ended by Put or Free
	Sum   float64 // bytes that they allocated
	Zero  uint64  // of Count, pieces that allocated nothing

	// Buckets has the others: Buckets[i] is the number of pieces that allocated at most 2^(i/4) bytes, but more than
	// 2^((i-1)/4). These are the buckets of Prometheus' schema 2, and of OpenTelemetry's scale 2 with one less.
	Buckets []uint64
}

// UsagePercentiles has the bytes that pieces of work allocate. P90: 90% of the last few hundred sampled pieces
// allocated at most this many bytes, children included; up to 25% too high. It is zero while there are too few samples.
// The maximum is PoolStats.HighWater.
type UsagePercentiles struct {
	P50, P90, P99 int

	// Needed is the average of the bytes of chunks that the last few dozen pieces needed, and Taken the part from the
	// Go heap. In a warm pool Taken is near 0: most pieces find the memory of others.
	Needed, Taken int

	// Types is the average of the bytes for values of each type with pointers in a piece of work, by the type's name,
	// and under "" for all values without pointers.
	Types map[string]int `json:",omitempty"`
}

// String returns the statistics as one readable line.
func (s PoolStats) String() string {
	each := float64(s.Growths) / float64(max(1, s.Gets))
	return fmt.Sprintf("pool%s: %s, %d misses, %.2g chunks each; %d live, %d freed, %d lost; "+
		"%s used each, %s at most; %s reserved, %s of it idle; first chunk %s",
		quoted(s.Name), count(s.Gets, "get"), s.Misses, each, s.Live, s.Freed, s.Lost,
		size(int(s.Used/uint64(max(1, s.Puts+s.Freed)))), size(s.HighWater),
		size(s.Reserved), size(s.Retained), size(s.FirstChunk))
}

// poolStats returns the counts of arenas as statistics.
func poolStats(name string, c *poolstats.Counts) PoolStats {
	return PoolStats{
		Name: name, Gets: c.Gets, Puts: c.Puts, Misses: c.Misses,
		Freed: c.Freed, Lost: c.Lost, Live: c.Live, Idle: c.Idle,
		LimitHits: c.LimitHits, Checked: c.Checked, Escapes: c.Escapes,
		Sampled: c.Sampled, Kept: c.Kept, Used: c.Used, HighWater: c.HighWater,
		Growths: c.Growths, Taken: c.Taken, Reserved: c.Reserved, Retained: c.Retained, Waste: c.Waste,
		Sizes: Histogram(c.Sizes),
	}
}

// Stats returns the pool's statistics. It takes time in proportion to the number of arenas and keys, and blocks Get and
// Put for a small part of it at most. The work of arenas that the GC has freed counts. For a nil pool the statistics
// are zero.
func (p *Pool) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	var all poolstats.Counts
	of := p.counts()
	keys := make(map[string]PoolStats, len(of)-1)
	var total PoolStats // of arenas without a key, then of all
	for c, counts := range of {
		all.Add(counts)
		s := poolStats(c.key, counts)
		s.Reuse = c.reuse
		s.Limit = int(p.config.limit)
		s.FirstChunk = int(c.work.First(p.options().Chunk))
		s.Usage = usageOf(&c.work)
		if c == &p.main {
			total = s
		} else {
			keys[c.key] = s
		}
	}
	usage, first := total.Usage, total.FirstChunk
	total = poolStats(p.config.name, &all)
	total.Reuse = p.main.reuse
	total.Limit, total.PoolLimit, total.FirstChunk, total.Usage = int(p.config.limit), int(p.config.total), first, usage
	total.Learned = int(p.state.types.Bytes(&p.main.work))
	if len(keys) > 0 {
		total.Keys = keys
		total.Usage.mix(&total, p)
	}
	return total
}

// counts returns the counts of each class.
func (p *Pool) counts() map[*class]*poolstats.Counts {
	of := map[*class]*poolstats.Counts{}
	p.state.mu.Lock()
	p.state.pruneLost()
	for c := range p.classes {
		counts := c.past
		counts.Sizes = counts.Sizes.Clone()
		counts.LimitHits = c.limitHits
		of[c] = &counts
	}
	spare := int(p.state.depot.Bytes())
	of[&p.main].Reserved += spare
	of[&p.main].Retained += spare
	leases := slices.Clone(p.state.leases)
	p.state.mu.Unlock()
	for _, l := range leases {
		counts := l.counts()
		of[l.class].Add(&counts)
	}
	for c, counts := range of {
		counts.Checked, counts.Escapes = int(c.checked.Load()), int(c.escapes.Load())
		counts.Sampled, counts.Kept = c.keeping.checked()
	}
	return of
}

// usageOf returns the usage of one kind of work.
func usageOf(w *learn.Work) (u UsagePercentiles) {
	sizes := w.Sizes()
	u.quantiles(&sizes)
	needed, taken := w.Balance()
	u.Needed, u.Taken = int(needed), int(taken)
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

// add adds the bytes of a type, for a kind of work with the given share of all work.
func (u *UsagePercentiles) add(name string, bytes, share float64) {
	if u.Types == nil {
		u.Types = map[string]int{}
	}
	u.Types[name] += int(bytes * share)
}

// mix turns u from the usage of work without a key to the usage of all work. The other kinds are among the keys of
// total.
func (u *UsagePercentiles) mix(total *PoolStats, p *Pool) {
	var all learn.Histogram
	rest := *u
	*u = UsagePercentiles{}
	gets := total.Gets
	average := func(k *UsagePercentiles, gets int) {
		share := float64(gets) / float64(max(1, total.Gets))
		u.Needed += int(float64(k.Needed) * share)
		u.Taken += int(float64(k.Taken) * share)
		for name, bytes := range k.Types {
			u.add(name, float64(bytes), share)
		}
	}
	for c := range p.classes {
		sizes := c.work.Sizes()
		all.Add(&sizes)
		if k, ok := total.Keys[c.key]; ok && c != &p.main {
			gets -= k.Gets
			average(&k.Usage, k.Gets)
		}
	}
	average(&rest, gets)
	u.quantiles(&all)
}

// Pools returns all pools in use, in the order in which they were made; a zero Pool was made when it lent its first
// arena. It includes an unreferenced pool until the GC finds it.
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

// Name returns the pool's name: the one set by WithName, or else the line that called NewPool, such as "pool at
// server.go:31". A zero Pool is "zero pool".
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
