// Package dump takes and reads dumps of the Go heap: its objects, the pointers between them, and the
// roots that keep them alive. It must not depend on what is searched for, or on names and types,
// which a dump doesn't have.
//
// # When there is no dump
//
// WriteHeapDump of Go 1.26 and 1.27 ends the program if it meets a goroutine that returns from a
// system call. Take therefore waits until none is in one, and returns an error after 2 seconds.
// A goroutine that blocks in a read from the terminal, or waits for another process, is such an
// obstacle. Those that wait for the network, timers, channels or signals are not. Calls of C
// functions count as system calls, but for those made by threads that C has started, which nothing
// counts: a program with such threads must not take a dump.
//
// While the dump is written GOMAXPROCS is 1. It is set back afterwards, but the runtime no longer
// adapts it to a change of the machine.
//
// On wasm there is an error, as the runtime can't write the dump, and likewise where no file can be
// written.
//
// # The format
//
// There is a description at https://go.dev/wiki/heapdump15-through-heapdump17, but the reference is
// what writes it: the functions mdump and dump... of runtime/heapdump.go. A dump is a line of text
// (header), then records up to one with tagEOF. A record is a list of numbers, of seven bits a byte,
// and of strings, each a number and as many bytes. The first number is the kind of record. Memory is
// a string and a list of the offsets of its pointers. Words in memory have the machine's own order
// and size, which the record with tagParams gives.
package dump
