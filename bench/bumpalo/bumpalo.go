// Package bumpalo builds and runs the program in Rust that does the work of
// some suites with bumpalo, Rust's bump allocator: the bar outside Go.
package bumpalo

import (
	"errors"

	"github.com/harena-go/arena/bench/cargo"
)

// Build compiles the program, with all that cargo writes in dir. The error says
// in a sentence why there is none.
func Build(dir string) (program string, err error) {
	return cargo.Crate{Path: "rust", Name: "harena-bench-bumpalo"}.Build(dir)
}

// A Line is what the program prints in a line: of a row of micro or mixed, its
// name and its value; of binary-trees, the rest.
type Line struct {
	Row   string  // as the rows of the suite in Go
	Value float64 // seconds for one operation, or bytes a second

	Checksum  string  // the game's output
	Wall, CPU float64 // seconds
	RSS       float64 // bytes, the highest
}

// Lines runs the program and returns what it prints.
func Lines(program string, args ...string) ([]Line, error) {
	if program == "" {
		return nil, errors.New("the program with Rust's bumpalo was not built")
	}
	return cargo.Lines[Line](program, args...)
}
