// Package script is an interpreter of a small language, in plain Go: a lexer, a parser, and a walk
// over the tree with values of type any. Package ported beside it is the same with an arena.
//
//	fn area(r) { return r.w * r.h }
//	let sum = 0;
//	for r in [{w: 2, h: 3}, {w: 4, h: 5}] { sum = sum + area(r); }
//	return "all: " + str(sum);
//
// Values are nil, true and false, integers of 64 bits, strings, lists, dicts and functions. A
// function sees its parameters, its variables, and those of the program outside of all blocks.
package script

import (
	"fmt"
	"io"
)

// Limits of what a script may do, which may come from anywhere.
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
func Parse(source string) (p *Program, err error) {
	defer caught(&err)
	ps := &parser{lexer: lexer{source: source, line: 1}, fn: &scope{}}
	ps.globals = ps.fn
	ps.globals.declare("input")
	ps.advance()
	var body []stmt
	for ps.tok.kind != end {
		body = append(body, ps.statement())
	}
	return &Program{body, ps.fn.slots}, nil
}

// Run runs a program with a value for its variable input, and returns the program's result. Its
// output goes to out.
func (p *Program) Run(input any, out io.Writer) (result any, err error) {
	defer caught(&err)
	in := &interp{out: out, globals: make([]any, p.slots), buf: make([]byte, 0, 64)}
	in.globals[0] = input
	in.frame = in.globals
	if in.block(p.body) == returned {
		result = in.result
	}
	return result, nil
}
