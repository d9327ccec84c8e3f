package holder

import (
	"fmt"
	"runtime"
	"strings"
)

type goroutine struct {
	id      uint64
	system  bool   // of the runtime itself
	waiting string // for what, "" if it could run
}

// A frame is the part of a stack that belongs to one function call.
type frame struct {
	segment
	goroutine *goroutine
	depth     uint64 // 0 is the innermost
	entry, pc uintptr
	function  string
}

func (d *dump) goroutine(r *reader) {
	addr := r.address()
	r.skip(1)
	g := &goroutine{id: r.number()}
	r.skip(2)
	g.system = r.number() != 0
	r.skip(2)
	g.waiting = r.string()
	d.goroutines[addr], d.current = g, g
	context := r.address()
	r.skip(3)
	d.addRoot(Step{Kind: Stack, Name: g.String() + ", the closure that it runs"}, context)
}

func (d *dump) frame(r *reader) {
	f := frame{goroutine: d.current}
	f.addr = r.address()
	f.depth = r.number()
	r.skip(1)
	f.contents = r.bytes()
	f.entry = r.address()
	f.pc = r.address()
	r.skip(1)
	f.function = r.string()
	d.fields(r, &f.segment)
	if f.goroutine == nil && r.err == nil {
		r.fail(fmt.Errorf("the dump has a frame of %s without a goroutine", f.function))
	}
	d.frames = append(d.frames, f)
}

func (d *dump) deferred(r *reader) {
	r.skip(1)
	g := d.goroutines[r.address()]
	r.skip(2)
	closure, code := r.address(), r.address()
	r.skip(1)
	d.addRoot(Step{Kind: Defer, Name: g.String(), Where: whereIs(code)}, closure)
}

func (d *dump) panicking(r *reader) {
	r.skip(1)
	g := d.goroutines[r.address()]
	typ, value := r.address(), r.address()
	r.skip(2)
	d.panics = append(d.panics, panicked{g, typ, value})
	d.addRoot(Step{Kind: Panic, Name: "of " + g.String()}, value)
}

// ofRuntime tells whether the function is one of the runtime's, which may be known
// by the name that another package has for it, as os/signal.signal_recv.
func (f *frame) ofRuntime() bool {
	if isRuntime(f.function) {
		return true
	}
	fn := runtime.FuncForPC(f.entry)
	if fn == nil || fn.Name() != f.function {
		return false
	}
	file, _ := fn.FileLine(f.entry)
	return strings.HasPrefix(file, goroot+"runtime/")
}

// dumping tells whether the goroutine is the one that writes the dump.
func (g *goroutine) dumping() bool { return g.waiting == "dumping heap" }

func (g *goroutine) String() string {
	switch {
	case g == nil:
		return "an unknown goroutine"
	case g.waiting == "", g.dumping(): // which isn't what the program does
		return fmt.Sprintf("goroutine %d", g.id)
	default:
		return fmt.Sprintf("goroutine %d [%s]", g.id, g.waiting)
	}
}
