// Package promises tests what package arena promises to its users about lifetimes, pools, many
// goroutines, budgets and bad input, through its exported names. The tests are here so that
// the root directory shows the library. It has only tests.
//
//	misuse_*, nil_arena   bad input panics with a message, and correct input works
//	gc_*, header          the GC sees all pointers, and gets released memory
//	*limit*, checked_budget, pool_account   budgets hold, exactly
//	pool_*, shared_*, context   who may use which arena, and when
//	regress               bugs of other arenas for Go, which this one must not have
//
// Tests of the engine's promises are in internal/engine/memory, those of checks in internal/diagnose/watch, and the
// byte-for-byte model in internal/tests/model.
package promises
