// Package bumpalo builds and runs the program in Rust that does the work of some suites with bumpalo, Rust's bump
// allocator: the reference outside Go.
package bumpalo

import (
	"errors"

	"github.com/harena-go/arena/bench/program"
)

// Program is the program.
var Program = program.Rust{Name: "harena-bench-bumpalo", Dir: "rust"}

// A Line is a line of the program's output: for a row of micro, its name and its value; for binary-trees, the rest.
type Line struct {
	Row   string  // as the rows of the suite in Go
	Value float64 // seconds for one operation

	Checksum  string  // the game's output
	Wall, CPU float64 // seconds
	RSS       float64 // bytes, the highest
}

// Lines runs the program and returns its output.
func Lines(path string, args ...string) ([]Line, error) {
	if path == "" {
		return nil, errors.New("the program with Rust's bumpalo was not built")
	}
	return program.Lines[Line](path, args...)
}
