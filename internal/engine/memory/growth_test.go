package memory_test

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests where slices and raw memory grow: in place where the promise
// says so. That they don't where it would be wrong is the model test's matter.

func growsInPlace[T any](t *testing.T, name string, v T, opts ...arena.Option) {
	a := arena.NewArena(opts...)
	a.Reserve(100000)
	arena.MakeSlice[T](a, 100, 100)
	s := arena.MakeSlice[T](a, 0, 4)
	at := testkit.DataOf(s)
	for range 20 {
		s = arena.Append(a, s, v)
		arena.New[uint64](a) // objects and strings don't come between
		arena.New[T](a)
		a.AllocString("short")
	}
	if testkit.DataOf(s) != at {
		t.Errorf("%s: Append moved the newest slice", name)
	}
	if cap(s) != 32 {
		t.Errorf("%s: cap %d where it has doubled three times, from 4", name, cap(s))
	}
	tail := s[3:]
	at = testkit.DataOf(tail)
	if tail = arena.Grow(a, tail, 100); testkit.DataOf(tail) != at {
		t.Errorf("%s: Grow moved a part of the newest slice that ends where that ends", name)
	}
	tail = arena.Append(a, tail[:cap(tail)], v, v)
	if testkit.DataOf(tail) != at {
		t.Errorf("%s: Append moved a part of the newest slice that ends where that ends", name)
	}
	front := s[:2:2]
	if got := arena.Append(a, front, v); testkit.DataOf(got) == testkit.DataOf(front) {
		t.Errorf("%s: a part that ends before the slice's end was grown in place", name)
	}
	tail = arena.Append(a, tail[:cap(tail)], v)
	if testkit.DataOf(tail) == at {
		t.Errorf("%s: grown in place though another slice came between", name)
	}
	a.Reset()
	s = arena.MakeSlice[T](a, 4, 4)
	at = testkit.DataOf(s)
	m := a.Mark()
	s = arena.Append(a, s, v)
	a.Rewind(m)
	if s = arena.Append(a, s[:4:4], v); testkit.DataOf(s) != at && testkit.Reuses {
		t.Errorf("%s: not grown in place after Rewind", name)
	}
}

func TestGrowsInPlace(t *testing.T) {
	growsInPlace(t, "int", 1)
	growsInPlace(t, "pointer", &testkit.Decoy, arena.WithChunkSize(1<<17))
	growsInPlace(t, "string", "x", arena.WithChunkSize(1<<17))
	growsInPlace(t, "int, self-contained", 1, arena.WithNoScan())
	growsInPlace(t, "pointer, self-contained", &testkit.Decoy, arena.WithNoScan())
	growsInPlace(t, "int, scrub", 1, arena.WithScrub())
	growsInPlace(t, "int, limit", 1, arena.WithLimit(1<<20))
	growsInPlace(t, "9 bytes", [9]byte{1})
}

// appendAll appends n values to an empty slice, and to a short one in between. It
// returns how often the slice has moved.
func appendAll[T comparable](t *testing.T, a *arena.Arena, n int, v T) (s []T, moves int) {
	t.Helper()
	var at unsafe.Pointer
	var short []T
	for i := range n {
		full := cap(s)
		s = arena.Append(a, s, v)
		if testkit.DataOf(s) != at {
			at = testkit.DataOf(s)
			moves++
		}
		if cap(s) != full {
			wantZero(t, s)
		}
		if i%5000 == 0 {
			short = arena.Append(a, short, v, v, v)
			wantZero(t, short)
		}
	}
	return s, moves
}

// wantZero fails the test unless spare capacity is zero.
func wantZero[T comparable](t *testing.T, s []T) {
	t.Helper()
	var zero T
	for i, x := range s[:cap(s)][len(s):] {
		if x != zero {
			t.Fatalf("spare element %d of a slice of %d %Ts is %v", i, len(s), x, x)
		}
	}
}

// smallChunks returns an arena in which what takes more than a few KiB gets a chunk of its own.
func smallChunks(opts ...arena.Option) *arena.Arena {
	return arena.NewArena(append(opts, arena.WithChunkSize(8<<10), arena.WithMaxChunkSize(8<<10))...)
}

func growsInBigChunk[T comparable](t *testing.T, name string, v T, opts ...arena.Option) {
	const n = 200_000
	a := smallChunks(opts...)
	for life := range 3 {
		s, moves := appendAll(t, a, n, v)
		for i := range n {
			if s[i] != v {
				t.Fatalf("%s, life %d: s[%d] is %v", name, life, i, s[i])
			}
		}
		if most := 6; life > 0 && moves > most && testkit.Reuses {
			t.Errorf("%s, life %d: moved %d times to grow; want %d times at most", name, life, moves, most)
		}
		s = s[:cap(s)]
		for i := range s {
			s[i] = v // for the next life to find
		}
		a.Reset()
	}
}

