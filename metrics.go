package arena

import (
	"maps"
	"slices"
)

// This file holds the table of which all exporters are made. It may not know who exports.

// A MetricKind says how a Metric changes.
type MetricKind uint8

const (
	Gauge        MetricKind = iota // goes up and down
	Counter                        // only grows
	Distribution                   // counts how many were how large, see Histogram; only grows
)

// A Metric is a number about a Pool, or about one of its keys.
type Metric struct {
	Name  string // such as "gets", in words joined by "_"
	Unit  string // "bytes", "seconds", or "" for a number of things
	Kind  MetricKind
	Help  string  // a sentence
	State string  // "used" or "idle", of which the metric has one number each; or ""
	Pool  string  // its name, as Pool.Name says
	Key   string  // as GetKeyed was given; "" for all of the pool, the keys included
	Value float64 // of a Distribution, how many it has counted

	// Additive says that the pool's number is the sum of its keys' and of that of arenas without a key. If it isn't set
	// such a sum makes no sense.
	Additive bool

	PoolOnly bool // of all of the pool only: keys have none

	Histogram *Histogram // of a Distribution; else nil
}

// metric is a row of the table: how a number is found in what is known.
type metric struct {
	Metric
	of func(s *PoolStats) float64
}

var metricRows = []metric{
	{Metric: Metric{Name: "gets", Kind: Counter, Help: "Arenas lent.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Gets) }},
	{Metric: Metric{Name: "puts", Kind: Counter, Help: "Arenas that came back.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Puts) }},
	{Metric: Metric{Name: "misses", Kind: Counter, Help: "Arenas that had to be made, since none was idle.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Misses) }},
	{Metric: Metric{Name: "freed", Kind: Counter, Help: "Arenas that were freed instead of put back.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Freed) }},
	{Metric: Metric{Name: "lost", Kind: Counter, Help: "Arenas that were never put back, and found by the GC.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Lost) }},
	{Metric: Metric{Name: "limit_hits", Kind: Counter, Help: "Allocations that a limit didn't allow.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.LimitHits) }},
	{Metric: Metric{Name: "growths", Kind: Counter, Help: "Chunks taken from the Go heap.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Growths) }},
	{Metric: Metric{Name: "checked", Kind: Counter, Help: "Arenas lent that were checked ones.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Checked) }},
	{Metric: Metric{Name: "escapes", Kind: Counter, Help: "References found that have outlived their arena's memory.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Escapes) }},
	{Metric: Metric{Name: "leases", State: "used", Help: "Arenas that are lent, or idle.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Live) }},
	{Metric: Metric{Name: "leases", State: "idle", Help: "Arenas that are lent, or idle.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Idle) }},
	{Metric: Metric{Name: "reserved", Unit: "bytes", Help: "Bytes of the chunks that arenas have.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Reserved) }},
	{Metric: Metric{Name: "used", Unit: "bytes", Help: "Of the reserved bytes, those of arenas that are lent.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Reserved - s.Retained) }},
	{Metric: Metric{Name: "retained", Unit: "bytes", Help: "Of the reserved bytes, those of idle arenas.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Retained) }},
	{Metric: Metric{Name: "waste", Unit: "bytes", Help: "Of the retained bytes, those that the arena that has them never needed.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Waste) }},
	{Metric: Metric{Name: "request", Unit: "bytes", Kind: Distribution, Help: "Bytes handed out between Get and Put or Free, those of children not counted.", Additive: true}, of: func(s *PoolStats) float64 { return float64(s.Sizes.Count) }},
	{Metric: Metric{Name: "high_water", Unit: "bytes", Help: "The most that was handed out between Get and Put."}, of: func(s *PoolStats) float64 { return float64(s.HighWater) }},
	{Metric: Metric{Name: "limit", Unit: "bytes", Help: "The most that an arena may hand out; 0 if there is no limit.", PoolOnly: true}, of: func(s *PoolStats) float64 { return float64(s.Limit) }},
	{Metric: Metric{Name: "usage_p50", Unit: "bytes", Help: "What half of the last uses of an arena took at most."}, of: func(s *PoolStats) float64 { return float64(s.Usage.P50) }},
	{Metric: Metric{Name: "usage_p90", Unit: "bytes", Help: "What nine in ten of the last uses of an arena took at most."}, of: func(s *PoolStats) float64 { return float64(s.Usage.P90) }},
	{Metric: Metric{Name: "usage_p99", Unit: "bytes", Help: "What 99 in 100 of the last uses of an arena took at most."}, of: func(s *PoolStats) float64 { return float64(s.Usage.P99) }},
	{Metric: Metric{Name: "oldest_lease", Unit: "seconds", Help: "For how long the oldest arena that is lent has been; see Pool.Leases."}},
}

// Metrics returns the numbers of all pools, as [Pools] and [Pool.Metrics] give them.
func Metrics() (all []Metric) {
	for _, p := range Pools() {
		all = append(all, p.Metrics()...)
	}
	return all
}

// Metrics returns the pool's numbers and those of its keys, as [Pool.Stats] and [Pool.Leases] have them: first
// those of all of it, then key by key, sorted. It takes time in proportion to the number of arenas and keys, and makes
// leases be watched. Those of a nil pool are all zero, and say which there are.
func (p *Pool) Metrics() (all []Metric) {
	s := p.Stats()
	name := p.Name()
	oldest := map[string]float64{}
	for _, l := range p.leaseAges() {
		oldest[l.key] = max(oldest[l.key], l.age)
		oldest[""] = max(oldest[""], l.age)
	}
	all = s.metrics(all, name, "", oldest[""])
	for _, key := range slices.Sorted(maps.Keys(s.Keys)) {
		if key == "" { // which stands for the whole pool
			continue
		}
		k := s.Keys[key]
		all = k.metrics(all, name, key, oldest[key])
	}
	return all
}

// metrics adds those of a pool or a key to others.
func (s *PoolStats) metrics(all []Metric, pool, key string, oldest float64) []Metric {
	for _, row := range metricRows {
		if row.PoolOnly && key != "" {
			continue
		}
		m := row.Metric
		m.Pool, m.Key = pool, key
		m.Value = oldest
		if row.of != nil {
			m.Value = row.of(s)
		}
		if m.Kind == Distribution {
			m.Histogram = &s.Sizes
		}
		all = append(all, m)
	}
	return all
}

// An age is for how many seconds an arena of a key has been lent.
type age struct {
	key string
	age float64
}

// leaseAges returns the ages of all leases.
func (p *Pool) leaseAges() (ages []age) {
	if p == nil {
		return nil
	}
	now := watchLeases()
	for s := range p.sightings(now) {
		ages = append(ages, age{s.lease.class.key, s.age(now).Seconds()})
	}
	return ages
}
