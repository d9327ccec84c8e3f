// Package arenaarrow lets Apache Arrow for Go allocate from arenas: arrays, builders, records and the results of
// package compute.
//
//	err := pool.Do(func(a *arena.Arena) error {
//		mem := arenaarrow.NewAllocator(a)
//		b := array.NewInt64Builder(mem)
//		...
//		sum, err := compute.Add(compute.WithAllocator(ctx, mem), compute.ArithmeticOptions{}, left, right)
//		...
//	})
//
// # Memory
//
// What Arrow has in buffers is in the arena; its own structs, which are few, are on the Go heap. Everything in the arena is dead after
// Reset or Put: arrays, and strings and slices that were got of them. Release is not needed, does no harm, and gives nothing back
// earlier: [arena.Arena.Mark] and Rewind do, around work whose results are copied out.
//
// A buffer grows where it is, without copying, if nothing was allocated since. Builders have two or three buffers that take turns, so each
// moves as it grows, and leaves behind what it had, as much again in the end: say in advance how much will come, by their Reserve and
// ReserveData.
//
// # Goroutines
//
// Any number of goroutines may use one [Allocator], but the arena is theirs then, and nobody allocates from it directly before they
// are done.
//
// # Budgets
//
// If an arena's budget is exceeded, Allocate panics with a *arena.LimitError, which [arena.Pool.Do] makes an error, unless Arrow
// does so first.
package arenaarrow
