// Package compiled holds the tests of what the compiler makes of package arena, which is
// a promise too: what is inlined, how the machine code of the fast paths looks, what stays
// off the Go heap, and what is imported. It has no code; the programs that the tests compile
// are in testdata.
package compiled
