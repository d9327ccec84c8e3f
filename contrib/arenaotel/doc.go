// Package arenaotel exports the metrics of arena pools to OpenTelemetry:
//
//	arenaotel.Start() // of the global meter provider
//
// There is a series for each pool and key. The names are like those for pools of database
// connections, db.client.connection.count and so on:
//
//	arena.pool.lease.count       UpDownCounter  {lease}       arenas that are lent or idle, by state
//	arena.pool.lease.max_age     Gauge          s             age of the oldest lease
//	arena.pool.gets              Counter        {lease}       arenas lent
//	arena.pool.puts              Counter        {lease}       arenas put back
//	arena.pool.misses            Counter        {lease}       arenas that had to be made, since none was idle
//	arena.pool.freed             Counter        {lease}       arenas freed instead of put back
//	arena.pool.lost              Counter        {lease}       arenas that were never put back, and found by the GC
//	arena.pool.checked           Counter        {lease}       arenas lent that were checked ones
//	arena.pool.limit_hits        Counter        {allocation}  allocations that a limit didn't allow
//	arena.pool.growths           Counter        {chunk}       chunks taken from the Go heap
//	arena.pool.taken             Counter        By            bytes of these
//	arena.escapes                Counter        {reference}   references found that have outlived their arena's memory
//	arena.pool.sampled           Counter        {lease}       leases without reuse, examined two collections later
//	arena.pool.kept              Counter        {lease}       of these, those with values still in use
//	arena.pool.memory.reserved   UpDownCounter  By            of the arenas' chunks
//	arena.pool.memory.used       UpDownCounter  By            of these, those of arenas that are lent
//	arena.pool.memory.retained   UpDownCounter  By            of these, those of idle arenas
//	arena.pool.memory.waste      UpDownCounter  By            of the retained ones, those that were never needed
//	arena.pool.memory.high_water Gauge          By            the most that was allocated between Get and Put
//	arena.pool.memory.limit      Gauge          By            the most that an arena may allocate
//	arena.pool.request.size      Histogram      By            allocated between Get and Put; see [NewProducer]
//
// The attributes are arena.pool.name, which is [arena.Pool.Name] (it is best set with
// [arena.WithName]); arena.pool.key, which arenas without a key lack; and for the count of leases
// arena.pool.lease.state, "used" or "idle". Limits belong to the pool and have no key. Gauges
// without a key are those of the whole pool. Other series without one are those of arenas without a
// key, so that sums are right. 100 keys of a pool are distinguished: those that had lent the most
// when they were first seen. The others are combined as "other". Pools with the same name are
// combined.
//
// Attributes of a program's own measurements must not be in an arena whose memory is reused: the SDK keeps them as the
// key of the series. Clone them ([arena.Clone]).
package arenaotel
