// Package inspect is where package arenatest plugs into package arena what is too
// slow and too large for a program that isn't a test.
package inspect

// A Block is a piece of memory.
type Block struct {
	Addr uintptr
	Size uintptr
}

// Holders returns for each block a text that says who points to it, or "" where
// that isn't known. It is nil unless the program is a test with arenatest.
var Holders func(blocks []Block) []string
