package encode

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes maps. The next map uses the memory again: nothing is allocated, unless keys are
// neither strings nor integers.
//
//	map[string]string, map[string]any    without reflect, sorted by a list of names
//	others, in any order                 by reflect, an entry at a time
//	others, sorted                       by reflect; values are copied to a slice, and
//	                                     names sorted with their index in it
//
// The lists of names of nested maps share one stack.

// mapping writes the map at p. A nil one is empty, or null by an option. With the option
// Deterministic the names are sorted by their bytes, as in the standard library.
func (e *Encoder) mapping(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	e.checkKey(n)
	at := mem.Get[unsafe.Pointer](p) // fact 9
	if at == nil && e.flags&option.NilMapAsNull != 0 {
		return append(b, "null"...)
	}
	e.enter(n.Type, at, 0)
	begin := len(b)
	if n.Native != plan.NativeNone && e.mayRepeat(n.MapKey) {
		e.uniqueKeys(mem.Value(n.Type, p))
	}
	// By the runtime for its known types, else by reflect.
	switch {
	case n.Native == plan.NativeStrings:
		b = e.strings(b, mem.Get[map[string]string](p))
	case n.Native == plan.NativeAnys:
		b = e.anyEntries(b, mem.Get[map[string]any](p))
	case e.flags&option.Deterministic != 0:
		b = e.sortedEntries(b, n, mem.Value(n.Type, p))
	default:
		b = e.entries(b, n, mem.Value(n.Type, p))
	}
	e.leave(n.Type, at, 0)
	return endObject(b, begin)
}

// endObject ends an object that began at begin in b, whose members have commas in front: the first
// one becomes the brace.
func endObject(b []byte, begin int) []byte {
	// No member, and no comma to become the brace.
	if len(b) == begin {
		return append(b, '{', '}')
	}
	b[begin] = '{'
	return append(b, '}')
}

// strings writes the entries of a map of strings, sorted if required, with a comma in front of
// each.
func (e *Encoder) strings(b []byte, m map[string]string) []byte {
	if e.flags&option.Deterministic == 0 || len(m) < 2 {
		for k, v := range m {
			b = text.Append(append(text.Append(append(b, ','), k, e.flags), ':'), v, e.flags)
		}
		return b
	}
	// Names of the enclosing maps come first in e.names.
	begin := len(e.names)
	for k := range m {
		e.names = append(e.names, k)
	}
	names := e.names[begin:]
	slices.Sort(names)
	for _, k := range names {
		b = text.Append(append(text.Append(append(b, ','), k, e.flags), ':'), m[k], e.flags)
	}
	e.dropNames(begin)
	return b
}

// anyMap is mapping for a map in an interface.
func (e *Encoder) anyMap(b []byte, m map[string]any) []byte {
	if m == nil && e.flags&option.NilMapAsNull != 0 {
		return append(b, "null"...)
	}
	if e.flags&(option.AllowDuplicateNames|option.AllowInvalidUTF8) == option.AllowInvalidUTF8 {
		e.uniqueKeys(reflect.ValueOf(m))
	}
	// A map is a pointer, for the search for cycles.
	p := mem.Get[unsafe.Pointer](unsafe.Pointer(&m)) // fact 9
	e.enter(anyMapType, p, 0)
	begin := len(b)
	b = e.anyEntries(b, m)
	e.leave(anyMapType, p, 0)
	return endObject(b, begin)
}

// anyMapType is for the search for cycles.
var anyMapType = reflect.TypeFor[map[string]any]()

// anyEntries writes the entries of a map of strings to any as strings does. Nested maps are written
// while the names of this one are in use.
func (e *Encoder) anyEntries(b []byte, m map[string]any) []byte {
	if e.flags&option.Deterministic == 0 || len(m) < 2 {
		for k, v := range m {
			b = e.any(append(text.Append(append(b, ','), k, e.flags), ':'), v)
		}
		return b
	}
	begin := len(e.names)
	for k := range m {
		e.names = append(e.names, k)
	}
	names := e.names[begin:] // unchanged while nested maps append theirs
	slices.Sort(names)
	for _, k := range names {
		b = e.any(append(text.Append(append(b, ','), k, e.flags), ':'), m[k])
	}
	e.dropNames(begin)
	return b
}

// keepNames is the most entries for which the memory for sorting is kept.
const keepNames = 1 << 16

