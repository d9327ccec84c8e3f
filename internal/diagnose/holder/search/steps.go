package search

import (
	"reflect"
	"runtime"
)

// A Path is a way from a root to the targets, over the pointers that keep them alive. The first step
// is a root, the last the target: there are at least two.
type Path struct{ Steps []Step }

// A Step is a holder: something that has a pointer to the next one.
type Step struct {
	Kind   Kind
	Name   string  // of a variable, function or goroutine, "" if unknown
	Type   string  // of a variable; *T of an object, []T of an array of them; "" if unknown
	Field  string  // which part of the type has the pointer, "" if unknown or the whole
	Addr   uintptr // of a variable, an object, or the target's range
	Size   uintptr // of an object, in bytes
	Offset uintptr // of the pointer, in bytes from the holder's start; for a Target into the range

	// Where is the line that a frame has reached, the lines that have allocated an object, or those
	// that use a variable without a name.
	Where []runtime.Frame
}

// A Kind is what a holder is.
type Kind uint8

// The kinds from Global to Unseen are those of roots.
const (
	Global    Kind = iota // a variable of a package
	Stack                 // a function call
	StackWord             // a function call, if the word on its stack is in use
	Defer                 // a deferred call
	Panic                 // the value of a panic
	Finalizer             // the function given to runtime.SetFinalizer, or an object that it is to be called with
	OtherRoot             // what the runtime has a name for
	Unseen                // something that is not in the dump, such as the argument of a cleanup
	Object                // a heap object of no known kind
	Closure
	Map
	Channel
	Timer
	Omitted // steps of a path that is very long
	Target
)

// A Root is a variable of a package whose name and type are known to the caller.
type Root struct {
	Name string
	Type reflect.Type
	Addr uintptr
}