// TestGrowsInBigChunk: a slice that is too large for the current chunk moves to large
// chunks of earlier lives, and grows there in place though others come after it.
func TestGrowsInBigChunk(t *testing.T) {
	growsInBigChunk(t, "int", 1)
	growsInBigChunk(t, "pointer", &testkit.Decoy)
	growsInBigChunk(t, "string", "x")
	growsInBigChunk(t, "int, self-contained", 1, arena.WithNoScan())
	growsInBigChunk(t, "pointer, self-contained", &testkit.Decoy, arena.WithNoScan())
	growsInBigChunk(t, "int, scrub", 1, arena.WithScrub())
	growsInBigChunk(t, "int, limit", 1, arena.WithLimit(64<<20))
	growsInBigChunk(t, "9 bytes", [9]byte{1})
}

func rewindsInBigChunk[T comparable](t *testing.T, name string, v T, opts ...arena.Option) {
	a := smallChunks(opts...)
	arena.MakeSlice[T](a, 100_000, 100_000)
	a.Reset() // the kept chunk is larger than the next need
	s := arena.MakeSlice[T](a, 30_000, 30_000)
	at, size, used, m := testkit.DataOf(s), len(s), a.UsedBytes(), a.Mark()
	for round := range 3 {
		long := arena.Append(a, s, v)
		if testkit.DataOf(long) != at && testkit.Reuses {
			t.Errorf("%s, round %d: moved; the test is of nothing then", name, round)
		}
		if n := a.UsedBytes(); n < used+(cap(long)-cap(s))*int(unsafe.Sizeof(v)) && testkit.DataOf(long) == at {
			t.Errorf("%s, round %d: %d bytes used after %d more than %d", name, round, n, cap(long)-cap(s), used)
		}
		wantZero(t, long)
		if !a.Owns(unsafe.Pointer(&long[:cap(long)][cap(long)-1])) {
			t.Errorf("%s, round %d: what it grew by isn't the arena's", name, round)
		}
		for i := range long[size:cap(long)] {
			long[size:cap(long)][i] = v
		}
		a.Rewind(m)
		if n := a.UsedBytes(); n != used {
			t.Errorf("%s, round %d: %d bytes used after Rewind, %d at the mark", name, round, n, used)
		}
	}
}

// TestRewindInBigChunk: a slice's growth in its big chunk is reclaimed, and allocated again as zero.
func TestRewindInBigChunk(t *testing.T) {
	rewindsInBigChunk(t, "int", 1)
	rewindsInBigChunk(t, "pointer", &testkit.Decoy)
	rewindsInBigChunk(t, "int, self-contained", 1, arena.WithNoScan())
	rewindsInBigChunk(t, "int, scrub", 1, arena.WithScrub())
	rewindsInBigChunk(t, "int, limit", 1, arena.WithLimit(64<<20))
}

// TestGrowsToWhatIsThere: a slice settles for somewhat less than twice its capacity if
// there is a chunk of that size, but never for less than it needs.
func TestGrowsToWhatIsThere(t *testing.T) {
	testkit.NeedsReuse(t)
	for more, fits := range map[int]bool{1: true, 4800: true, 5600: false, 10_000: false} {
		a := smallChunks()
		a.AllocBytes(90_000)
		a.Reset()
		before := a.Stats().Reserved
		s := make([]int64, 6250) // 50,000 bytes
		s = arena.Append(a, s, slices.Repeat([]int64{1}, more)...)
		if len(s) != 6250+more || s[len(s)-1] != 1 || s[6249] != 0 {
			t.Errorf("%d after %d were appended, or wrong content", len(s), more)
		}
		wantZero(t, s)
		if taken := a.Stats().Reserved - before; (taken == 0) != fits {
			t.Errorf("%d more: %d bytes from the heap, cap %d", more, taken, cap(s))
		}
	}
	a := smallChunks()
	a.AllocBytes(70_000) // less than three quarters
	a.Reset()
	if s := arena.Append(a, make([]int64, 6250), 1); cap(s) < 12_500 {
		t.Errorf("cap %d", cap(s))
	}
}

// TestGrowsIntoUsedChunk: a slice that moves within the current chunk gets zeroed spare
// capacity, though there is a new chunk for something else.
func TestGrowsIntoUsedChunk(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(64 << 10))
	b := a.AllocBytes(60_000)
	for i := range b {
		b[i] = 1
	}
	a.Reset()
	a.AllocBytes(1 << 20)
	wantZero(t, arena.Append(a, make([]byte, 20_000), 1))
}

// TestExactRoom: a slice that has just enough room is not moved, nor made larger.
func TestExactRoom(t *testing.T) {
	a := arena.NewArena()
	for name, more := range map[string]func(s []int) []int{
		"Append": func(s []int) []int { return arena.Append(a, s, 3, 4, 5) },
		"Grow":   func(s []int) []int { return append(arena.Grow(a, s, 3), 3, 4, 5) },
	} {
		s := append(arena.MakeSlice[int](a, 0, 5), 1, 2)
		if l := more(s); testkit.DataOf(l) != testkit.DataOf(s) || cap(l) != 5 || !slices.Equal(l, []int{1, 2, 3, 4, 5}) {
			t.Errorf("%s: %v, moved: %t, cap %d", name, l, testkit.DataOf(l) != testkit.DataOf(s), cap(l))
		}
	}
}

