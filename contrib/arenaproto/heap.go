package arenaproto

import (
	"unsafe"

	"github.com/harena-go/arena"
)

// This file holds how the Go heap is used where there is no arena. Values of run-time types come from
// reflect there, which takes longer than the compiler's own allocations: these serve for what has the same
// size, and pointers at the same places, since that is all that the garbage collector looks at (fact 2).

// onHeap makes what the pointer or interface of a field leads to.
func (f *op) onHeap(k arena.TypeKey) unsafe.Pointer {
	if f.indirect != boxed || k != f.at {
		return k.New(nil)
	}
	switch f.kind {
	case kindString:
		return unsafe.Pointer(new(string))
	case kindBool:
		return unsafe.Pointer(new(bool))
	case kindInt32, kindSint32, kindFixed32:
		return unsafe.Pointer(new(uint32))
	case kindInt64, kindSint64, kindFixed64:
		return unsafe.Pointer(new(uint64))
	}
	return k.New(nil)
}

// listOnHeap makes n elements of a list.
func (f *op) listOnHeap(n int) unsafe.Pointer {
	switch {
	case f.kind == kindMessages || f.kind == kindGroups:
		return unsafe.Pointer(unsafe.SliceData(make([]unsafe.Pointer, n)))
	case f.kind == kindStrings:
		return unsafe.Pointer(unsafe.SliceData(make([]string, n)))
	case f.kind == kindByteses:
		return unsafe.Pointer(unsafe.SliceData(make([][]byte, n)))
	case n == 1:
		return f.elem.New(nil)
	}
	return f.elem.MakeSlice(nil, n)
}

// blockOnHeap makes the n messages of a list. One is cheaper alone.
func (f *op) blockOnHeap(n int) unsafe.Pointer {
	if n == 1 {
		return f.block.New(nil)
	}
	return f.block.MakeSlice(nil, n)
}
