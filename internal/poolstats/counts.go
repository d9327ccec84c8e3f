// Package poolstats counts the uses of a pool's arenas: how often each was lent, how many bytes each piece of work
// allocated, and for how long a lease has lasted. It must not depend on arenas.
package poolstats

import "runtime/metrics"

// Counts are the numbers of one arena of a pool, or the sum of those of several. They are fields of arena.PoolStats,
// which documents them.
type Counts struct {
	Gets, Puts, Misses, Freed, Lost, Live, Idle int
	LimitHits, Checked, Escapes, Sampled, Kept  int
	Used                                        uint64
	HighWater, Growths                          int
	Taken                                       uint64
	Reserved, Retained, Waste                   int
	Sizes                                       Histogram
}

// Add adds other counts. The high-water mark becomes that of the larger.
func (c *Counts) Add(o *Counts) {
	c.Gets += o.Gets
	c.Puts += o.Puts
	c.Misses += o.Misses
	c.Freed += o.Freed
	c.Lost += o.Lost
	c.Live += o.Live
	c.Idle += o.Idle
	c.LimitHits += o.LimitHits
	c.Checked += o.Checked
	c.Escapes += o.Escapes
	c.Sampled += o.Sampled
	c.Kept += o.Kept
	c.Used += o.Used
	c.HighWater = max(c.HighWater, o.HighWater)
	c.Growths += o.Growths
	c.Taken += o.Taken
	c.Reserved += o.Reserved
	c.Retained += o.Retained
	c.Waste += o.Waste
	c.Sizes.Add(o.Sizes)
}

// Gone makes the counts those of an arena that the GC has collected: it has no memory any more, and isn't idle.
func (c *Counts) Gone() { c.Reserved, c.Retained, c.Idle, c.Waste = 0, 0, 0, 0 }

// Cycles returns how many cycles the GC has completed. A weak pointer to a tick, as in package watch, wouldn't do: one
// that is looked at often stays alive.
func Cycles() uint64 {
	s := [1]metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}
