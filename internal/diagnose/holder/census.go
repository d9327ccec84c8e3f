package holder

import (
	"runtime"
	"slices"
	"strings"
)

// This file reads a dump that another process has written, such as a test's binary: who was alive
// then, who had allocated it, and over which objects it was reached. It may not ask the running
// program for anything, as the rest of this package does for names and types: of variables there are the names
// of the symbol table, of objects the stacks that have allocated them.

// A Census is the objects of a dump, and how each is reached.
type Census struct {
	search *search
	exe    *executable
	starts []bool // for each object, whether a pointer leads to its first byte
	inner  []bool // the same for one behind that
	stacks map[uintptr][]runtime.Frame
	byAddr map[uintptr]uintptr // from objects to the stacks that have allocated them
}

// A Held is an object whose allocation was recorded.
type Held struct {
	Addr, Size uintptr
	Allocated  []runtime.Frame // the innermost call first; not to be changed
	Neighbour  bool            // all pointers to it lead behind its first byte, as when what is kept is another in its block
	index      int32
}

// A Hold is one step of the way to an object: a root, or an object that was reached from it.
type Hold struct {
	Kind      Kind            // Object, or that of a root
	Name      string          // of a variable, or of the function whose call it is; "" if unknown
	Size      uintptr         // of an object
	Offset    uintptr         // of the pointer that leads on, in bytes from the holder's start
	Calls     []string        // of a call on a stack, it and its callers
	Allocated []runtime.Frame // of an object, if that was recorded; not to be changed
}

// ReadCensus takes the dump that a program has written, whose file is at a path: "" if it is
// gone, without which variables have no names. The dump is kept, not copied.
func ReadCensus(data []byte, program string) (*Census, error) {
	d, err := take(func() ([]byte, error) { return data, nil })
	if err != nil {
		return nil, err
	}
	c := &Census{search: newSearch(d, nil, nil), stacks: map[uintptr][]runtime.Frame{}, byAddr: map[uintptr]uintptr{}}
	if c.exe, err = readExecutable(program); err != nil {
		c.exe = &executable{}
	}
	for _, s := range d.samples {
		c.byAddr[s.object] = s.bucket
	}
	c.reach()
	return c, nil
}

// reach finds the shortest way to each object. Unlike in a search for what a test itself has taken
// back, the stack that writes the dump is as good as others: it has no address of what is looked for
// in the frames that wrote it.
func (c *Census) reach() {
	s := c.search
	s.fromRoots()
	s.follow()
	for i := range s.frames {
		f := &s.frames[i]
		if f.goroutine.system || isRuntime(f.function) {
			continue
		}
		for offset := uintptr(0); offset < uintptr(len(f.contents)); offset += s.wordSize {
			if to := s.word(f.contents, offset); to != 0 {
				s.enter(f.addr+offset, start{perhapsInFrame, int32(i), offset, to})
			}
		}
	}
	s.follow()
	c.starts, c.inner = make([]bool, s.objects.len()), make([]bool, s.objects.len())
	for i := range s.from {
		s.eachPointer(int32(i), func(_, to uintptr) bool {
			c.mark(to)
			return true
		})
	}
	for _, p := range s.starts {
		c.mark(p.to)
	}
	for i := range s.variables {
		v := &s.variables[i]
		s.pointers(v.contents, v.fields, func(_, to uintptr) bool {
			c.mark(to)
			return true
		})
	}
}

func (c *Census) mark(to uintptr) {
	if i := c.search.objects.find(to); i >= 0 {
		if c.search.objects.addrs[i] == to {
			c.starts[i] = true
		} else {
			c.inner[i] = true
		}
	}
}

// Objects calls f with each object whose allocation was recorded, until f returns false.
func (c *Census) Objects(f func(Held) bool) {
	objects := &c.search.objects
	for i, addr := range objects.addrs {
		stack, _ := c.allocated(int32(i))
		if stack != nil && !f(Held{addr, objects.size(int32(i)), stack, c.inner[i] && !c.starts[i], int32(i)}) {
			return
		}
	}
}

// allocated returns the stack that has allocated an object, nil if that isn't known, and how long the header is
// that is in front of it.
func (c *Census) allocated(i int32) (stack []runtime.Frame, header uintptr) {
	addr := c.search.objects.addrs[i]
	bucket, ok := c.byAddr[addr]
	if !ok {
		header = headerSize
		bucket, ok = c.byAddr[addr+headerSize]
	}
	if !ok {
		return nil, 0
	}
	stack, ok = c.stacks[bucket]
	if !ok {
		stack = c.search.stackOf(bucket)
		c.stacks[bucket] = stack
	}
	return stack, header
}

// Way returns how an object is reached, the root first, without the object itself. It is empty if nothing
// in the dump leads there.
func (c *Census) Way(h Held) []Hold {
	s := c.search
	var way []Hold
	from, object := s.from[h.index], h.index
	if from == unreached {
		return nil
	}
	for from >= 0 {
		l := s.pointerTo(from, object)
		stack, header := c.allocated(int32(from))
		way = append(way, Hold{Kind: Object, Size: s.objects.size(int32(from)), Offset: l.offset - header, Allocated: stack})
		object, from = int32(from), s.from[from]
	}
	way = append(way, c.root(s.starts[^from]))
	slices.Reverse(way)
	return way
}

// root describes the pointer in a root.
func (c *Census) root(p start) Hold {
	s := c.search
	switch p.kind {
	case inVariables:
		addr := s.variables[p.index].addr + p.offset
		h := Hold{Kind: Global}
		if symbol, ok := c.exe.symbolAt(addr); ok {
			h.Name, h.Offset = symbol.name, addr-symbol.addr
		}
		return h
	case inFrame, perhapsInFrame:
		h := Hold{Kind: Stack, Offset: p.offset, Calls: c.calls(int(p.index))}
		h.Name = h.Calls[0]
		return h
	default:
		step := s.others[p.index].step
		return Hold{Kind: step.Kind, Name: strings.TrimSpace(step.Name)}
	}
}

// calls returns the function whose call a frame is, and its callers. Those of the runtime are passed
// over if it was called by others.
func (c *Census) calls(i int) []string {
	frames := c.search.frames
	var calls []string
	for j := i; j < len(frames) && frames[j].goroutine == frames[i].goroutine; j++ {
		if !isRuntime(frames[j].function) {
			calls = append(calls, frames[j].function)
		}
	}
	if len(calls) == 0 {
		return []string{frames[i].function}
	}
	return calls
}
