package syntax

import (
	"errors"
	"reflect"
)

// This file holds what is reported if a text is wrong, or doesn't fit.

// A Fault says what an Error of package arenajson does. The API turns it into one.
// Type is nil if the syntax is wrong.
type Fault struct {
	Offset  int64
	Pointer string
	Kind    byte
	Type    reflect.Type
	Value   string
	Err     error
	Inner   *Fault // instead of Err: what is wrong with the JSON that a method returned

	Excerpt Excerpt
	Root    reflect.Type // what the excerpt was to be read to
	Writing bool         // the Go value is at fault
}

// For the Err of a Fault. Package arenajson has errors of its own with these names.
var (
	ErrDuplicateName = errors.New("duplicate object member name")
	ErrDepth         = errors.New("exceeded max depth")
)
