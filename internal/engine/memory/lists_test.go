package memory_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that an arena's lists, of marks and the like, are counted as its chunks
// are, and go as those do.

// lists are lives that make one of the lists long. Each takes some megabytes.
var lists = map[string]func(a *arena.Arena, n int){
	"marks": func(a *arena.Arena, n int) {
		for range n {
			a.Mark()
			arena.New[uint64](a)
		}
	},
	"positions": func(a *arena.Arena, n int) {
		arena.New[*int](a)
		arena.New[[]int](a)
		for range n / 2 {
			a.Mark()
			arena.New[*int](a)
		}
	},
	"KeepAlive": func(a *arena.Arena, n int) {
		for range 4 * n {
			a.KeepAlive(a)
		}
	},
	"children": func(a *arena.Arena, n int) {
		for range n {
			a.Child()
		}
	},
	"chunks": func(a *arena.Arena, n int) {
		for range n {
			a.AllocBytes(300)
		}
	},
	"chunks of a type": func(a *arena.Arena, n int) {
		for range n / 2 {
			arena.MakeSlice[*int](a, 80, 80)
		}
	},
	"chunks of children": func(a *arena.Arena, n int) {
		for range n / 20 {
			for c, i := a.Child(), 0; i < 20; i++ {
				c.AllocBytes(300)
			}
		}
	},
	"marks and Rewind": func(a *arena.Arena, n int) {
		m := a.Mark()
		for range n {
			arena.New[uint64](a)
			a.Mark()
		}
		a.Rewind(m)
	},
}

// listKinds are arenas with chunks so small that a list of them is a part of the whole
// that can be seen.
var listKinds = map[string][]arena.Option{
	"default":        nil,
	"self-contained": {arena.WithNoScan()},
	"checked":        arenakit.Checked(arena.CheckResets),
	"objects":        arenakit.Checked(arena.CheckObjects),
}

// countsHeap skips a test of the heap's use where a sanitizer takes more.
func countsHeap(t *testing.T) {
	t.Helper()
	if testkit.Sanitized {
		t.Skip("the sanitizer takes memory of its own")
	}
}

// TestListsAreCounted: Stats has all memory that an arena has taken from the Go heap, with the lists.
func TestListsAreCounted(t *testing.T) {
	countsHeap(t)
	const n = 50_000
	for name, use := range lists {
		if strings.Contains(name, "children") { // which are arenas themselves
			continue
		}
		for _, kind := range []string{"default", "self-contained"} {
			a := arena.NewArena(append(listKinds[kind], arena.WithChunkSize(256), arena.WithMaxChunkSize(256))...)
			before := testkit.HeapInUse()
			use(a, n)
			used := a.Stats()
			if taken := testkit.HeapInUse() - before; taken > used.Reserved+used.Reserved/5+100<<10 {
				t.Errorf("%s, %s: %d bytes taken; %v", name, kind, taken, used)
			}
			a.Reset()
			if taken, s := testkit.HeapInUse()-before, a.Stats(); taken > s.Reserved+s.Reserved/5+100<<10 || s.Retained != s.Reserved {
				t.Errorf("%s, %s: %d bytes kept by Reset; %v", name, kind, taken, s)
			}
			runtime.KeepAlive(a)
		}
	}
}

// TestListsAreLetGo: at once beyond WithMaxRetained, and else when they weren't needed for a while.
func TestListsAreLetGo(t *testing.T) {
	countsHeap(t)
	const n = 10_000
	for name, use := range lists {
		for kind, opts := range listKinds {
			for retained, resets := range map[int]int{0: 1, 16 << 10: 1, 64 << 20: 48} {
				a := arena.NewArena(append(opts, arena.WithMaxRetained(retained), arena.WithChunkSize(256), arena.WithMaxChunkSize(512))...)
				arena.FindEscapes()
				before := testkit.HeapInUse()
				use(a, n)
				for range resets {
					a.Reset()
					arena.New[uint64](a)
				}
				a.Reset()
				arena.FindEscapes()
				if kept, s := testkit.HeapInUse()-before, a.Stats(); kept > 100<<10 || s.Reserved > max(20<<10, min(retained, 100<<10)) {
					t.Errorf("%s, %s, %d bytes may be retained: %d are kept; %v", name, kind, retained, kept, s)
				}
				runtime.KeepAlive(a)
			}
		}
	}
}

// TestListsInUseAreKept: a life that needs as long lists as those before takes nothing
// from the Go heap.
func TestListsInUseAreKept(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("counts allocations")
	}
	for _, name := range []string{"marks", "positions", "KeepAlive", "chunks", "chunks of a type", "marks and Rewind"} {
		a := arena.NewArena()
		life := func() {
			lists[name](a, 1000)
			a.Reset()
		}
		for range 40 {
			life()
		}
		if n := testing.AllocsPerRun(40, func() { life() }); n > 0 {
			t.Errorf("%s: %v allocations in each life", name, n)
		}
	}
}
