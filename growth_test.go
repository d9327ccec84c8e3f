package arena_test

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file tests where slices and raw memory grow: in place where the promise
// says so. That they don't where it would be wrong is the model test's matter.

func data[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

func growsInPlace[T any](t *testing.T, name string, v T, opts ...arena.Option) {
	a := arena.NewArena(opts...)
	a.Reserve(100000)
	arena.MakeSlice[T](a, 100, 100)
	s := arena.MakeSlice[T](a, 0, 4)
	at := data(s)
	for range 10 {
		s = arena.Append(a, s, v)
		arena.New[uint64](a) // objects and strings don't come between
		arena.New[T](a)
		a.AllocString("short")
	}
	if data(s) != at {
		t.Errorf("%s: Append moved the newest slice", name)
	}
	tail := s[3:]
	at = data(tail)
	if tail = arena.Grow(a, tail, 100); data(tail) != at {
		t.Errorf("%s: Grow moved a part of the newest slice that ends where that ends", name)
	}
	tail = arena.Append(a, tail[:cap(tail)], v, v)
	if data(tail) != at {
		t.Errorf("%s: Append moved a part of the newest slice that ends where that ends", name)
	}
	front := s[:2:2]
	if got := arena.Append(a, front, v); data(got) == data(front) {
		t.Errorf("%s: a part that ends before the slice's end was grown in place", name)
	}
	tail = arena.Append(a, tail[:cap(tail)], v)
	if data(tail) == at {
		t.Errorf("%s: grown in place though another slice came between", name)
	}
	a.Reset()
	s = arena.MakeSlice[T](a, 4, 4)
	at = data(s)
	m := a.Mark()
	s = arena.Append(a, s, v)
	a.Rewind(m)
	if s = arena.Append(a, s[:4:4], v); data(s) != at && reuses {
		t.Errorf("%s: not grown in place after Rewind", name)
	}
}

func TestGrowsInPlace(t *testing.T) {
	growsInPlace(t, "int", 1)
	growsInPlace(t, "pointer", &decoy, arena.WithChunkSize(1<<17))
	growsInPlace(t, "string", "x", arena.WithChunkSize(1<<17))
	growsInPlace(t, "int, self-contained", 1, arena.WithNoScan())
	growsInPlace(t, "pointer, self-contained", &decoy, arena.WithNoScan())
	growsInPlace(t, "int, scrub", 1, arena.WithScrub())
	growsInPlace(t, "int, limit", 1, arena.WithLimit(1<<20))
	growsInPlace(t, "9 bytes", [9]byte{1})
}

func TestReallocInPlace(t *testing.T) {
	a := arena.NewArena()
	a.Reserve(20000)
	p := a.Alloc(100, 64)
	arena.New[uint64](a)
	if q := a.Realloc(p, 100, 5000, 64); q != p {
		t.Error("the newest memory was moved to grow")
	}
	used := a.UsedBytes()
	if q := a.Realloc(p, 5000, 200, 64); q != p || a.UsedBytes() != used-4800 {
		t.Errorf("shrinking the newest memory by 4800 bytes: moved from %p to %p, %d bytes given back", p, q, used-a.UsedBytes())
	}
	if q := a.Realloc(p, 200, 300, 64); q != p || !allZero(bytesAt(q, 300)) {
		t.Error("moved, or not zero, after growing again")
	}
	a.Alloc(1, 1)
	q := a.Realloc(p, 300, 400, 64)
	if q == p {
		t.Error("grown in place over a neighbour")
	}
	if r := a.Realloc(p, 300, 10, 64); r != p {
		t.Error("shrinking moved memory")
	}
}

// TestShrinkingUnderMark: Rewind gives back what Realloc had at the mark, so
// nothing else may have got it.
func TestShrinkingUnderMark(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(8192))
	p := a.Alloc(4000, 8)
	used := a.UsedBytes()
	m := a.Mark()
	a.Realloc(p, 4000, 100, 8)
	for range 100 {
		arena.New[[7]uint64](a)
	}
	a.Rewind(m)
	if s := a.Stats(); s.Used != used || s.Wasted < 0 || s.Wasted > s.Reserved {
		t.Errorf("%v; %d bytes used at the mark", s, used)
	}
	a.AllocBytes(8000)
	if s := a.Stats(); s.Wasted < 0 || s.Used+s.Wasted > s.Reserved {
		t.Errorf("%+v", s)
	}
	for range 100 {
		v := arena.New[[7]uint64](a)
		if *v != [7]uint64{} {
			t.Fatal("not zero")
		}
		v[6] = 1
	}
}

