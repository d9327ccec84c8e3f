// Package holder finds the holder of a piece of memory: the way from a root, such as a global variable or the stack of
// a goroutine, over the objects on the heap to an object that should be dead but is alive.
//
//	held by: global main.cache (map[string]*main.entry)
//	  -> map entry (map[string]*main.entry) value, allocated by main.init (cache.go:12)
//	  -> *main.entry .body (offset 16), allocated by main.put (cache.go:31)
//	  -> the escaped value at 0xc000123400, allocated by main.read (main.go:77)
//
// or in short
//
//	global main.cache <- map <- main.entry.body <- escaped value allocated at main.go:77
//
// It is the front of three packages. Package dump takes and reads dumps of the heap, symbols finds names and types, and
// search finds the ways and describes them in words.
//
// It is for test builds, after something has gone wrong: runtime/debug.WriteHeapDump writes the heap to a file while
// the world is stopped, and the heap is searched from the roots, breadth first. A small test's heap takes 5 to 15 ms: 4
// to 11 for the GC and the dump, 2 to 4 for reading the executable, and less than 1 for the rest. A symbol table takes
// 10 ms more, and debugging information, which has the types of variables, another 30. A heap with 2 million objects of
// 48 bytes takes 1.2 to 2.3 seconds and 410 MB on top of its own 110. A heap above 1 GiB, on 32-bit machines 256 MiB,
// is an error. So are the cases that package dump lists.
//
// # Limits
//
// Some references that keep memory alive are not in the dump: the functions and arguments of runtime.AddCleanup,
// variables of plugins and of C, and pointers in memory outside of the Go heap. Memory with no other references is
// reported as held by something unseen.
//
// Variables on stacks are described by the compiler. A variable whose address was taken may be reached only through
// that address, as in a call of a method with a pointer receiver. It is found because all words of stacks are taken for
// pointers when nothing else is found, and reported with "perhaps". That isn't done for the goroutine that calls Find,
// whose stack has the targets' addresses, and not for calls of the runtime's functions, which have words left over from
// earlier calls.
//
// Weak pointers hold nothing, and neither do addresses in a uintptr.
//
// Where the executable can't be read, names and types are unknown. The stack that allocated an object is known if the
// memory profile has it: for all objects with runtime.MemProfileRate = 1. Where the type of an object isn't found, the
// offset of the pointer is reported.
package holder
