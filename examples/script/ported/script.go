// Package script parses and runs programs in a small language. Their trees and values are in an arena, which
// may be self-contained; a nil arena is the Go heap.
package script

import (
	"fmt"
	"io"

	"github.com/harena-go/arena"
)

// Limits for scripts, which may come from anywhere.
const (
	maxDepth = 200 // of nested expressions, statements and calls
	maxText  = 1 << 20
)

// An Error is a mistake in a script, with its place.
type Error struct {
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// fail ends the parser or the interpreter; caught makes an error of it.
func fail(line int, format string, args ...any) {
	panic(&Error{line, fmt.Sprintf(format, args...)})
}

func caught(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}

// A Program is a parsed script. It can be run many times, and by many goroutines.
type Program struct {
	body  []stmt
	slots int // of variables outside of functions
}

// Parse parses a script.
func Parse(source string) (p *Program, err error) { return ParseIn(nil, source) }

// ParseIn is Parse with the program in an arena. It is good until that is reset.
func ParseIn(a *arena.Arena, source string) (p *Program, err error) {
	defer caught(&err)
	a.KeepAlive(source) // names and texts are parts of it
	ps := &parser{lexer: lexer{a: a, source: source, line: 1}, fn: &scope{a: a}}
	ps.globals = ps.fn
	ps.globals.declare("input")
	ps.advance()
	var body []stmt
	for ps.tok.kind != end {
		body = arena.Append[stmt](a, body, ps.statement())
	}
	return arena.NewOf(a, Program{body, ps.fn.slots}), nil
}

// Run runs a program with a value for its variable input, and returns the program's result. Its
// output goes to out.
func (p *Program) Run(input any, out io.Writer) (result any, err error) {
	return p.RunIn(nil, input, out)
}

// RunIn is Run with all values in an arena. The result is good until that is reset. The arena of
// the program may be another one, which lives longer; if a is self-contained, program and input
// must be in it too, or be given to its KeepAlive.
func (p *Program) RunIn(a *arena.Arena, input any, out io.Writer) (result any, err error) {
	defer caught(&err)
	globals := arena.MakeSlice[any](a, p.slots, p.slots)
	in := &interp{a: a, out: out, globals: globals, buf: arena.MakeSlice[byte](a, 0, 64)}
	in.globals[0] = input
	in.frame = in.globals
	if in.block(p.body) == returned {
		result = in.result
	}
	return result, nil
}