// TestAppendUpToTheLimit checks that Append settles for less than twice the
// capacity where a budget doesn't allow for that.
func TestAppendUpToTheLimit(t *testing.T) {
	for _, c := range []struct{ limit, between int }{
		{1000, 0}, // grows in place by 400 bytes and not 600
		{1250, 8}, // moves, to 642 bytes and not 1200
	} {
		a := arena.NewArena(arena.WithLimit(c.limit))
		s := arena.MakeSlice[byte](a, 600, 600)
		s[599] = 7
		a.AllocBytes(c.between)
		p := &s[0]
		s = arena.Append(a, s, 1)
		if len(s) != 601 || s[599] != 7 || s[600] != 1 {
			t.Errorf("limit %d: len %d, or wrong content", c.limit, len(s))
		}
		if (p != &s[0]) != (c.between > 0) {
			t.Errorf("limit %d: moved is %t", c.limit, p != &s[0])
		}
		if n := a.UsedBytes(); n != c.limit || cap(s) != c.limit-c.between-600*min(1, c.between) {
			t.Errorf("limit %d: %d bytes used, cap %d", c.limit, n, cap(s))
		}
	}
}

// TestAllocStringOfAllLengths checks each way in which a string is copied.
func TestAllocStringOfAllLengths(t *testing.T) {
	text := make([]byte, 3000)
	for i := range text {
		text[i] = byte(i*7 + i>>8)
	}
	a := arena.NewArena()
	var got []string
	for n := range len(text) {
		got = append(got, a.AllocString(string(text[:n])))
	}
	for n, s := range got {
		if s != string(text[:n]) {
			t.Fatalf("wrong copy of %d bytes", n)
		}
	}
}

// TestResetBeginsWithLargestChunk says that lives which need a few small chunks
// soon need only one: their objects then lie side by side, in a default arena
// (in the chunks of their type) and in a self-contained one.
func TestResetBeginsWithLargestChunk(t *testing.T) {
	needsReuse(t)
	type node struct {
		next *node
		rest [64 - unsafe.Sizeof(uintptr(0))]byte
	}
	const nodes = 200
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		places := func() (p [nodes]uintptr) {
			for i := range p {
				p[i] = uintptr(unsafe.Pointer(arena.New[node](a)))
			}
			a.Reset()
			return p
		}
		together := func(p [nodes]uintptr) int {
			i := 1
			for i < nodes && p[i-1]-p[i] <= unsafe.Sizeof(node{})+redZoneMax {
				i++
			}
			return i
		}
		if n := together(places()); n > nodes/2 {
			t.Errorf("%s: %d nodes side by side in the first life: the first chunk is too large for this test", name, n)
		}
		if n := together(places()); n < nodes/3 {
			t.Errorf("%s: only the first %d of %d nodes are side by side in the second life", name, n, nodes)
		}
	}
}

// TestResetLetsGoOfLargeFirstChunk says that an arena whose first chunk became
// large is small again when its lives have become short.
func TestResetLetsGoOfLargeFirstChunk(t *testing.T) {
	needsReuse(t)
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		live := func(objects int) (first unsafe.Pointer) {
			for range objects {
				p := unsafe.Pointer(arena.New[[64 / unsafe.Sizeof(uintptr(0))]*int](a))
				if first == nil {
					first = p
				}
			}
			a.Reset()
			return first
		}
		live(3000)
		live(3000)
		if r := a.Stats().Reserved; r < 190<<10 {
			t.Errorf("%s: %d bytes reserved after lives of 192 KB", name, r)
		}
		for range 64 {
			live(3)
		}
		if r := a.Stats().Reserved; r > 16<<10 {
			t.Errorf("%s: %d bytes reserved after 64 lives of 192 bytes", name, r)
		}
		var begin unsafe.Pointer
		for range 8 {
			begin = live(500) // which soon find themselves in one chunk
		}
		for i := range 64 {
			if p := live(500); p != begin {
				t.Errorf("%s: life %d begins in another chunk than those before", name, i)
				break
			}
		}
	}
}
