package arena

import (
	"fmt"
	"runtime/metrics"
	"slices"
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

	Used      uint64 // bytes handed out, as seen by Put and Free; those of children don't count
	HighWater int    // the largest number of bytes handed out between Get and Put
	Growths   int    // chunks taken from the Go heap
	Reserved  int    // bytes of chunks that arenas have now
	Retained  int    // of Reserved, those of idle arenas

	FirstChunk int // bytes of the first chunk of a new arena, not counting slabs

	// Keys has the part that GetKeyed has in all of this, by key.
	Keys map[string]PoolStats `json:",omitempty"`
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
	s.Used += t.Used
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
	}
	if s.Live == 0 {
		s.Retained = s.Reserved
	}
	if l.freed.Load() {
		s.Puts--
		s.Freed = 1
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
		s.FirstChunk = int(c.work.First(chunk))
	}
	total := *of[&p.main]
	total.Name = p.config.name
	delete(of, &p.main)
	if len(of) > 0 {
		total.Keys = make(map[string]PoolStats, len(of))
	}
	for c, s := range of {
		s.Name = c.key
		total.Keys[c.key] = *s
		total.add(*s)
	}
	return total
}

// books returns the leases, and by class what those did that are gone.
func (p *Pool) books() (leases []*lease, past map[*class]*PoolStats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pruneLost()
	past = map[*class]*PoolStats{}
	for c := range p.classes {
		s := c.past
		past[c] = &s
	}
	return slices.Clone(p.leases), past
}

// enlist adds the lease of a new arena to the books. From time to time it looks
// for those of arenas that the GC has dropped.
func (p *Pool) enlist(l *lease) {
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
			if l.lentAt != nil {
				p.lost = append(p.lost, l.lentAt)
			}
			s.Live, s.Lost = 0, 1
			if p.total.limit > 0 {
				p.total.bytes.Add(-int64(s.Reserved))
			}
		}
		s.Reserved, s.Retained = 0, 0
		l.class.past.add(s)
		return true
	})
}

// reap gives back to the limit what arenas hold that were lost. It is called when a limit is
// reached, before anybody is told so.
func (p *Pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pruneLost()
}
