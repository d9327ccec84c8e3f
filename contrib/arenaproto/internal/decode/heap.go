package decode

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
)

// This file allocates on the Go heap without an arena. Values of run-time types come from reflect there, which
// is slower than new and make. So the common types are allocated by new and make of a type of the same size
// with pointers at the same offsets: the garbage collector needs no more (fact 2).

// onHeap allocates the target, of type k, of a field's pointer or interface.
func onHeap(f *plan.Op, k arena.TypeKey) unsafe.Pointer {
	if f.Indirect != plan.Boxed || k != f.At {
		return k.New(nil)
	}
	// A box of a scalar. Signed and unsigned numbers, and floats, of one size are alike to the GC.
	switch f.Kind {
	case plan.KindString:
		return unsafe.Pointer(new(string))
	case plan.KindBool:
		return unsafe.Pointer(new(bool))
	case plan.KindInt32, plan.KindSint32, plan.KindFixed32:
		return unsafe.Pointer(new(uint32))
	case plan.KindInt64, plan.KindSint64, plan.KindFixed64:
		return unsafe.Pointer(new(uint64))
	}
	return k.New(nil)
}

// listOnHeap allocates n elements of a list.
func listOnHeap(f *plan.Op, n int) unsafe.Pointer {
	switch {
	case f.Kind == plan.KindMessages || f.Kind == plan.KindGroups:
		return unsafe.Pointer(unsafe.SliceData(make([]unsafe.Pointer, n)))
	case f.Kind == plan.KindStrings:
		return unsafe.Pointer(unsafe.SliceData(make([]string, n)))
	case f.Kind == plan.KindByteses:
		return unsafe.Pointer(unsafe.SliceData(make([][]byte, n)))
	case n == 1:
		return f.Elem.New(nil)
	}
	return f.Elem.MakeSlice(nil, n)
}

// blockOnHeap allocates the n messages of a list. A single value is cheaper than a slice of one.
func blockOnHeap(f *plan.Op, n int) unsafe.Pointer {
	if n == 1 {
		return f.Block.New(nil)
	}
	return f.Block.MakeSlice(nil, n)
}
