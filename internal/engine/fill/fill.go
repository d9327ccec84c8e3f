// Package fill overwrites dead values so that their use is noticed: pointers become an
// address that nobody may touch, and everything else the byte 0xDB, except the state of
// types that the runtime interprets (state.go). Code that writes memory by the type of its
// contents is here alone.
//
// Facts are those of internal/engine/block.
package fill

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

const (
	// Byte is the value of dead bytes: as an integer a large negative number, as UTF-8 invalid.
	Byte = 0xDB

	// Len is the length and the capacity of dead slices and strings. It is more than 0,
	// so that a loop over one follows the pointer.
	Len = Byte
)

const word = unsafe.Sizeof(uintptr(0))

// Dead overwrites n values of type t at p. Their pointers become trap, which must not point into the Go heap. Padding
// between fields stays as it is. Dead returns a checksum of the parts that it has kept.
func Dead(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) (kept uint64) {
	f := filler{trap: trap}
	f.values(t, p, n)
	return f.kept
}

// DeadUnscanned is Dead for memory that the GC doesn't scan. A pointer there may lead to
// freed memory. The GC must not be told that it is overwritten: it would take that memory
// for live, and end the program.
func DeadUnscanned(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) (kept uint64) {
	f := filler{trap: trap, unscanned: true}
	f.values(t, p, n)
	return f.kept
}

// Untouched reports whether n values at p are as Dead left them, if kept is what Dead has returned.
func Untouched(t reflect.Type, p unsafe.Pointer, n int, trap unsafe.Pointer) (kept uint64, ok bool) {
	f := filler{trap: trap, check: true}
	f.values(t, p, n)
	return f.kept, !f.differs
}

// Bytes overwrites n bytes of memory without pointers.
func Bytes(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		b[i] = Byte
	}
}

// BytesUnseen is Bytes without telling the race detector, which would take it for a use by the
// caller, and is slow. It doesn't call copy, since the detector always sees that.
//
//go:norace
func BytesUnseen(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		b[i] = Byte
	}
}

// A filler goes through values by their type. It either overwrites or compares. The race detector doesn't see that: it
// would remember an event for each byte here instead of real uses. Package race reports enough to it to find concurrent
// uses of the memory.
type filler struct {
	trap    unsafe.Pointer
	check   bool
	differs bool

	unscanned bool // by the GC

	kept uint64 // checksum
}

//go:norace
func (f *filler) values(t reflect.Type, p unsafe.Pointer, n int) {
	known, ok := partsByType.Load(t)
	if !ok {
		known, _ = partsByType.LoadOrStore(t, partsOf(nil, t, 0, bytes))
	}
	parts := known.([]part)
	if len(parts) == 1 && parts[0].kind == bytes {
		f.bytes(p, t.Size()*uintptr(n))
		return
	}
	for i := range n {
		f.value(parts, unsafe.Add(p, uintptr(i)*t.Size())) // fact 11
	}
}

// partsByType has a []part for each reflect.Type that was filled.
var partsByType sync.Map

// A part of a value. To fill a value by its parts takes a tenth of the time of reading its type.
type part struct {
	kind   partKind
	off, n uintptr // n bytes, or n elements
	size   uintptr // of an element
	elem   []part
}

type partKind uint8

const (
	pointer  partKind = iota
	cleared           // a pointer that becomes nil
	length            // a word that becomes Len
	bytes             // that become Byte
	zeros             // bytes that become 0
	kept              // bytes that stay as they are
	elements          // of an array
)

// partsOf adds the parts of a value of type t at an offset. as is the kind of its parts without pointers.
func partsOf(to []part, t reflect.Type, off uintptr, as partKind) []part {
	if k, ok := stateOf(t); ok {
		as = k
	}
	if !layout.HasPointers(t) && (as != bytes || !holdsState(t)) {
		if last := len(to) - 1; last >= 0 && to[last].kind == as && to[last].off+to[last].n == off {
			to[last].n += t.Size()
			return to
		}
		return append(to, part{kind: as, off: off, n: t.Size()})
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			to = partsOf(to, field.Type, off+field.Offset, as)
		}
		return to
	case reflect.Array:
		e := t.Elem()
		elem := partsOf(nil, e, 0, as)
		return append(to, part{kind: elements, off: off, n: uintptr(t.Len()), size: e.Size(), elem: elem})
	case reflect.String:
		return append(to, part{kind: pointer, off: off}, part{kind: length, off: off + word})
	case reflect.Slice:
		return append(to, part{kind: pointer, off: off}, part{kind: length, off: off + word},
			part{kind: length, off: off + 2*word})
	case reflect.Interface:
		return append(to, part{kind: pointer, off: off}, part{kind: pointer, off: off + word})
	}
	kind := pointer // also maps, channels and functions
	if as == cleared {
		kind = cleared
	}
	return append(to, part{kind: kind, off: off})
}

// value fills a value. Its pointers are stored as pointers, so that the GC sees the old ones go
// (fact 8), unless it doesn't know of them.
//
//go:norace
func (f *filler) value(parts []part, v unsafe.Pointer) {
	for i := range parts {
		switch s, p := &parts[i], unsafe.Add(v, parts[i].off); s.kind { // fact 9
		case pointer:
			f.pointer(p, f.trap)
		case cleared:
			f.pointer(p, nil)
		case length:
			f.length(p)
		case bytes:
			f.bytes(p, s.n)
		case zeros:
			f.zeros(p, s.n)
		case kept:
			for _, b := range unsafe.Slice((*byte)(p), s.n) {
				f.kept = (f.kept ^ uint64(b)) * 1099511628211 // FNV-1a
			}
		case elements:
			for i := range s.n {
				f.value(s.elem, unsafe.Add(p, i*s.size)) // fact 11
			}
		}
	}
}

//go:norace
func (f *filler) pointer(p, to unsafe.Pointer) {
	switch {
	case f.check:
		f.differs = f.differs || *(*uintptr)(p) != uintptr(to)
	case f.unscanned:
		*(*uintptr)(p) = uintptr(to)
	default:
		*(*unsafe.Pointer)(p) = to
	}
}

//go:norace
func (f *filler) length(p unsafe.Pointer) {
	if q := (*uintptr)(p); f.check {
		f.differs = f.differs || *q != Len
	} else {
		*q = Len
	}
}

//go:norace
func (f *filler) bytes(p unsafe.Pointer, n uintptr) {
	if !f.check {
		BytesUnseen(p, n)
		return
	}
	for _, b := range unsafe.Slice((*byte)(p), n) {
		if b != Byte {
			f.differs = true
			return
		}
	}
}

//go:norace
func (f *filler) zeros(p unsafe.Pointer, n uintptr) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		if f.check {
			f.differs = f.differs || b[i] != 0
		} else {
			b[i] = 0
		}
	}
}
