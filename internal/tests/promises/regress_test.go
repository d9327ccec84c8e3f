package promises_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Each test of this file is named for a failure that other arenas for Go have.

// Seven libraries lose 999 of 1000 strings at the first GC: they store pointers
// in memory that the GC doesn't scan.
func TestRegressHeapPointersInvisibleToGC(t *testing.T) {
	a := arena.NewArena()
	var all []*string
	for i := range 1000 {
		arena.New[int](a)
		s := arena.New[string](a)
		*s = text(i)
		all = append(all, s)
	}
	testkit.Churn()
	for i, s := range all {
		if *s != text(i) {
			t.Fatalf("string %d is %q after a GC", i, *s)
		}
	}
}

// Memory is allocated dirty after Reset: one request sees another's data.
func TestRegressDirtyMemoryAfterReset(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}, {arena.WithChunkSize(300)}, {arena.WithScrub()}} {
		a := arena.NewArena(opts...)
		m := a.Mark()
		for round := range 12 {
			amount := []int{3, 3000, 200, 40000}[round%4]
			for i := 0; i < amount; i += 100 {
				for _, b := range [][]byte{arena.New[[100]byte](a)[:], a.AllocBytes(17), testkit.BytesAt(a.Alloc(33, 64), 33),
					testkit.BytesOf(arena.MakeSlice[[3]*int](a, 2, 5)[:5]), testkit.BytesAt(unsafe.Pointer(arena.New[testkit.Node](a)), testkit.SizeOfType(testkit.Node{})),
					arena.Append(a, []byte(nil), 1)[1:32], arena.Grow(a, []byte{}, 50)[:50], testkit.BytesAt(a.Realloc(a.Alloc(1, 1), 1, 90, 1), 90)} {
					if !testkit.AllZero(b) {
						t.Fatalf("round %d: %x", round, b)
					}
					for i := range b {
						if len(b)%8 != 0 || len(b) == 0 {
							b[i] = 0xEE // plain memory only: the GC must not see this
						}
					}
				}
				s := arena.MakeSliceUninit[byte](a, 20, 20)
				for i := range s {
					s[i] = 0xEE
				}
				*arena.New[*int](a) = &testkit.Decoy
				arena.MakeSlice[*int](a, 3, 3)[2] = &testkit.Decoy
			}
			switch round % 3 {
			case 0:
				a.Reset()
				m = a.Mark()
			default:
				a.Rewind(m)
			}
		}
	}
}

// Arenas that recycle chunks with finalizers are never finalized, because arena
// and chunks point at each other: 0 of 1000.
func TestRegressCyclesAreNeverCollected(t *testing.T) {
	const rounds, each = 10, 100
	before := testkit.HeapInUse()
	for range rounds {
		for range each {
			a := arena.NewArena(arena.WithNoScan())
			n := arena.New[recursive](a)
			n.next = n
		}
		runtime.GC()
	}
	if more := testkit.HeapInUse() - before; more > 1<<20 {
		t.Errorf("%d arenas left %d bytes behind", rounds*each, more)
	}
}

// The runtime's arena charges 8 MiB for the first byte.
func TestRegressEightMiBPerArena(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		if n := a.Stats().Reserved; n != 0 {
			t.Errorf("%d bytes reserved for nothing", n)
		}
		arena.New[byte](a)
		arena.New[*int](a)
		if n := a.Stats().Reserved; n > 8<<10 {
			t.Errorf("%d bytes reserved for two small values", n)
		}
	}
}

// A maxRetained that frees nothing; and one that keeps only chunks in use.
func TestRegressMaxRetainedFreesNothing(t *testing.T) {
	a := arena.NewArena(arena.WithMaxRetained(64 << 10))
	before := testkit.HeapInUse()
	for range 3 {
		for range 1000 {
			arena.New[[10000]byte](a)
		}
		a.Reset()
		if s := a.Stats(); s.Reserved > 64<<10 {
			t.Errorf("%v", s)
		}
		if more := testkit.HeapInUse() - before; more > 200<<10 {
			t.Errorf("the heap has grown by %d bytes", more)
		}
	}
	runtime.KeepAlive(a)
}

// Chunk lists are walked from their beginning, so that an allocation costs the
// more the more chunks there are.
func TestRegressCostGrowsWithChunks(t *testing.T) {
	if testkit.Sanitized || testing.Short() {
		t.Skip("measures time")
	}
	const chunk = 4096
	run := func(chunks int, opts ...arena.Option) time.Duration {
		a := arena.NewArena(append(opts, arena.WithChunkSize(chunk), arena.WithMaxChunkSize(chunk))...)
		for a.Stats().Chunks < chunks {
			arena.New[[400]byte](a)
			arena.MakeSlice[*int](a, 50, 50)
		}
		best := time.Hour
		for range 30 {
			best = min(best, testkit.Took(func() {
				for range 200 {
					arena.New[[400]byte](a)
					arena.MakeSlice[*int](a, 50, 50)
				}
			}))
		}
		return best
	}
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		testkit.WithinTimes(t, 20, name+", 10 chunks and 3,000", func() (few, many time.Duration) {
			return run(10, opts...), run(3000, opts...)
		})
	}
}

