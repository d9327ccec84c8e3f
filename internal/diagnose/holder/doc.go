// Package holder says who holds on to a piece of memory: it finds the way from
// a root, such as a global variable or the stack of a goroutine, over the
// objects on the heap to an object that should be dead but is alive.
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
// It is for test builds, after something has gone wrong: the heap is written
// to a file by runtime/debug.WriteHeapDump while the world is stopped, and
// searched from the roots on, breadth first. A small test's heap takes 5 to 15 ms:
// 4 to 11 for the GC and the dump, 2 to 4 for reading the executable, and less
// than 1 for the rest. In a program with a symbol table reading it takes 10 more,
// and with debugging information, which a variable's type is looked up in,
// another 30. A heap with 2 million objects of 48 bytes takes 1.2 to 2.3 seconds
// and 410 MB on top of its own 110. One above 1 GiB, on 32-bit machines 256 MiB,
// is an error.
//
// # Names
//
// Variables have their names from the symbol table and their types from the
// debugging information. What go test builds and runs has neither. Their names and types
// are then read from the source, if it is where it was when the program was built: the
// lines whose code uses a variable mention it, see naming. That takes some 50 to 100 ms,
// once for all targets. If several are in question all are named, and if that isn't sure, none: a variable
// is then known by its address and by the code that uses it. Code is understood on amd64, 386 and
// arm64. With go test -o=FILE or -c, with a flag for a profile such as -memprofile,
// or with -ldflags="-s=0 -w=0", names and types are there. With -trimpath little of the source is
// found.
//
// The dump doesn't tell the types of objects. Those of the larger ones, of what
// is in interfaces or channels, and of what pointers of known types lead to can be
// found; of others the offset is reported.
//
// Who allocated an object is known if the memory profile has it, all of them with
// runtime.MemProfileRate = 1.
//
// # What it can't see
//
// Some things that keep memory alive are not in the dump: the functions and arguments of
// runtime.AddCleanup, variables of plugins and of C, and pointers in memory that the Go
// heap doesn't know. What only these hold is reported as held by something unseen.
//
// Variables on stacks are known as the compiler describes them. If the address
// of one was taken and is only reached through it, as in a call of a method
// with a pointer receiver, it is found because all words of stacks are taken for
// pointers when nothing else is found, and reported with "perhaps". That isn't done
// for the goroutine that calls Find, whose stack has the targets' addresses, and
// not for calls of the runtime's functions, which have left-over words of earlier calls.
//
// Weak pointers hold nothing, and neither do addresses in a uintptr.
//
// # When there is no dump
//
// WriteHeapDump of Go 1.26 and 1.27 ends the program if it meets a goroutine that
// returns from a system call. Find therefore waits until none is in one, and returns an error
// after 2 seconds. A goroutine that blocks in a read from the terminal, or
// waits for another process, is such an obstacle; those that wait for
// the network, timers, channels or signals are none. Calls of C functions count as
// system calls, but for those made by threads that C has started, which nobody
// counts: a program with such must not call Find.
//
// While the dump is written GOMAXPROCS is 1. It is then set back, but the
// runtime doesn't adapt it to a change of the machine any more.
//
// On wasm there is an error, as the runtime can't write the dump, and likewise
// where no file can be written. Where the executable can't be read, names and
// types are unknown.
//
// # The format of a dump
//
// There is a description at https://go.dev/wiki/heapdump15-through-heapdump17, but
// the reference is what writes it, the functions mdump and dump... of
// runtime/heapdump.go. A dump is a line of text, see header, and records
// until that with tagEOF. Each is a list of numbers, of seven bits a byte, and
// of strings, which are a number and as many bytes; the first one says of which kind it
// is. Memory is a string and a list of the offsets of its pointers. Words in
// memory are in the machine's own order and size, which the record with
// tagParams has.
package holder