// TestFirstCapacityOfAppend: 32 bytes, or 4 elements if these take no more than 128, so
// that few slices ever move.
func TestFirstCapacityOfAppend(t *testing.T) {
	first := func(what string, got, want int) {
		if got != want {
			t.Errorf("%s: cap %d, want %d", what, got, want)
		}
	}
	a := arena.NewArena()
	first("bytes", cap(arena.Append(a, nil, byte(1))), 32)
	first("8 bytes", cap(arena.Append(a, nil, int64(1))), 4)
	first("32 bytes", cap(arena.Append(a, nil, [4]int64{})), 4)
	first("40 bytes", cap(arena.Append(a, nil, [5]int64{})), 3)
	first("128 bytes", cap(arena.Append(a, nil, [16]int64{})), 1)
	first("1,000 bytes", cap(arena.Append(a, nil, [125]int64{})), 1)
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
	if q := a.Realloc(p, 200, 300, 64); q != p || !testkit.AllZero(testkit.BytesAt(q, 300)) {
		t.Error("moved, or not zero, after growing again")
	}
	a.Alloc(1, 1)
	q := a.Realloc(p, 300, 400, 64)
	if q == p {
		t.Error("grown in place over a neighbour")
	}
	a.Alloc(300_000, 8)
	a.Reset()
	p = a.Alloc(100_000, 8)
	a.Alloc(1, 1)
	if q := a.Realloc(p, 100_000, 200_000, 8); q != p && testkit.Reuses {
		t.Error("moved out of a chunk of its own that has room")
	}
	p = a.Alloc(100, 64)
	a.Alloc(1, 1)
	for _, a := range []*arena.Arena{a, nil} {
		if r := a.Realloc(p, 100, 100, 64); r != p {
			t.Error("moved to be as large as it was")
		}
		if r := a.Realloc(p, 100, 10, 64); r != p {
			t.Error("shrinking moved memory")
		}
	}
}

// TestRawMemoryOfTheHeap: a nil arena requests the same sizes from the heap.
func TestRawMemoryOfTheHeap(t *testing.T) {
	var none *arena.Arena
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		none.Alloc(1000, 8)
		none.Alloc(1000, 64)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 3<<20 {
		t.Errorf("2,000 times 1000 bytes took %d", taken)
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

// TestAppendBesideWindows: memory that a window for objects has taken ahead of a budget is there for a slice.
func TestAppendBesideWindows(t *testing.T) {
	for _, limit := range []int{1000, 4000} {
		a := arena.NewArena(arena.WithLimit(limit))
		s := arena.MakeSlice[byte](a, limit*5/8, limit*5/8)
		arena.New[int64](a)
		s = arena.Append(a, s, 1)
		if n := a.UsedBytes(); n != limit || cap(s) != limit-8 {
			t.Errorf("limit %d: %d bytes used, cap %d", limit, n, cap(s))
		}
	}
}

// TestAppendOfNumbersUpToTheLimit: as with bytes, but for a remainder smaller than a number.
func TestAppendOfNumbersUpToTheLimit(t *testing.T) {
	for _, c := range []struct{ limit, between, want int }{
		{1004, 0, 125}, // in place
		{1250, 8, 80},  // moves
	} {
		a := arena.NewArena(arena.WithLimit(c.limit))
		s := arena.MakeSlice[int64](a, 75, 75)
		a.AllocBytes(c.between)
		if s = arena.Append(a, s, 1); cap(s) != c.want {
			t.Errorf("limit %d: cap %d, want %d", c.limit, cap(s), c.want)
		}
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

// TestResetBeginsWithOneChunk: where a life has needed a few small chunks
// the next needs only one: its objects then lie side by side, in a default arena
// (in the chunk of their type) and in a self-contained one.
func TestResetBeginsWithOneChunk(t *testing.T) {
	testkit.NeedsReuse(t)
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
			for i < nodes && p[i-1]-p[i] <= unsafe.Sizeof(node{})+testkit.RedZoneMax {
				i++
			}
			return i
		}
		if n := together(places()); n > nodes/2 {
			t.Errorf("%s: %d nodes side by side in the first life: the first chunk is too large for this test", name, n)
		}
		if n := together(places()); n < nodes {
			t.Errorf("%s: only the first %d of %d nodes are side by side in the second life", name, n, nodes)
		}
	}
}

// TestResetReleasesLargeFirstChunk: an arena whose first chunk became
// large is small again when its lives have become short.
func TestResetReleasesLargeFirstChunk(t *testing.T) {
	testkit.NeedsReuse(t)
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
