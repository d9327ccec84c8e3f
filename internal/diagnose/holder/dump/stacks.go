package dump

import "fmt"

// A Goroutine is a goroutine as the dump has it.
type Goroutine struct {
	id      uint64
	System  bool   // it is the runtime's own
	waiting string // the reason for waiting, "" if it could run
}

// A Frame is the part of a stack that belongs to one function call, from its lowest address up to the frame of its
// caller. The list of its pointers has those alive at the function's present instruction.
type Frame struct {
	Segment
	Goroutine *Goroutine
	Depth     uint64 // 0 is the innermost
	Entry, PC uintptr
	Function  string
}

// A Panic is one that isn't over.
type Panic struct {
	Goroutine *Goroutine // nil if unknown
	Type      uintptr    // address of the descriptor of the value's type
	Value     uintptr    // address of the value
}

// goroutine reads a goroutine: its record's address, the top of its stack, number, the place of its start, its state,
// whether it is the runtime's, whether it is in the background, the start and the reason of its waiting, the closure
// that it runs, its thread, and its first deferred call and panic.
func (d *Dump) goroutine(r *reader) {
	addr := r.address()
	r.skip(1)
	g := &Goroutine{id: r.number()}
	r.skip(2)
	g.System = r.number() != 0
	r.skip(2)
	g.waiting = r.string()
	d.Goroutines[addr], d.current = g, g
	context := r.address()
	r.skip(3)
	d.addRoot(Root{Kind: Closure, Name: g.String(), To: context})
}

// frame reads a frame of the last goroutine: the address and the depth, the frame of the called function, its contents,
// the function's entry, its present and its next instruction, its name, and the pointers.
func (d *Dump) frame(r *reader) {
	f := Frame{Goroutine: d.current}
	f.Addr = r.address()
	f.Depth = r.number()
	r.skip(1)
	f.Contents = r.bytes()
	f.Entry = r.address()
	f.PC = r.address()
	r.skip(1)
	f.Function = r.string()
	d.skipList(r, &f.Segment)
	if f.Goroutine == nil && r.err == nil {
		r.fail(fmt.Errorf("the dump has a frame of %s without a goroutine", f.Function))
	}
	d.Frames = append(d.Frames, f)
}

// deferred reads a deferred call: its record, goroutine, stack and program counter, the closure, its code, and the next
// record.
func (d *Dump) deferred(r *reader) {
	r.skip(1)
	g := d.Goroutines[r.address()]
	r.skip(2)
	closure, code := r.address(), r.address()
	r.skip(1)
	d.addRoot(Root{Kind: Deferred, Name: g.String(), Code: code, To: closure})
}

// panicking reads a panic: its record, goroutine, the type and the address of its value, the deferred call that it
// runs, and the next record. The value is a root.
func (d *Dump) panicking(r *reader) {
	r.skip(1)
	g := d.Goroutines[r.address()]
	typ, value := r.address(), r.address()
	r.skip(2)
	d.Panics = append(d.Panics, Panic{g, typ, value})
	d.addRoot(Root{Kind: PanicValue, Name: g.String(), To: value})
}

// Dumping reports whether the goroutine is the one that writes the dump.
func (g *Goroutine) Dumping() bool { return g.waiting == "dumping heap" }

// String returns the goroutine's number and its reason for waiting. A nil g is missing in the dump.
func (g *Goroutine) String() string {
	switch {
	case g == nil:
		return "an unknown goroutine"
	case g.waiting == "", g.Dumping(): // dumping isn't the program's own work
		return fmt.Sprintf("goroutine %d", g.id)
	default:
		return fmt.Sprintf("goroutine %d [%s]", g.id, g.waiting)
	}
}
