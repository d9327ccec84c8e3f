// Package arenametrics returns the numbers of all pools as one table, from which an exporter for any metrics system can
// be made. It has no dependencies, and must not depend on any such system: the exporters for Prometheus and
// OpenTelemetry are modules of their own, built on it.
//
// [Of] and [All] return the pools' own numbers. A [Table] bounds the number of series and keeps counters from falling,
// which an exporter needs. [Leases] and [LastLimitHit] name the lines where a program got its arenas, and where it
// reached a limit.
package arenametrics

import (
	"maps"
	"slices"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/poolstats"
)

// A Kind is the way in which a Metric changes.
type Kind uint8

const (
	Gauge        Kind = iota // goes up and down
	Counter                  // only grows
	Distribution             // counts pieces of work by their size, see Histogram; only grows
)

// A Metric is a number about a [arena.Pool], or about one of its keys.
type Metric struct {
	Name  string // such as "gets", in words joined by "_"
	Unit  string // "bytes", "seconds", or "" for a number of things
	Kind  Kind
	Help  string  // a sentence
	State string  // "used" or "idle" if the metric has a number for each; else ""
	Pool  string  // its name, as Pool.Name returns it
	Key   string  // as given to GetKeyed; "" for the whole pool, keys included
	Value float64 // of a Distribution, the number of pieces of work

	// Additive is set if the pool's number is the sum of its keys' numbers and of the number for arenas without a key.
	// Otherwise such a sum makes no sense.
	Additive bool

	PoolOnly bool // only the pool has this number, not its keys

	Histogram *arena.Histogram // of a Distribution; else nil
}

// A row of the table is a metric and the function that computes its number from the statistics; without of, it is the
// age of the oldest lease.
type row struct {
	Metric
	of func(s *arena.PoolStats) float64
}

// rows has the metrics of every pool and every key, in the order in which Of returns them.
var rows = []row{
	{Metric{Name: "gets", Kind: Counter, Help: "Arenas lent.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Gets) }},
	{Metric{Name: "puts", Kind: Counter, Help: "Arenas that were put back.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Puts) }},
	{Metric{Name: "misses", Kind: Counter, Help: "Arenas that were made because none was idle.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Misses) }},
	{Metric{Name: "freed", Kind: Counter, Help: "Arenas that were freed instead of put back.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Freed) }},
	{Metric{Name: "lost", Kind: Counter, Help: "Arenas that were never put back, and found by the GC.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Lost) }},
	{Metric{Name: "limit_hits", Kind: Counter, Help: "Allocations that a limit didn't allow.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.LimitHits) }},
	{Metric{Name: "growths", Kind: Counter, Help: "Chunks taken from the Go heap.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Growths) }},
	{Metric{Name: "taken", Unit: "bytes", Kind: Counter,
		Help: "Bytes of chunks taken from the Go heap; for each get, near 0 in a warm pool.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Taken) }},
	{Metric{Name: "checked", Kind: Counter, Help: "Arenas lent that were checked ones.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Checked) }},
	{Metric{Name: "escapes", Kind: Counter,
		Help: "References found that have outlived their arena's memory.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Escapes) }},
	{Metric{Name: "sampled", Kind: Counter,
		Help: "Ended leases without reuse that were looked at two collections later.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Sampled) }},
	{Metric{Name: "kept", Kind: Counter, Help: "Sampled leases of which something was still in use.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Kept) }},
	{Metric{Name: "leases", State: "used", Help: "Arenas that are lent, or idle.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Live) }},
	{Metric{Name: "leases", State: "idle", Help: "Arenas that are lent, or idle.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Idle) }},
	{Metric{Name: "reserved", Unit: "bytes", Help: "Bytes of the chunks that arenas have.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Reserved) }},
	{Metric{Name: "used", Unit: "bytes", Help: "Reserved bytes of arenas that are lent.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Reserved - s.Retained) }},
	{Metric{Name: "retained", Unit: "bytes", Help: "Reserved bytes of idle arenas.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Retained) }},
	{Metric{Name: "waste", Unit: "bytes", Help: "Retained bytes that their arena has never used.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Waste) }},
	{Metric{Name: "request", Unit: "bytes", Kind: Distribution,
		Help: "Bytes allocated between Get and Put or Free, without those of children.", Additive: true},
		func(s *arena.PoolStats) float64 { return float64(s.Sizes.Count) }},
	{Metric{Name: "high_water", Unit: "bytes", Help: "The most bytes allocated between Get and Put."},
		func(s *arena.PoolStats) float64 { return float64(s.HighWater) }},
	{Metric{Name: "limit", Unit: "bytes",
		Help: "The most bytes that an arena may allocate; 0 if there is no limit.", PoolOnly: true},
		func(s *arena.PoolStats) float64 { return float64(s.Limit) }},
	{Metric{Name: "usage_p50", Unit: "bytes", Help: "What half of the last uses of an arena took at most."},
		func(s *arena.PoolStats) float64 { return float64(s.Usage.P50) }},
	{Metric{Name: "usage_p90", Unit: "bytes", Help: "What nine in ten of the last uses of an arena took at most."},
		func(s *arena.PoolStats) float64 { return float64(s.Usage.P90) }},
	{Metric{Name: "usage_p99", Unit: "bytes", Help: "What 99 in 100 of the last uses of an arena took at most."},
		func(s *arena.PoolStats) float64 { return float64(s.Usage.P99) }},
	{Metric{Name: "oldest_lease", Unit: "seconds",
		Help: "How long the oldest lease has lasted; see Leases."}, nil},
}

// All returns the numbers of all pools in use, listed by [arena.Pools] and described by [Of].
func All() (all []Metric) {
	for _, p := range arena.Pools() {
		all = append(all, Of(p)...)
	}
	return all
}

// Of returns the numbers of a pool and of its keys, which [arena.Pool.Stats] and [Leases] have as well: first for the
// whole pool, then for each key, sorted by key. It takes time in proportion to the number of arenas and keys, and makes
// the pool record the ages of leases, as Leases does. The numbers of a nil pool are all zero: they list the metrics.
func Of(p *arena.Pool) (all []Metric) {
	s := p.Stats()
	name := p.Name()
	oldest := map[string]time.Duration{} // by key; "" is the whole pool
	now := poolstats.Watch()
	for l := range poolstats.Pools.Sightings(p, now) {
		age := l.Age(now)
		oldest[l.Key] = max(oldest[l.Key], age)
		oldest[""] = max(oldest[""], age)
	}
	all = add(all, &s, name, "", oldest[""])
	for _, key := range slices.Sorted(maps.Keys(s.Keys)) {
		if key == "" { // "" stands for the whole pool
			continue
		}
		k := s.Keys[key]
		all = add(all, &k, name, key, oldest[key])
	}
	return all
}

// add appends the metrics of a pool or a key.
func add(all []Metric, s *arena.PoolStats, pool, key string, oldest time.Duration) []Metric {
	for _, r := range rows {
		if r.PoolOnly && key != "" {
			continue
		}
		m := r.Metric
		m.Pool, m.Key = pool, key
		m.Value = oldest.Seconds()
		if r.of != nil {
			m.Value = r.of(s)
		}
		if m.Kind == Distribution {
			m.Histogram = &s.Sizes
		}
		all = append(all, m)
	}
	return all
}
