package stray

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/memory"
)

// TestSpansOfValues: SpanOf returns the memory to which a value given to KeepAlive points.
func TestSpansOfValues(t *testing.T) {
	array, text, channel, table := new([4]int64), "text"[1:], make(chan int), map[int]int{}
	function := func() { t.Log(array) }
	word := func(v any) uintptr { return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]) }
	for _, c := range []struct {
		v     any
		start uintptr
		size  uintptr
	}{
		{array, word(array), 32},
		{array[1:2:3], uintptr(unsafe.Pointer(&array[1])), 16},
		{text, uintptr(unsafe.Pointer(unsafe.StringData(text))), 3},
		{channel, word(channel), 1}, {table, word(table), 1}, {function, word(function), 1},
		{(*int64)(nil), 0, 8}, {7, 0, 0}, {nil, 0, 0},
	} {
		if s := SpanOf(c.v); s.Start != c.start || s.End-s.Start != c.size {
			t.Errorf("%T: %#x to %#x, want %d bytes from %#x", c.v, s.Start, s.End, c.size, c.start)
		}
	}
}

// TestReachableHolds: the bytes of the objects are reachable, with one behind each, and so are kept values, other
// spans, and the parent's memory.
func TestReachableHolds(t *testing.T) {
	bytes := new([300]byte)
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&bytes[i]) }
	outer, inner := &reachable{}, &reachable{}
	inner.parent = outer
	outer.add(nil, []any{(*[10]byte)(at(200)), "", []int(nil), 7})
	inner.add([]memory.Chunk{{Mem: at(100), Size: 10}, {Mem: at(20), Size: 5}, {Mem: at(50), Size: 1}}, nil)
	a := new([40]uint64)
	start := uintptr(unsafe.Pointer(a))
	inner.spans = append(inner.spans, Span{start, start + unsafe.Sizeof(*a)})
	for _, l := range []*reachable{outer, inner} {
		order(l.objects)
		order(l.spans)
	}
	if len(outer.spans) != 1 || len(outer.kept) != 4 {
		t.Errorf("%d spans of %d values", len(outer.spans), len(outer.kept))
	}
	within := func(i, from, to int) bool { return from <= i && i < to }
	for i := range bytes {
		own := within(i, 100, 111) || within(i, 20, 26) || within(i, 50, 52)
		kept := within(i, 200, 210)
		if outer.allows(uintptr(at(i))) != kept || inner.allows(uintptr(at(i))) != (own || kept) {
			t.Errorf("byte %d: %t in the outer, %t in the inner one", i, !kept, !(own || kept))
		}
	}
	for addr, want := range map[uintptr]bool{start - 1: false, start: true, start + unsafe.Sizeof(*a) - 1: true, start + unsafe.Sizeof(*a): false} {
		if inner.allows(addr) != want || outer.allows(addr) {
			t.Errorf("byte %d of the span: %t", addr-start, !want)
		}
	}
}

// TestStaticImage: constants, types and variables of the program are static, the heap is not.
func TestStaticImage(t *testing.T) {
	var s statics
	for name, p := range map[string]unsafe.Pointer{
		"a constant":              unsafe.Pointer(unsafe.StringData("arena: ")),
		"a type":                  reflect.ValueOf(reflect.TypeFor[Span]()).UnsafePointer(),
		"a variable":              unsafe.Pointer(&plainZero),
		"a variable with a value": unsafe.Pointer(&data),
	} {
		// The last of all marks the end.
		if addr := uintptr(p); !s.holds(addr) && addr != s.image.End {
			t.Errorf("%s at %#x isn't between %#x and %#x", name, addr, s.image.Start, s.image.End)
		}
	}
	for _, addr := range []uintptr{0, s.image.Start - 1, s.image.End, uintptr(unsafe.Pointer(new([1 << 16]byte)))} {
		if s.holds(addr) {
			t.Errorf("%#x is between %#x and %#x", addr, s.image.Start, s.image.End)
		}
	}
}
