// Package arena allocates values that live and die together.
//
// Most memory of a program belongs to a piece of work: a request, a parse, a frame. Its
// objects die together when the work is done, but the garbage collector has to find them
// one by one. An arena takes memory from the Go heap in chunks, allocates values in them,
// and gives up all of it in one step. An allocation is then little more than a subtraction,
// and the GC has few, large objects to look at. If the arena reuses its memory for the next
// piece of work, the GC has hardly anything to do.
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
// Any type may go into an arena: structs with pointers, strings, maps, channels, interfaces and closures. Heap objects
// that an arena's values point to stay alive as usual (self-contained arenas, below, are the exception). All memory is
// zero when it is allocated, also after Reset, except from functions with Uninit in their names.
//
// # When to use one
//
// Use an arena if a batch of values ends at one point in the code, and if profiles show
// time in the allocator or the GC: in servers that build many small values for each
// request, in parsers, compilers and simulations, and for indexes of millions of nodes.
//
// Don't use one for values that die one by one, such as the entries of a cache: an arena
// frees everything or nothing, so one value in use keeps all others. Don't use one for a
// handful of values, or if nobody can say when the last one dies; the heap is good at
// both. Never keep a value beyond the reuse of its memory. A value that must live longer
// belongs on the heap: copy it there with [Clone] or, with all that it points to, with
// [DeepClone] or [CloneOut].
// Beware of the keys of maps: m[name]++ stores name even if an equal key is there
// already, so a map that lives longer must be given a clone each time.
//
// # Two gears
//
// Put never reuses memory, unless the Pool was made with WithReuse(). Reset reuses it, except in
// the arenas of a Pool without reuse.
//
// The first gear is a [Pool] without that option. [Pool.Put] says "I am done": values stay valid
// for as long as something points to them, and the arena never allocates again. It is memory-safe
// in any program that has no data race, and, for requests of many small objects, about twice as
// fast as the heap.
//
// The second gear is [WithReuse], for all arenas of a Pool or for some keys. There, Put says "and so is everybody
// else": values are dead, and the next piece of work gets their memory. It is five to ten times faster again. Tests
// with package arenatest find uses after Put. A program without such a mistake does the same in both gears.
//
// # Lifetimes
//
// These are the ways to give memory back.
//
//   - [Pool.Put] ends a piece of work, in either gear.
//   - [Arena.Reset] reclaims everything and reuses it at once. All values from before are
//     dead: a pointer to one would read, or overwrite, the values of the next user. It is
//     the fastest way, and the one that needs care. In the arenas of a Pool without reuse
//     values stay valid, as after Free.
//   - [Arena.Rewind] is Reset to a point in time, which [Arena.Mark] returns. Values from
//     before the mark are not touched. Use it to drop the values of a failed attempt, or
//     the temporary values of a function.
//   - [Arena.Free] releases the memory and leaves it to the GC. Values stay valid for as
//     long as something points to them, as on the heap, so it is always safe. Allocating
//     from the arena afterwards panics. The GC also finds an arena that is simply
//     dropped.
//
// An [Arena.Child] is an arena for temporary values within the life of another, with a
// Reset of its own. It ends with its parent's next Reset, Free or Put at the latest.
//
// # Two kinds of arenas
//
// The default arena sorts values by type. Those without pointers share memory that the GC doesn't scan. Those with
// pointers are put into slabs, chunks of one type each, in which the GC finds the pointers. There are no rules to
// follow.
//
// A self-contained arena, made by [WithNoScan], is never scanned by the GC, at any size: ten million nodes cost a GC
// cycle no more than none. In return its values may point only to values in the same arena, to global variables,
// constants and functions, and to values given to [Arena.KeepAlive]. A string, slice or map from the Go heap that only
// such a value points to is freed while it is in use. Any pointer into the arena keeps all of it alive. [Arena.Rewind]
// reuses its memory, but KeepAlive's values stay until [Arena.Reset], for the pointers that older values still have.
// This kind is for large graphs that are built to stay: a syntax tree, an index.
//
// # Finalizers, cleanups, weak pointers
//
// To the runtime a chunk is one object, with all values in it. So [runtime.SetFinalizer] of a value in an arena ends
// the program, and that can't be recovered. In an arena with [CheckObjects], where each value has a chunk of its own,
// it works, so tests don't show the mistake. A function given to [runtime.AddCleanup] runs when the chunk is gone: some
// time after Free, or after Put without reuse, and for all values in the chunk together, which may be those of several
// pieces of work. With reuse it never runs at Reset or Put. A weak.Pointer stays valid while something points to any
// value in the chunk, or while the arena has the chunk. After a Reset that reuses memory it leads to the chunk's next
// values. Close anything that needs closing before that.
//
// # The nil arena and the zero Arena
//
// A nil *Arena is the Go heap. All functions and methods that allocate work with it, and
// Reset, Rewind and Free do nothing. So a function that takes an *Arena also serves
// callers without one, and costs them only a nil check.
//
// The zero Arena is ready to use and has the default options, so an arena can be a field
// of a larger struct. An Arena must not be copied.
//
// # Many requests, many goroutines
//
// An arena, with its children and the result of [For], belongs to one goroutine at a
// time. It may be passed to another, with the usual synchronization. Values in it are
// like any others: several goroutines may use them, but all must be done before Reset.
//
// A [Pool] lends arenas to pieces of work, one to each. A server should use one:
//
//	var pool = arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30))
//
//	err := pool.Do(func(a *arena.Arena) error {
//		order, err := decodeOrder(a, r.Body)
//		if err != nil {
//			return err
//		}
//		return answer(w, order)
//	})
//
// With arena.WithReuse() as a further option, nothing in a may be used after the function's end.
// Such a Pool also learns how much memory the work needs, and makes arenas that large from the
// start.
//
// A [Shared] is one lifetime for the allocations of several goroutines, such as the parts of a request or the files of
// a program. Each has an arena of its own, and all of them end at once.
//
// Package collections has maps, sets, buffers, queues and lists that live in an
// arena.
//
// [NewContext] passes an arena through functions that take a context. [FromContext]
// returns it, or nil, which is the Go heap.
//
// # Costs
//
// [New] and [NewOf] are a handful of instructions, inlined, for types without pointers, and for all
// types in a self-contained arena. For types with pointers a default arena has to find their slab,
// which takes two to three times as long; [For] finds it only once. [Append] and [Grow] extend a
// slice in place, also while objects and strings are allocated, unless another slice was allocated
// after it. Otherwise they copy it and leave the old place unused. Reset visits each chunk but not
// its memory, and takes some ten microseconds for a gigabyte. Only slabs are erased, so that dead
// values don't keep others alive.
//
// An empty arena has no memory. The first chunk takes 4 KiB, or 512 bytes if it is for a small
// value, which may be the only one. Further chunks double from 4 KiB up to 1 MiB, and the first
// chunk of a slab takes 512 bytes or less. [WithChunkSize] and [WithMaxChunkSize] change these
// sizes. A request that is too large for the next chunk gets one of its own. Reset keeps up to
// 64 MiB of chunks, see [WithMaxRetained], and releases those that weren't needed for some time.
// [Arena.Stats] shows where the memory is, and [WithLimit] bounds it.
//
// # Finding misuse
//
// The analyzers of the module arenavet find much misuse at compile time.
//
// In tests, use arenas from package arenatest, or let it check all arenas of a package:
//
//	a := arenatest.New(t)
//
// The test then fails if reclaimed memory is still referenced. The report names the type, the line of the allocation,
// the call that reclaimed the memory, and its holder. The test also fails if such memory was written to, or if a
// self-contained arena holds a pointer to the Go heap. Following a dead pointer faults at an address that encodes its
// arena. If two goroutines use a checked arena at the same time and their operations overlap, one panics; the race
// detector also finds them further apart.
//
// In production, [WithCheckRate] checks one arena in many of a Pool with reuse. A checked arena takes some microseconds
// more, and the others pay nothing. Checked arenas, also those of [WithChecks], never reuse memory that they have
// reclaimed, so a reference that was kept by mistake can do no harm. It is reported, see [OnEscape], once the memory
// has survived three GC cycles, which proves that something points to it. [WithGuardRate] finds uses too: memory
// reclaimed by one arena in many can't be touched for a while, so that a read or write there faults, and the fault
// becomes a report with its line.
//
// A Pool without reuse reclaims no memory, so nothing is reported there. The function NewPool of arenatest makes a Pool
// with reuse: tests show the mistakes that reuse would turn into bugs.
//
// With the race detector (go test -race), uses of memory that Reset, Rewind, [Pool.Put] or the end of a child has
// reclaimed are reported as data races, in any goroutine, also the one that reclaimed it. The report shows the use, and
// below "Goroutine ... (finished) created at" the call that reclaimed the memory. In such builds memory isn't reused:
// it stays until the GC finds that nothing points to it. Values without pointers are overwritten with 0xDB, since the
// detector doesn't see reads of strings. The detector forgets accesses from a few hundred goroutine starts ago, or from
// some two million accesses and calls ago; a value in a checked arena takes two hundred of these. If it has forgotten
// the stack of one side it reports nothing. GORACE=history_size=7 makes it remember a little more.
//
// With the address sanitizer (go test -asan, on Linux and with a C compiler), a use of
// such memory ends the program with "use-after-poison" and, on x86-64 and ARM, the stack
// with the line. So does an access just before or after an object, a string, or a slice
// up to its capacity. The end of a value is known to the byte, and between values lies a
// red zone of 16 bytes or more. Memory is reused in such builds, and memory that was
// allocated again is valid. The sanitizer doesn't find accesses beyond the red zone, uses
// of the old place of a slice that Append has moved, and most accesses in the runtime and
// in assembly. The compiler takes strings to be constant: copying or printing a dead one
// is reported, s[i] isn't. Red zones don't count as used, but take room in chunks,
// including those of Reserve, and count towards the limit of a Pool or a Shared.
//
// With the memory sanitizer (-msan), correct programs run as usual. It finds no misuse of
// arenas.
//
// # Panics
//
// Wrong arguments, such as a negative length, panic with a message that begins with
// "arena: ", and so does allocating after Free, or from an arena that was put back into
// its Pool. An allocation that would exceed a budget panics with a [*LimitError], which
// [Pool.Do] returns as an error. After any of these panics the arena is unchanged and can
// still be used; a call that makes several allocations, such as collections.NewMap, keeps
// the first ones until the end of the life or a Rewind.
//
// # How it works
//
// The files are meant to be read. Begin with internal/engine/memory/region.go, which shows how memory is allocated from
// both ends of a chunk, objects from the top and slices from the bottom. arena.go has the fast path,
// internal/engine/memory/slab.go the values with pointers, lifetime.go the ways to give memory back, pool.go and
// shared.go the types for servers and many goroutines, quarantine.go and internal/diagnose/watch the search for misuse,
// and internal/engine/block the facts about the GC on which all of it relies. ARCHITECTURE.md is a map.
package arena
