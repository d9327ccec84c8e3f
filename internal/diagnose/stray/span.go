package stray

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds the memory that values point to, as spans. It must not depend on the contents of that memory. Spans
// have addresses and no pointers, and so keep nothing alive.

// A Span is the memory from the byte at Start up to the one before End.
type Span struct{ Start, End uintptr }

// Holds reports whether an address is in the span. An address below Start makes the difference huge, so that one
// comparison is enough.
func (s Span) Holds(addr uintptr) bool { return addr-s.Start < s.End-s.Start }

// SpanOf returns the memory that a value points to directly. For a map, a channel or a func only the first byte is
// known. For a value that isn't a pointer it is empty.
func SpanOf(v any) (s Span) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer:
		s.Start = r.Pointer()
		s.End = s.Start + r.Type().Elem().Size()
	case reflect.Slice:
		s.Start = r.Pointer()
		s.End = s.Start + uintptr(r.Cap())*r.Type().Elem().Size()
	case reflect.String:
		s.Start = uintptr(unsafe.Pointer(unsafe.StringData(r.String())))
		s.End = s.Start + uintptr(r.Len())
	// Only the runtime knows the size of their targets.
	case reflect.Map, reflect.Chan, reflect.Func:
		s.Start = uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]) // fact 9
		s.End = s.Start + 1
	}
	return s
}

// in reports whether an address is in a span of a sorted list without overlaps. It takes logarithmic time. It is
// written out because it is called for each examined word.
func in(spans []Span, addr uintptr) bool {
	lo, hi := 0, len(spans)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); spans[mid].Start <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo > 0 && addr < spans[lo-1].End
}

// order sorts spans by start.
func order(s []Span) {
	slices.SortFunc(s, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
}

// ofChunk returns the block of a chunk, with the pad, where a value of no size may lie.
// The byte after the chunk counts, since a pointer to it keeps the block alive.
func ofChunk(c *memory.Chunk) Span {
	start := uintptr(c.Mem)
	return Span{start, start + c.Size + 1}
}
