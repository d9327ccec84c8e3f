// Package compiled tests the compiler's output for package arena, which is a promise too: inlined functions, the
// machine code of the fast paths, values that stay off the Go heap, and imports. It has no code; the programs that the
// tests compile are in testdata.
package compiled
