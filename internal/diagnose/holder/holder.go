package holder

import (
	"fmt"
	"reflect"
	"runtime"
)

// A Range is the addresses from Start up to but not including End.
type Range struct{ Start, End uintptr }

// A Path is a way from a root to the targets, over the pointers that keep them
// alive. The first step is a root, the last the target: there are at least two.
type Path struct{ Steps []Step }

// A Step is a holder: something that has a pointer to the next one.
type Step struct {
	Kind   Kind
	Name   string          // of a variable, function or goroutine, "" if unknown
	Type   string          // of a variable; *T of an object, []T of an array of them; "" if unknown
	Field  string          // which part of the type has the pointer, "" if unknown or the whole
	Addr   uintptr         // of a variable, an object, or the target's range
	Size   uintptr         // of an object, in bytes
	Offset uintptr         // of the pointer, in bytes from the holder's start; for a Target into the range
	Where  []runtime.Frame // of a frame, where it is; of an object, who allocated it; of a variable without a name, who uses it
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
	Finalizer             // the function given to runtime.SetFinalizer, or an object of which it is yet to be called
	OtherRoot             // what the runtime calls by a name
	Unseen                // something that is not in the dump, such as the argument of a cleanup
	Object                // a heap object of no kind that is known
	Closure
	Map
	Channel
	Timer
	Omitted // steps of a path that is very long
	Target
)

// maxPaths is how many paths are returned.
const maxPaths = 4

// Find returns how the targets are reached from the roots of the program, the
// shortest paths first; none if they are not alive. If there are many, a few
// are returned that differ.
//
// Pointers that lie in the targets or in the ignored ranges don't count. Those that lead
// into other parts of a block do not either, though they keep all of it alive:
// for a block, the target is the whole of it.
//
// Find collects garbage, and stops the world for as long as it takes to write the heap to
// a file. Callers should have collected what may be garbage before: an object that
// died in the cycle before, or is kept for one cycle more by the runtime itself, is
// reported as held by something unseen.
func Find(targets, ignored []Range) ([]Path, error) {
	all, err := FindEach([][]Range{targets}, ignored)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// A Root is a variable of a package whose name and type are known to the caller.
type Root struct {
	Name string
	Type reflect.Type
	Addr uintptr
}

// FindEach does for several lists of targets what Find does for one, with one
// dump. If one of the first roots
// leads to a target, no other way to that is looked for.
func FindEach(lists [][]Range, ignored []Range, first ...Root) ([][]Path, error) {
	d, err := take(write)
	if err != nil {
		return nil, err
	}
	paths := make([][]Path, len(lists))
	var exe *executable
	for i, targets := range lists {
		s := newSearch(d, targets, ignored)
		s.first = first
		links := s.run()
		if len(links) == 0 {
			continue
		}
		if exe == nil {
			if exe, err = openExecutable(); err != nil {
				exe = &executable{} // without which fewer things have a name
			}
		}
		paths[i] = s.paths(&describer{s, exe}, links)
	}
	return paths, nil
}

// take returns the heap as a function writes it.
func take(write func() ([]byte, error)) (*dump, error) {
	data, err := write()
	if err != nil {
		return nil, fmt.Errorf("dumping the heap: %w", err)
	}
	d, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the heap dump of %s: %w", runtime.Version(), err)
	}
	return d, nil
}

// paths describes links until there are enough that differ.
func (s *search) paths(d *describer, links []link) []Path {
	var paths []Path
	seen := map[string]bool{}
	for _, l := range links {
		p := d.path(l)
		if key := p.key(); !seen[key] && len(paths) < maxPaths {
			seen[key] = true
			paths = append(paths, p)
		}
	}
	return paths
}
