// Package compiled tests the compiler's output for package arena, which is a promise too:
// what is inlined, the machine code of the fast paths, what stays off the Go heap, and what
// is imported. It has no code; the programs that the tests compile are in testdata.
package compiled
