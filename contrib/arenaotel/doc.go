// Package arenaotel shows OpenTelemetry what pools of arenas do:
//
//	arenaotel.Start() // of the global meter provider
//
// There is a series for each pool and key. The names are like those for pools of database connections, db.client.connection.count and
// so on:
//
//	arena.pool.lease.count       UpDownCounter  {lease}       arenas that are lent or idle, by state
//	arena.pool.lease.max_age     Gauge          s             for how long the oldest arena that is lent has been
//	arena.pool.gets              Counter        {lease}       arenas lent
//	arena.pool.puts              Counter        {lease}       arenas that came back
//	arena.pool.misses            Counter        {lease}       arenas that had to be made, since none was idle
//	arena.pool.freed             Counter        {lease}       arenas that were freed instead of put back
//	arena.pool.lost              Counter        {lease}       arenas that were never put back, and found by the GC
//	arena.pool.checked           Counter        {lease}       arenas lent that were checked ones
//	arena.pool.refused           Counter        {allocation}  allocations that a limit didn't allow
//	arena.pool.growths           Counter        {chunk}       chunks taken from the Go heap
//	arena.escapes                Counter        {reference}   references found that have outlived their arena's memory
//	arena.pool.memory.reserved   UpDownCounter  By            of the chunks that arenas have
//	arena.pool.memory.used       UpDownCounter  By            of these, those of arenas that are lent
//	arena.pool.memory.retained   UpDownCounter  By            of these, those of idle arenas
//	arena.pool.memory.waste      UpDownCounter  By            of the retained ones, those that were never needed
//	arena.pool.memory.high_water Gauge          By            the most that was allocated between Get and Put
//	arena.pool.memory.limit      Gauge          By            the most that an arena may allocate
//	arena.pool.request.size      Histogram      By            allocated between Get and Put; see [NewProducer]
//
// Attributes are arena.pool.name, as [arena.Pool.Name] says (better set one by [arena.WithName]); arena.pool.key, which arenas without a key
// haven't; and of the count of leases arena.pool.lease.state, "used" or "idle". Limits are the pool's, without keys. Without the
// attribute, gauges are of the whole pool, all else is of arenas without a key, so that sums are right. 100 keys of a pool are told
// apart, those that had lent the most when they were first seen; the others are "other" together. Pools of the same name are one.
package arenaotel