// dropNames releases the names from begin on, so that they don't keep a map's keys alive.
func (e *Encoder) dropNames(begin int) {
	// Only the outermost map releases memory: it has the others' names.
	clear(e.names[begin:])
	if e.names = e.names[:begin]; cap(e.names) > keepNames && begin == 0 {
		e.names = nil
	}
}

// A walk is the state for iterating over a map by reflect. It is cleared before it is kept, so that
// it keeps nothing of the map alive.
type walk struct {
	iter      reflect.MapIter
	key, elem reflect.Value // an entry, copied
	sorted    []entry
	all       reflect.Value // the elements that sorted refers to, a slice
}

// An entry is an entry of a map that is being sorted: its name, and the index of its value in
// walk.all.
type entry struct {
	name string
	i    int
}

// walkOf returns a walk for maps of a plan's type, a kept one if there is one.
func walkOf(n *plan.Node) *walk {
	if w, ok := n.Walks.Get().(*walk); ok {
		return w
	}
	t := n.Type
	return &walk{key: reflect.New(t.Key()).Elem(), elem: reflect.New(t.Elem()).Elem(),
		all: reflect.Zero(reflect.SliceOf(t.Elem()))}
}

// entries writes the entries of a map in the order of iteration. Each is copied to the same two
// places, to be written by address.
func (e *Encoder) entries(b []byte, n *plan.Node, m reflect.Value) []byte {
	w := walkOf(n)
	key, elem := w.key.Addr().UnsafePointer(), w.elem.Addr().UnsafePointer()
	names, repeats := len(e.names), e.mayRepeat(n.MapKey)
	for w.iter.Reset(m); w.iter.Next(); {
		w.key.SetIterKey(&w.iter)
		w.elem.SetIterValue(&w.iter)
		b = append(b, ',')
		// Keys of the usual kinds are written directly, all others get a name.
		switch k := n.MapKey; {
		case k.Write == plan.KindString:
			b = text.Append(b, e.noteName(mem.Get[string](key), repeats), e.flags)
		case k.Write == plan.KindInt64 || k.Write == plan.KindInt || k.Write == plan.KindUint:
			b = e.number(b, k, key, true)
		default:
			b = text.Append(b, e.noteName(e.keyName(n, w.key), repeats), e.flags)
		}
		b = e.value(append(b, ':'), n.Elem, elem, false)
	}
	e.uniqueNames(names)
	// Nothing of the map may stay in the kept walk. After a panic the walk goes to the GC.
	w.iter.Reset(reflect.Value{})
	w.key.SetZero()
	w.elem.SetZero()
	n.Walks.Put(w)
	return b
}

// sortedEntries writes the entries of a map in the order of their names. The values are copied to a
// slice in the order of iteration; the sorted names have their index in it.
func (e *Encoder) sortedEntries(b []byte, n *plan.Node, m reflect.Value) []byte {
	w := walkOf(n)
	// The slice is as long as the largest map so far, and zero beyond this map's values.
	if size := m.Len(); w.all.Len() < size {
		w.all = reflect.MakeSlice(w.all.Type(), size, size)
	}
	i, names, repeats := 0, len(e.names), e.mayRepeat(n.MapKey)
	for w.iter.Reset(m); w.iter.Next(); i++ {
		w.key.SetIterKey(&w.iter)
		w.all.Index(i).SetIterValue(&w.iter)
		w.sorted = append(w.sorted, entry{e.noteName(e.keyName(n, w.key), repeats), i})
	}
	e.uniqueNames(names)
	slices.SortFunc(w.sorted, func(x, y entry) int { return strings.Compare(x.name, y.name) })
	all := w.all.UnsafePointer()
	for _, x := range w.sorted {
		b = append(text.Append(append(b, ','), x.name, e.flags), ':')
		b = e.value(b, n.Elem, mem.Add(all, uintptr(x.i)*n.Elem.Size), false)
	}
	w.iter.Reset(reflect.Value{})
	w.key.SetZero()
	// The memory for a very large map goes to the GC.
	if len(w.sorted) > keepNames {
		return b
	}
	for _, x := range w.sorted {
		w.all.Index(x.i).SetZero()
	}
	clear(w.sorted)
	w.sorted = w.sorted[:0]
	n.Walks.Put(w)
	return b
}
