// Package arenaarrow lets Apache Arrow for Go allocate from arenas: arrays, builders, records and
// the results of package compute.
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
// Arrow's buffers are in the arena; its own structs, which are few, are on the Go heap. Arrays, and
// strings and slices from them, are dead after Reset, or Put in a Pool made with [arena.WithReuse].
// Release isn't needed, does no harm, and frees nothing earlier. To free memory earlier use
// [arena.Arena.Mark] and Rewind around work whose results are copied out.
//
// A buffer grows in place, without copying, if nothing was allocated since. Builders have two or
// three buffers that grow in turn, so each moves as it grows and leaves old copies behind, which
// double the memory in the end. Call Reserve and ReserveData first if the size is known.
//
// # Goroutines
//
// Any number of goroutines may use one [Allocator], but nothing may allocate from the arena
// directly until they are done.
//
// # Budgets
//
// If an arena's budget is exceeded, Allocate panics with a *arena.LimitError, which [arena.Pool.Do]
// turns into an error, unless Arrow does so first.
package arenaarrow
