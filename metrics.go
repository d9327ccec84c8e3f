package arena

import (
	"maps"
	"slices"
)

// This file holds the table of which all exporters are made. It may not know who exports.

// A MetricKind says how a Metric changes.
type MetricKind uint8

const (
	Gauge   MetricKind = iota // goes up and down
	Counter                   // only grows
)

// A Metric is a number about a Pool, or about one of its keys.
type Metric struct {
	Name  string // such as "gets", in words joined by "_"
	Unit  string // "bytes", "seconds", or "" for a number of things
	Kind  MetricKind
	Help  string // a sentence
	State string // "used" or "idle", of which the metric has one number each; or ""
	Pool  string // its name, as Pool.Name says
	Key   string // as GetKeyed was given; "" for all of the pool, the keys included
	Value float64
}

// metric is a row of the table: how a number is found in what is known.
type metric struct {
	Metric
	of func(s *PoolStats) float64
}

var metricRows = []metric{
	{Metric{Name: "gets", Kind: Counter, Help: "Arenas lent."}, func(s *PoolStats) float64 { return float64(s.Gets) }},
	{Metric{Name: "puts", Kind: Counter, Help: "Arenas that came back."}, func(s *PoolStats) float64 { return float64(s.Puts) }},
	{Metric{Name: "misses", Kind: Counter, Help: "Arenas that had to be made, since none was idle."}, func(s *PoolStats) float64 { return float64(s.Misses) }},
	{Metric{Name: "freed", Kind: Counter, Help: "Arenas that were freed instead of put back."}, func(s *PoolStats) float64 { return float64(s.Freed) }},
	{Metric{Name: "lost", Kind: Counter, Help: "Arenas that were never put back, and found by the GC."}, func(s *PoolStats) float64 { return float64(s.Lost) }},
	{Metric{Name: "refused", Kind: Counter, Help: "Allocations that a limit didn't allow."}, func(s *PoolStats) float64 { return float64(s.Refused) }},
	{Metric{Name: "growths", Kind: Counter, Help: "Chunks taken from the Go heap."}, func(s *PoolStats) float64 { return float64(s.Growths) }},
	{Metric{Name: "checked", Kind: Counter, Help: "Arenas lent that were checked ones."}, func(s *PoolStats) float64 { return float64(s.Checked) }},
	{Metric{Name: "escapes", Kind: Counter, Help: "References found that have outlived their arena's memory."}, func(s *PoolStats) float64 { return float64(s.Escapes) }},
	{Metric{Name: "leases", State: "used", Help: "Arenas that are lent, or idle."}, func(s *PoolStats) float64 { return float64(s.Live) }},
	{Metric{Name: "leases", State: "idle", Help: "Arenas that are lent, or idle."}, func(s *PoolStats) float64 { return float64(s.Idle) }},
	{Metric{Name: "used", Unit: "bytes", Kind: Counter, Help: "Bytes handed out by arenas that came back."}, func(s *PoolStats) float64 { return float64(s.Used) }},
	{Metric{Name: "reserved", Unit: "bytes", Help: "Bytes of the chunks that arenas have."}, func(s *PoolStats) float64 { return float64(s.Reserved) }},
	{Metric{Name: "retained", Unit: "bytes", Help: "Of the reserved bytes, those of idle arenas."}, func(s *PoolStats) float64 { return float64(s.Retained) }},
	{Metric{Name: "waste", Unit: "bytes", Help: "Of the retained bytes, those that the arena that has them never needed."}, func(s *PoolStats) float64 { return float64(s.Waste) }},
	{Metric{Name: "high_water", Unit: "bytes", Help: "The most that was handed out between Get and Put."}, func(s *PoolStats) float64 { return float64(s.HighWater) }},
	{Metric{Name: "limit", Unit: "bytes", Help: "The most that an arena may hand out; 0 if there is no limit."}, func(s *PoolStats) float64 { return float64(s.Limit) }},
	{Metric{Name: "use_p50", Unit: "bytes", Help: "What half of the last uses of an arena took at most."}, func(s *PoolStats) float64 { return float64(s.Use.P50) }},
	{Metric{Name: "use_p90", Unit: "bytes", Help: "What nine in ten of the last uses of an arena took at most."}, func(s *PoolStats) float64 { return float64(s.Use.P90) }},
	{Metric{Name: "use_p99", Unit: "bytes", Help: "What 99 in 100 of the last uses of an arena took at most."}, func(s *PoolStats) float64 { return float64(s.Use.P99) }},
	{Metric{Name: "oldest_lease", Unit: "seconds", Help: "For how long the oldest arena that is lent has been; see Pool.Leases."}, nil},
}

// Metrics returns the numbers of all pools, and of all their keys, as [Pools], [Pool.Stats] and [Pool.Leases]
// give them: pool by pool, for each first all of it and then its keys, sorted. It takes time in proportion to the
// number of arenas and keys, and makes leases be watched.
func Metrics() (all []Metric) {
	for _, p := range Pools() {
		s := p.Stats()
		name := p.Name()
		oldest := map[string]float64{}
		for _, l := range p.leaseAges() {
			oldest[l.key] = max(oldest[l.key], l.age)
			oldest[""] = max(oldest[""], l.age)
		}
		all = s.metrics(all, name, "", oldest[""])
		for _, key := range slices.Sorted(maps.Keys(s.Keys)) {
			k := s.Keys[key]
			all = k.metrics(all, name, key, oldest[key])
		}
	}
	return all
}

// metrics adds those of a pool or a key to others.
func (s *PoolStats) metrics(all []Metric, pool, key string, oldest float64) []Metric {
	for _, row := range metricRows {
		m := row.Metric
		m.Pool, m.Key, m.Value = pool, key, oldest
		if row.of != nil {
			m.Value = row.of(s)
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
	watchLeases()
	now := clock.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sightings(now) {
		ages = append(ages, age{s.lease.class.key, float64(now - s.since)})
	}
	return ages
}
