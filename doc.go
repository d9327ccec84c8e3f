// Package arena allocates values that live and die together.
//
// Most memory of a program belongs to a piece of work: a request, a parse, a frame. Its
// objects die when the work is done, all at once, but the garbage collector has to find
// that out for one after the other. An arena takes memory from the Go heap in chunks,
// allocates it piece by piece, and takes all of it back in one step, to be used again for
// the next piece of work. The GC then has hardly anything to do, and an allocation is
// little more than a subtraction.
//
//	a := arena.NewArena()
//	for line := range lines {
//		order := arena.New[Order](a)              // like new(Order)
//		order.Customer = a.AllocString(line.Name) // a copy in the arena
//		for _, item := range line.Items {
//			order.Items = arena.Append(a, order.Items, item)
//		}
//		handle(order)
//		a.Reset() // gives back all of it
//	}
//
// Any type may go into an arena: structs with pointers, strings, maps, channels,
// interfaces and closures. What an arena's values point to stays alive as usual
// (self-contained arenas, below, are the exception). All memory is zero when it is
// allocated, also after Reset, except for that from functions with Uninit in their names.
//
// # When to use one
//
// Use an arena where a batch of values has one end that you can point at in the
// code, and where profiles show the allocator or the GC at work: servers that
// build many small values for each request, parsers, compilers, simulations,
// indexes of millions of nodes.
//
// Don't use one for values that are given up one by one, such as the entries of
// a cache: an arena gives back everything or nothing, so that one value in use
// holds up all others. Don't use one for a handful of values either, or where
// nobody can say when the last one is done with; the heap is good at both.
// Never keep a value beyond Reset. What must live longer belongs on the heap:
// take it there with [Clone] or, with all that it points to, with [DeepClone].
// Mind the keys of maps: m[name]++ stores name even where an equal key is there
// already, so that a map that lives on must be given a clone each time.
//
// # Lifetimes
//
// There are three ways to give memory back.
//
//   - [Arena.Reset] reclaims everything and reuses it at once. All values from before are
//     dead: who still holds one would see, or overwrite, those of the next user. It is
//     the fastest way, and the one that needs care.
//   - [Arena.Rewind] is Reset to a point in time, which [Arena.Mark] returns. Values
//     from before the mark are not touched. Use it to give up an attempt, or
//     the temporary values of a function.
//   - [Arena.Free] releases the memory and leaves it to the GC. Values stay valid for as
//     long as something points to them, as on the heap, so that it is always safe.
//     Allocating from the arena afterwards panics. An arena that is simply dropped is
//     found by the GC, too.
//
// A [Arena.Child] is an arena for scratch within the life of another, with a
// Reset of its own; it ends with its parent's next Reset or Free at the latest.
//
// # Two kinds of arenas
//
// The default arena sorts values by type. Those without pointers share memory
// that the GC doesn't look at. Those with pointers are put into slabs, chunks
// of one type each, in which the GC finds what they point to. Nothing has to be
// observed.
//
// A self-contained arena, made by [WithNoScan], is never looked into by the GC,
// whatever its size: ten million nodes cost a GC cycle as much as none. In
// return its values may point only to values in the same arena, to global
// variables, constants and functions, and to what [Arena.KeepAlive] was given. A
// string, slice or map from the Go heap that only such a value points to is
// freed under its feet. Any pointer into the arena keeps all of it alive. It is
// the kind for large graphs that are built to stay: a syntax tree, an index.
//
// # Finalizers, cleanups, weak pointers
//
// To the runtime a chunk is one object, whatever was allocated in it. So [runtime.SetFinalizer] of
// a value in an arena ends the program, and nothing can recover that; in an arena with
// [CheckObjects], where each value has a chunk of its own, it works, so that tests don't show it.
// What [runtime.AddCleanup] was given runs when the chunk is gone: some time after Free, never at
// Reset, and for all values in it together. A weak.Pointer stays valid for as long as something
// points to any value in the chunk, or the arena has it, and leads after Reset to whatever is there
// by then. What has to be closed is closed before the arena reclaims it.
//
// # The nil arena and the zero Arena
//
// A nil *Arena is the Go heap. All functions and methods that allocate work with it,
// and Reset, Rewind and Free do nothing. A function that takes an *Arena hence
// serves callers that have none, and costs them nothing but a nil check.
//
// The zero Arena is ready to use and has the default options, so that an arena
// can be a field of a larger struct. An Arena must not be copied.
//
// # Many requests, many goroutines
//
// An arena, with its children and what [For] returns, belongs to one goroutine
// at a time. It may be handed on, with the usual synchronization. Values in it
// are like any others: several goroutines may use them, but all of them must be
// done before Reset.
//
// A [Pool] lends arenas to pieces of work, one to each, and reuses their memory.
// It learns how much the work takes, so that an arena is as large as needed from
// the start. A server wants one:
//
//	var pool = arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30))
//
//	err := pool.Do(func(a *arena.Arena) error {
//		order, err := decodeOrder(a, r.Body)
//		if err != nil {
//			return err
//		}
//		return answer(w, order) // nothing in a is used after the function's end
//	})
//
// A [Shared] is one lifetime for what several goroutines allocate, such as the
// parts of a request or the files of a program: each has an arena of its own,
// and all of it goes at once.
//
// Package collections has maps, sets, buffers, queues and lists that live in an
// arena.
//
// [NewContext] passes an arena through functions that take a context, and
// [FromContext] takes it out, or returns nil, which is the Go heap.
//
// # What it costs
//
// [New] and [NewOf] are a handful of instructions, inlined, for types without
// pointers, and for all types in a self-contained arena. For types with pointers
// a default arena has to find their slab, which takes two to three times as long;
// [For] finds it once and for all. [Append] and [Grow] extend a slice where it is, also while objects and
// strings are allocated, unless another slice came between; else they copy it
// and leave the old place unused. Reset visits each chunk but not its memory, and
// takes some ten microseconds for a gigabyte; only slabs are erased, so that
// dead values don't keep others alive.
//
// An empty arena has no memory. The first chunk takes 4 KiB, or 512 bytes if it is for a small
// value, as that may be the only one; further ones double from 4 KiB up to 1 MiB, and the first
// chunk of a slab takes 512 bytes or less; [WithChunkSize] and [WithMaxChunkSize] change that. A
// request that is too large for the next chunk gets one of its own. Reset keeps up to 64 MiB of
// chunks, see [WithMaxRetained], and releases those that weren't needed for some time.
// [Arena.Stats] says where the memory is, and [WithLimit] bounds it.
//
// # Finding misuse
//
// The analyzers of the module arenavet find much of it at compile time.
//
// In tests, take arenas from package arenatest, or let it check all arenas of a
// package:
//
//	a := arenatest.New(t)
//
// The test then fails if something is still referenced that an arena has reclaimed, with a report
// that names the type, the line of the allocation, the call that took the memory back, and who
// holds it. It also fails if somebody has written to such memory, and if a self-contained arena
// holds a pointer to the Go heap. Following a dead pointer faults at an address that tells whose it
// was. Of two goroutines that use a checked arena at the same time one panics, if their operations
// overlap; with the race detector it needn't be so close.
//
// In production, [WithCheckRate] makes one arena of a Pool in many a checked one. It
// costs the others nothing, and itself some microseconds. Checked arenas, also those of
// [WithChecks], never use memory again that they have reclaimed: what was left in it by
// mistake can do no harm, and is reported as [OnEscape] says once it has survived three
// GC cycles, which is proof that somebody points to it.
//
// With the race detector (go test -race), uses of memory that Reset, Rewind, [Pool.Put] or the end
// of a child has reclaimed are reported as data races, by whichever goroutine, also by the one that
// reclaimed it. The report shows the use, and below "Goroutine ... (finished) created at" the call
// that took the memory back. In such builds nothing is used again: what was allocated stays where
// it is until the GC finds that nobody points to it, overwritten with 0xDB if it has no pointers,
// since the detector doesn't see reads of strings. It forgets what happened a few hundred goroutine
// starts ago, or some two million accesses and calls that it has watched since, of which a value in
// a checked arena takes two hundred; and where it has forgotten the stack of one side, it says
// nothing at all: GORACE=history_size=7 makes it remember a little more.
//
// With the address sanitizer (go test -asan, on Linux and with a C compiler), uses of
// such memory and of what lies before or behind an object, a slice up to its capacity, or
// a string end the program with "use-after-poison" and, on x86-64 and ARM, the stack with
// the line. The end of a value is known to the byte; between values lies a red zone of 16
// bytes or more. Memory is reused in such builds, and what has been allocated again is
// valid. Not found are accesses beyond the red zone, uses of the old place of a slice
// that Append has moved, and most of those in the runtime and in assembly. The compiler
// takes strings to be constant: copying or printing a dead one is reported, s[i] isn't.
// Red zones don't count as used, but take room in chunks, also in those of Reserve and
// towards the limit of a Pool or a Shared.
//
// With the memory sanitizer (-msan), correct programs run as ever; it finds no
// misuse of arenas.
//
// # Panics
//
// Wrong arguments, such as a negative length, and allocating after Free, or from
// an arena that was put back into its Pool, panic with a message that begins
// with "arena: ". An allocation that would exceed a budget panics with a
// [*LimitError], which [Pool.Do] returns as an error. The arena is as before after
// any of these, and can be used on.
//
// # How it works
//
// The files are meant to be read. The one to begin with is internal/engine/memory/region.go: it
// shows how a chunk is allocated from both of its ends, objects from the top and slices from the
// bottom. arena.go has the fast path, internal/engine/memory/slab.go the values with pointers,
// lifetime.go the ways to give memory back, pool.go and shared.go what is built on them,
// quarantine.go and internal/diagnose/watch how misuse is found, and internal/engine/block the list
// of facts about the GC on which all of it relies. ARCHITECTURE.md is a map.
package arena
