package holder

import (
	"errors"
	"fmt"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/search"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// The callers' view of the packages below.
type (
	// A Range is the addresses from Start up to but not including End.
	Range = dump.Range
	// A Path is a way from a root to the targets, over the pointers that keep them alive.
	Path = search.Path
	// A Root is a variable of a package whose name and type are known to the caller.
	Root = search.Root

	// A Census is the objects of a program's dump, and the way to each.
	Census = search.Census
	// A Held is an object whose allocation was recorded.
	Held = search.Held
	// A Hold is one step of the way to an object.
	Hold = search.Hold
)

// The kinds of a Hold that callers distinguish.
const (
	Global = search.Global
	Stack  = search.Stack
	Object = search.Object
)

// Find returns paths from the program's roots to the targets, the shortest first; none for dead targets. Of many paths
// it returns a few different ones.
//
// Pointers in the targets or in the ignored ranges don't count. Neither do pointers into other parts of a block, though
// they keep all of it alive: for a block, the target is the whole block.
//
// Find collects garbage, and stops the world while it writes the heap to a file. Callers should have run the GC before:
// an object that died in the last cycle, or that the runtime keeps for one cycle more, is reported as held by something
// unseen.
func Find(targets, ignored []Range) ([]Path, error) {
	all, err := FindEach([][]Range{targets}, ignored)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// FindEach is Find for several lists of targets, with one dump. If one of the first roots leads to a target, it looks
// for no other way to that target.
func FindEach(lists [][]Range, ignored []Range, first ...Root) ([][]Path, error) {
	d, err := dump.Take()
	if err != nil {
		return nil, err
	}
	return search.Paths(d, lists, ignored, first), nil
}

// ReadCensus reads a dump written by a program, and its file at a path; the path is "" if the file is gone, and then
// variables have no names. The dump is kept, not copied.
func ReadCensus(data []byte, program string) (*Census, error) {
	return search.ReadCensus(data, program)
}

// FaultAddress returns the address whose use made the calling goroutine panic. The value of the panic has it, but
// recover gives that value only to a function deferred by the panicking one. It returns 0 if the panic isn't about an
// address; only debug.SetPanicOnFault causes such panics.
func FaultAddress() (uintptr, error) {
	d, err := dump.TakeAsIs()
	if err != nil {
		return 0, err
	}
	exe, err := symbols.Open()
	if err != nil {
		return 0, err
	}
	// The calling goroutine is the one that wrote the dump.
	for _, p := range d.Panics { // the innermost first
		if p.Goroutine != nil && p.Goroutine.Dumping() {
			return faultAddress(d, p, exe)
		}
	}
	return 0, errors.New("the goroutine doesn't panic")
}

// faultAddress reads a value of type runtime.errorAddressString: a string and the address.
func faultAddress(d *dump.Dump, p dump.Panic, exe *symbols.Executable) (uintptr, error) {
	t := exe.TypeAt(p.Type)
	if t == nil {
		return 0, fmt.Errorf("a panic with a value of no known type, at %#x", p.Type)
	}
	// Three words: the string, which has two, and the address.
	i := d.Objects.Find(p.Value)
	if t.String() != "runtime.errorAddressString" || t.Size() != 3*d.WordSize || i < 0 {
		return 0, nil
	}
	return d.Word(d.Object(i).Contents, p.Value-d.Objects.Addr(i)+2*d.WordSize), nil
}
