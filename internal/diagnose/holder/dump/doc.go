// Package dump takes and reads dumps of the Go heap: its objects, the pointers between them, and the roots that keep
// them alive. It must not depend on the targets of a search, or on names and types, which a dump doesn't have.
//
// # Failures
//
// WriteHeapDump of Go 1.26 and 1.27 ends the program if it meets a goroutine that returns from a system call. So Take
// waits until no goroutine is in one, and returns an error after 2 seconds. A goroutine that blocks in a read from the
// terminal, or waits for another process, is such an obstacle. Goroutines that wait for the network, timers, channels
// or signals are not. Calls of C functions count as system calls, except calls by threads that C has started, which
// aren't counted: a program with such threads must not take a dump.
//
// While the dump is written GOMAXPROCS is 1. It is set back afterwards, but the runtime no longer
// adapts it to a change of the machine.
//
// On wasm Take returns an error, as the runtime can't write the dump, and likewise where no file can be written.
//
// # The format
//
// There is a description at https://go.dev/wiki/heapdump15-through-heapdump17, but the reference is the writer: the
// functions mdump and dump... of runtime/heapdump.go. A dump is a line of text (header), then records up to one with
// tagEOF. A record is a list of numbers, of seven bits a byte, and of strings, each a number and as many bytes. The
// first number is the kind of record. Memory is a string and a list of the offsets of its pointers. Words in memory
// have the machine's own order and size, which the record with tagParams gives.
package dump
