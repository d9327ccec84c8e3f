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
	Field  string  // the part of the type with the pointer, "" if unknown or the whole
	Addr   uintptr // of a variable, an object, or the target's range
	Size   uintptr // of an object, in bytes
	Offset uintptr // of the pointer, in bytes from the holder's start; for a Target into the range

	// Where is the line that a frame has reached, the lines that allocated an object, or the lines that use a variable
	// without a name.
	Where []runtime.Frame
}

// A Kind is the kind of a holder.
type Kind uint8

// The kinds from Global to Unseen are kinds of roots.
const (
	Global    Kind = iota // a variable of a package
	Stack                 // a function call
	StackWord             // a function call, if the word on its stack is in use
	Defer                 // a deferred call
	Panic                 // the value of a panic
	Finalizer             // the function given to runtime.SetFinalizer, or the object that it gets
	OtherRoot             // a root that the runtime names
	Unseen                // a root that isn't in the dump, such as the argument of a cleanup
	Object                // a heap object of no known kind
	Closure
	Map
	Channel
	Timer
	Omitted // steps of a very long path
	Target
)

// A Root is a variable of a package whose name and type are known to the caller.
type Root struct {
	Name string
	Type reflect.Type
	Addr uintptr
}
