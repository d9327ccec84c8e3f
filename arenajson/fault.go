package arenajson

import (
	"errors"
	"reflect"
)

// A fault says what an Error of package arenajson does, of which it becomes one.
type fault struct {
	Offset  int64
	Pointer string
	Kind    byte
	Type    reflect.Type
	Value   string
	Err     error
	Inner   *fault // instead of Err: what is wrong with the JSON that a method returned

	Excerpt excerpt
	Root    reflect.Type // what the excerpt was to be read to
	Writing bool         // the Go value is at fault
}

// The errors of package arenajson with these names, for the Err of a fault.
var (
	errDuplicateName = errors.New("duplicate object member name")
	errDepth         = errors.New("exceeded max depth")
)
