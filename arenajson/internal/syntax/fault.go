package syntax

import (
	"errors"
	"reflect"
)

// This file holds the errors of texts that are wrong or don't fit.

// A Fault has the contents of an Error of package arenajson. The API turns it into one. Type is nil
// for a syntax error.
type Fault struct {
	Offset  int64
	Pointer string
	Kind    byte
	Type    reflect.Type
	Value   string
	Err     error
	Inner   *Fault // instead of Err: the fault in the JSON that a method returned

	Excerpt Excerpt
	Root    reflect.Type // the type for decoding the excerpt
	Writing bool         // the Go value is at fault
}

// For the Err of a Fault. Package arenajson has errors of its own with these names.
var (
	ErrDuplicateName = errors.New("duplicate object member name")
	ErrDepth         = errors.New("exceeded max depth")
)
