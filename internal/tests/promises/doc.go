// Package promises holds the tests of what package arena promises to its users about
// lifetimes, pools, many goroutines, budgets and bad input, all through its exported names.
// They are here and not in the first folder so that a visitor of that sees the library. It has
// no code.
//
//	misuse_*, nil_arena   bad input panics with a message, and what isn't bad works
//	gc_*, header          the GC sees what it must see, and gets what is released
//	*limit*, checked_budget, pool_account   budgets hold, exactly
//	pool_*, shared_*, context   who may use which arena, and when
//	regress               bugs of other arenas for Go, which this one must not have
//
// What the engine promises is in internal/engine/memory, what checks find in internal/diagnose/watch,
// and the model that knows what must be in each byte in internal/tests/model.
package promises
