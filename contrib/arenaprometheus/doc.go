// Package arenaprometheus exports the metrics of arena pools to Prometheus:
//
//	prometheus.MustRegister(arenaprometheus.NewCollector())
//	http.Handle("/metrics", promhttp.Handler())
//
// There is a series for each pool, by its name ([arena.Pool.Name], best set with [arena.WithName]),
// and key of [arena.Pool.GetKeyed]:
//
//	arena_pool_gets_total           arenas lent
//	arena_pool_puts_total           arenas put back
//	arena_pool_misses_total         arenas that had to be made, since none was idle
//	arena_pool_freed_total          arenas freed instead of put back
//	arena_pool_lost_total           arenas that were never put back, and found by the GC
//	arena_pool_limit_hits_total     allocations that a limit didn't allow
//	arena_pool_growths_total        chunks taken from the Go heap
//	arena_pool_taken_bytes_total    bytes of these
//	arena_pool_checked_total        arenas lent that were checked ones
//	arena_escapes_total             references found that have outlived their arena's memory
//	arena_pool_sampled_total        leases without reuse, examined two collections after their end
//	arena_pool_kept_total           of these, those with values still in use
//	arena_pool_leases               arenas that are lent or idle, by state: "used", "idle"
//	arena_pool_reserved_bytes       bytes of the arenas' chunks
//	arena_pool_used_bytes           of these, those of arenas that are lent
//	arena_pool_retained_bytes       of these, those of idle arenas
//	arena_pool_waste_bytes          of the retained ones, those that were never needed
//	arena_pool_request_bytes        a native histogram: bytes allocated between Get and Put
//	arena_pool_high_water_bytes     the most that was allocated between Get and Put
//	arena_pool_limit_bytes          the most that an arena may allocate
//	arena_pool_oldest_lease_seconds age of the oldest lease
//
// Limits belong to the pool and have no label key. Other series with key "" are for arenas without
// a key, so that the sum over all keys is that of the pool. High water and the oldest lease with
// key "" are those of the whole pool: use their maximum over all keys. 100 keys of a pool are
// distinguished: those that had lent the most when they were first seen. The others are combined as
// "other". Pools with the same name are combined.
//
// Some queries:
//
//	histogram_quantile(0.99, sum by (pool) (rate(arena_pool_request_bytes[5m])))  # what requests take
//	sum by (pool) (rate(arena_pool_misses_total[5m])) / sum by (pool) (rate(arena_pool_gets_total[5m]))
//	max by (pool) (arena_pool_oldest_lease_seconds) > 600                         # an arena isn't put back
//	increase(arena_escapes_total[1h]) > 0                                         # dead values are kept
//	increase(arena_pool_sampled_total[1d]) > 1000 unless increase(arena_pool_kept_total[1d]) > 0  # try WithReuse
//
// Native histograms are scraped in the protobuf format, which Prometheus requests if they are
// enabled there. In the text format the histogram has a count, a sum, and the buckets that
// [ClassicBuckets] adds.
//
// Labels of a program's own metrics must not be in an arena whose memory is reused: With and
// WithLabelValues keep them as the key of the metric. Clone them ([arena.Clone]).
package arenaprometheus
