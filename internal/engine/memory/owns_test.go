package memory_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// beyond returns a pointer that is not to the same block as p, which checkptr would object to.
//
//go:nocheckptr
//go:noinline
func beyond(p unsafe.Pointer, n int) unsafe.Pointer { return unsafe.Add(p, n) }

// TestOwnsEnds looks at the ends of allocated values. A chunk of a slab has a neighbour right behind it.
func TestOwnsEnds(t *testing.T) {
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		for _, what := range []string{"object", "pointer"} {
			a = arena.NewArena(opts...)
			p, size := unsafe.Pointer(nil), 16
			if what == "object" {
				p = unsafe.Pointer(arena.New[[2]uint64](a))
			} else {
				p, size = unsafe.Pointer(arena.New[[4]*int](a)), testkit.SizeOfType([4]*int{})
			}
			if !a.Owns(p) || !a.Owns(unsafe.Add(p, size-1)) {
				t.Errorf("%s: the arena doesn't own its %s", name, what)
			}
			if a.Owns(beyond(p, size)) {
				t.Errorf("%s: the arena owns what lies behind the first %s of a chunk", name, what)
			}
			if a.Owns(unsafe.Add(p, -size-testkit.RedZoneMax)) {
				t.Errorf("%s: the arena owns what it hasn't allocated", name)
			}
		}
		if s := arena.MakeSlice[byte](a, 10, 10); !a.Owns(testkit.DataOf(s)) || a.Owns(unsafe.Add(testkit.DataOf(s), 10)) {
			t.Errorf("%s: a slice has the wrong end", name)
		}
		if a.Owns(nil) || a.Owns(unsafe.Pointer(new(int))) || (*arena.Arena)(nil).Owns(unsafe.Pointer(new(int))) {
			t.Errorf("%s: owns foreign memory", name)
		}
	}
}

func TestStatsString(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(arena.WithName("parser"))
	arena.New[[5000]byte](a)
	arena.New[*int](a)
	a.Reset()
	s := a.Stats()
	if s.Name != "parser" || s.Resets != 1 || s.Slabs != 1 || s.Used != 0 || s.HighWater < 5000 || s.Chunks < 2 {
		t.Errorf("%+v", s)
	}
	for _, word := range []string{`"parser"`, "used", "high water", "chunks", "retained", "wasted", "1 slab,", "1 reset", " B"} {
		if !strings.Contains(s.String(), word) {
			t.Errorf("%q doesn't contain %q", s, word)
		}
	}
	if s := (*arena.Arena)(nil).Stats(); s != (arena.Stats{}) {
		t.Errorf("a nil arena has %v", s)
	}
}

// TestReserve: values that fit into reserved memory need no further chunk.
func TestReserve(t *testing.T) {
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()},
		"limit": {arena.WithLimit(1 << 20)}, "tiny": {arena.WithChunkSize(256), arena.WithMaxChunkSize(256)}} {
		for _, used := range []bool{false, true} {
			a := arena.NewArena(opts...)
			if used {
				arena.New[int](a)
			}
			a.Reserve(100000)
			chunks := a.Stats().Chunks
			for range 1000 {
				arena.New[[12]uint64](a)
			}
			if s := a.Stats(); (s.Chunks != chunks || s.Chunks > 2) && !asan.On { // red zones take room, too
				t.Errorf("%s: %d chunks after Reserve, %d when it was used up", name, chunks, s.Chunks)
			}
			a.Reserve(0)
		}
	}
	a := arena.NewArena(arena.WithLimit(1000))
	testkit.WantPanic(t, func() { a.Reserve(1001) }, "limit", "1001", "1000")
	a.Reserve(1000)
	a.AllocBytes(1000)
}

// TestZeroSizes: values without bytes take none, and don't hold chunks.
func TestZeroSizes(t *testing.T) {
	a := arena.NewArena()
	for range 100 {
		if arena.New[struct{}](a) == nil || arena.NewOf(a, [0]int{}) == nil || arena.For[[0]*int](a).New() == nil {
			t.Fatal("nil")
		}
		if s := arena.MakeSlice[struct{}](a, 5, 9); len(s) != 5 || cap(s) != 9 {
			t.Fatal(len(s), cap(s))
		}
		if s := arena.Append(a, []struct{}{{}}, struct{}{}, struct{}{}); len(s) != 3 {
			t.Fatal(len(s))
		}
		if s := arena.MakeSlice[int](a, 0, 0); s == nil {
			t.Fatal("a nil slice")
		}
	}
	if n := a.UsedBytes(); n > 8 {
		t.Errorf("%d bytes used by values without any", n)
	}
}

func TestStatsOfLargeArenas(t *testing.T) {
	if s := (arena.Stats{Used: 20 << 20, Reserved: 1 << 30}).String(); !strings.Contains(s, " 20.0 MiB used") || !strings.Contains(s, "1024.0 MiB") {
		t.Error(s)
	}
}