// Reset makes the arena allocate memory that it has allocated before, twice.
func TestRegressResetOverlapsLiveData(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}, {arena.WithChunkSize(256), arena.WithMaxChunkSize(512)}} {
		a := arena.NewArena(opts...)
		for round := range 6 {
			var values []*[16]uint64
			var pointers []**int
			var slices [][]uint32
			for i := range 100 {
				v := arena.New[[16]uint64](a)
				v[0], v[15] = uint64(i), uint64(i)
				values = append(values, v)
				s := arena.MakeSlice[uint32](a, 1+i*round, 1+i*round)
				s[0], s[len(s)-1] = uint32(i), uint32(i)
				slices = append(slices, s)
				pointers = append(pointers, arena.NewOf(a, &targets[i%16]))
			}
			for i := range values {
				if s := slices[i]; values[i][0] != uint64(i) || values[i][15] != uint64(i) || s[0] != uint32(i) ||
					s[len(s)-1] != uint32(i) || *pointers[i] != &targets[i%16] {
					t.Fatalf("round %d: value %d was overwritten", round, i)
				}
			}
			a.Reset()
		}
	}
}

// Growing in place runs over the next allocation.
func TestRegressGrowthOverNeighbour(t *testing.T) {
	a := arena.NewArena()
	s := arena.Append(a, []int(nil), 1, 2, 3, 4)
	s = s[:4:4]
	neighbour := arena.MakeSlice[int](a, 8, 8)
	raw := a.Alloc(16, 8)
	object := arena.NewOf(a, 77)
	s = arena.Append(a, s, 5, 6, 7, 8, 9)
	part := arena.Append(a, neighbour[:2:2], -1, -1, -1, -1, -1, -1)
	a.Realloc(unsafe.Pointer(unsafe.SliceData(part)), 16, 2000, 8)
	testkit.BytesAt(a.Realloc(raw, 16, 3000, 8), 3000)[2999] = 1
	if !testkit.AllZero(testkit.BytesOf(neighbour)) || *object != 77 || !slices.Equal(s, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v, %v, %d", neighbour, s, *object)
	}
}

// Everything is packed without alignment: a fault on some machines, slow on
// others, and invisible pointers on all.
func TestRegressNoAlignment(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(), arena.NewArena(arena.WithNoScan(), arena.WithChunkSize(257))} {
		for i := range 500 {
			a.AllocString(strings.Repeat("x", i%5))
			arena.New[byte](a)
			values := []unsafe.Pointer{unsafe.Pointer(arena.New[int64](a)), unsafe.Pointer(arena.New[[9]byte](a)),
				unsafe.Pointer(arena.New[[3]float64](a)), unsafe.Pointer(arena.New[testkit.Odd](a)),
				testkit.DataOf(arena.MakeSlice[uint64](a, 1+i%3, 3)), testkit.DataOf(a.AllocBytes(8 + i)), testkit.DataOf(arena.MakeSlice[testkit.Odd](a, 1, 2))}
			if a == nil {
				values = nil // the Go heap has its own rules
			}
			for _, p := range append(values, a.Alloc(9, 1), a.Realloc(a.Alloc(3, 1), 3, 8, 1)) {
				if uintptr(p)%8 != 0 {
					t.Fatalf("%p is not aligned to 8", p)
				}
			}
			for align := uintptr(1); align <= 4096; align *= 2 {
				if p := a.Alloc(uintptr(i), align); i > 0 && uintptr(p)%align != 0 {
					t.Fatalf("%p is not aligned to %d", p, align)
				}
			}
		}
	}
}

// Appending to a nil or empty slice never ends, because twice nothing is nothing.
func TestRegressEndlessLoopOnNilSlice(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, a := range []*arena.Arena{nil, {}, arena.NewArena(arena.WithNoScan())} {
			arena.Append(a, []int(nil))
			arena.Append(a, []int(nil), 1)
			arena.Append(a, []int{}, 1)
			arena.Append(a, []struct{}(nil), struct{}{})
			arena.Grow(a, []string(nil), 0)
			arena.Grow(a, []string(nil), 1)
			arena.Grow(a, []struct{}(nil), 1000)
			arena.CopySlice(a, []int(nil))
			arena.CopySlice(a, []int{})
			arena.MakeSlice[int](a, 0, 0)
			a.AllocString("")
			a.AllocBytesToString(nil)
			a.Sprintf("")
			a.Reserve(0)
			a.Realloc(a.Alloc(0, 1), 0, 0, 1)
			a.Realloc(a.Realloc(a.Alloc(8, 8), 8, 0, 8), 0, 8, 8)
			a.Realloc(nil, 0, 8, 8)
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("still running")
	}
}

// Not seen elsewhere: a slab was found by a key that is unique for a type, but
// not among the keys of a type and of the pointers to it.
func TestRegressPointerToTypeInItsSlab(t *testing.T) {
	for range 2 {
		a := arena.NewArena()
		for i := range 50 {
			p := arena.New[*testkit.Odd](a)
			v := arena.NewOf(a, testkit.Odd{P: &targets[i%16], N: [2]uint32{1, 2}})
			w := arena.NewOf(a, testkit.Odd{P: &targets[i%16], N: [2]uint32{3, 4}})
			s := arena.MakeSlice[*testkit.Odd](a, 5, 5)
			for j := range s {
				s[j] = &testkit.Odd{P: &targets[j], N: [2]uint32{uint32(j), 6}}
			}
			*p = v
			if i == 25 {
				testkit.Churn()
			}
			if *p != v || v.N != [2]uint32{1, 2} || w.N != [2]uint32{3, 4} || v.P != &targets[i%16] {
				t.Fatalf("round %d: %v %v %v", i, *p, v, w)
			}
			churnedLater = append(churnedLater, s)
		}
	}
	testkit.Churn()
	for i, s := range churnedLater {
		for j, v := range s {
			if v.N != [2]uint32{uint32(j), 6} || v.P != &targets[j] {
				t.Fatalf("slice %d, value %d was lost: %v", i, j, v)
			}
		}
	}
}

// targets are what values of the arena point to.
var targets [16]int

var churnedLater [][]*testkit.Odd
