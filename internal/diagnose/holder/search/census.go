package search

import (
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// This file reads a dump that another process has written, such as a test's binary: the objects alive then, the stacks
// that allocated them, and the ways to them. Unlike the rest of this package, it must not get names and types from the
// running program. There are only the names of variables in the symbol table, and the stacks that allocated objects.

// A Census is the objects of a dump, and the way to each.
type Census struct {
	search *search
	exe    *symbols.Executable
	starts []bool                      // for each object, whether a pointer leads to its first byte
	inner  []bool                      // for each object, whether a pointer leads to a byte after the first
	stacks map[uintptr][]runtime.Frame // stacks requested so far
	byAddr map[uintptr]uintptr         // from objects to the stacks that allocated them
}

// A Held is an object whose allocation was recorded.
type Held struct {
	Addr, Size uintptr
	Allocated  []runtime.Frame // the innermost call first; not to be changed
	Neighbour  bool            // no pointer leads to its first byte: another object in its block is kept
	index      int32
}

// A Hold is one step of the way to an object: a root, or an object reached from it. Unlike a Step it has no types:
// those of another program aren't available.
type Hold struct {
	Kind      Kind            // Object, or the kind of a root
	Name      string          // of a variable, or of the function whose call it is; "" if unknown
	Size      uintptr         // of an object
	Offset    uintptr         // of the pointer that leads on, in bytes from the holder's start
	Calls     []string        // of a call on a stack, it and its callers
	Allocated []runtime.Frame // of an object, if that was recorded; not to be changed
}

// ReadCensus reads a dump written by a program, and its file at a path; the path is "" if the file is gone, and then
// variables have no names. The dump is kept, not copied.
func ReadCensus(data []byte, program string) (*Census, error) {
	d, err := dump.Parse(data)
	if err != nil {
		return nil, err
	}
	c := &Census{
		search: newSearch(d, nil, nil),
		stacks: map[uintptr][]runtime.Frame{},
		byAddr: map[uintptr]uintptr{},
	}
	if c.exe, err = symbols.Read(program); err != nil {
		c.exe = &symbols.Executable{}
	}
	for _, s := range d.Samples {
		c.byAddr[s.Object] = s.Stack
	}
	c.reach()
	return c, nil
}

// reach finds the shortest way to each object. Unlike in a search for targets in the running program, the stack that
// writes the dump counts like others: its frames don't have the targets' addresses.
func (c *Census) reach() {
	// There are no targets, so that follow goes on until all is reached.
	s := c.search
	s.fromRoots()
	s.follow()
	for i := range s.Frames {
		if f := &s.Frames[i]; !f.Goroutine.System && !symbols.IsRuntime(f.Function) {
			s.fromWords(int32(i))
		}
	}
	s.follow()
	// Find the objects with a pointer to their start: in objects, roots and variables. Variables are examined again, as
	// only the first pointer to each object is among the search's starts.
	c.starts, c.inner = make([]bool, s.Objects.Len()), make([]bool, s.Objects.Len())
	for i := range s.from {
		s.eachPointer(int32(i), func(_, to uintptr) bool {
			c.mark(to)
			return true
		})
	}
	for _, p := range s.starts {
		c.mark(p.to)
	}
	for _, v := range s.Variables {
		s.Pointers(v, func(_, to uintptr) bool {
			c.mark(to)
			return true
		})
	}
}

// mark records whether a pointer leads to the start of an object.
func (c *Census) mark(to uintptr) {
	if i := c.search.Objects.Find(to); i >= 0 {
		if c.search.Objects.Addr(i) == to {
			c.starts[i] = true
		} else {
			c.inner[i] = true
		}
	}
}

// Objects calls f with each object whose allocation was recorded, until f returns false.
func (c *Census) Objects(f func(Held) bool) {
	objects := &c.search.Objects
	for i := range int32(objects.Len()) {
		stack, _ := c.allocated(i)
		h := Held{objects.Addr(i), objects.Size(i), stack, c.inner[i] && !c.starts[i], i}
		if stack != nil && !f(h) {
			return
		}
	}
}

// allocated returns the stack that allocated an object, nil if it isn't known, and the size of the header in front of
// the object.
func (c *Census) allocated(i int32) (stack []runtime.Frame, header uintptr) {
	addr := c.search.Objects.Addr(i)
	// The profile has the address that the program got, which is behind the header.
	bucket, ok := c.byAddr[addr]
	if !ok {
		header = symbols.HeaderSize
		bucket, ok = c.byAddr[addr+header]
	}
	if !ok {
		return nil, 0
	}
	// Many objects have the same stack, and callers keep it.
	stack, ok = c.stacks[bucket]
	if !ok {
		stack = c.search.Stack(bucket)
		c.stacks[bucket] = stack
	}
	return stack, header
}

// Way returns the way to an object, the root first, without the object itself. It is empty if the object isn't reached
// in the dump.
func (c *Census) Way(h Held) []Hold {
	s := c.search
	// Backwards from the object to the root: each was reached from one other.
	var way []Hold
	from, object := s.from[h.index], h.index
	if from == unreached {
		return nil
	}
	for from >= 0 {
		// Offsets count from the start of the program's own memory.
		l := s.pointerTo(from, object)
		stack, header := c.allocated(int32(from))
		size := s.Objects.Size(int32(from))
		way = append(way, Hold{Kind: Object, Size: size, Offset: l.offset - header, Allocated: stack})
		object, from = int32(from), s.from[from]
	}
	way = append(way, c.root(s.starts[^from]))
	slices.Reverse(way)
	return way
}

// root describes the pointer in a root: a variable by its symbol, a frame by its calls, others by their kind.
func (c *Census) root(p start) Hold {
	s := c.search
	switch p.kind {
	case inVariables:
		addr := s.Variables[p.index].Addr + p.offset
		h := Hold{Kind: Global}
		if name, start, ok := c.exe.SymbolAt(addr); ok {
			h.Name, h.Offset = name, addr-start
		}
		return h
	// A dead word on the stack makes no difference here: the object was alive.
	case inFrame, perhapsInFrame:
		h := Hold{Kind: Stack, Offset: p.offset, Calls: c.calls(int(p.index))}
		h.Name = h.Calls[0]
		return h
	default:
		step := named(s.Roots[p.index])
		return Hold{Kind: step.Kind, Name: strings.TrimSpace(step.Name)}
	}
}

// calls returns the function of a frame, and its callers. Functions of the runtime are left out, unless there are no
// others.
func (c *Census) calls(i int) []string {
	frames := c.search.Frames
	// The caller of a frame is the next one.
	var calls []string
	for j := i; j < len(frames) && frames[j].Goroutine == frames[i].Goroutine; j++ {
		if !symbols.IsRuntime(frames[j].Function) {
			calls = append(calls, frames[j].Function)
		}
	}
	if len(calls) == 0 {
		return []string{frames[i].Function}
	}
	return calls
}
