package promises_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that memory goes when it should: what Reset, Rewind and Free release,
// and what arenas keep.

// store puts a pointer to a new sentinel into an arena in some way.
var stores = map[string]func(a *arena.Arena) weak.Pointer[testkit.Sentinel]{
	"New": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		*arena.New[*testkit.Sentinel](a) = s
		return w
	},
	"many": func(a *arena.Arena) (w weak.Pointer[testkit.Sentinel]) {
		for range 3000 {
			var s *testkit.Sentinel
			s, w = testkit.NewSentinel()
			arena.NewOf(a, struct {
				n int
				p *testkit.Sentinel
			}{1, s})
		}
		return w
	},
	"Append": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		arena.Append(a, arena.Append(a, nil, s, s), s, s, s)
		return w
	},
	"big slice": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		arena.MakeSlice[*testkit.Sentinel](a, 10000, 10000)[9999] = s
		return w
	},
	"interface": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		arena.NewOf[any](a, s)
		return w
	},
	"KeepAlive": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		a.KeepAlive(s)
		return w
	},
	"child": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		arena.NewOf(a.Child(), s)
		return w
	},
	"child's KeepAlive": func(a *arena.Arena) weak.Pointer[testkit.Sentinel] {
		s, w := testkit.NewSentinel()
		a.Child().KeepAlive(s)
		return w
	},
}

func TestLettingGo(t *testing.T) {
	for name, store := range stores {
		for _, opts := range [][]arena.Option{nil, {arena.WithScrub()}, {arena.WithChunkSize(256)}} {
			a := arena.NewArena(opts...)
			*arena.New[*testkit.Sentinel](a) = nil // so that the slab exists
			w := store(a)
			if testkit.Dead(w) {
				t.Errorf("%s: lost while it was in use", name)
			}
			a.Reset()
			if !testkit.Dead(w) {
				t.Errorf("%s: still held after Reset", name)
			}
			m := a.Mark()
			w = store(a)
			if testkit.Dead(w) {
				t.Errorf("%s: lost while it was in use after Reset", name)
			}
			a.Rewind(m)
			if !testkit.Dead(w) {
				t.Errorf("%s: still held after Rewind", name)
			}
			w = store(a)
			a.Free()
			if !testkit.Dead(w) {
				t.Errorf("%s: still held after Free", name)
			}
			runtime.KeepAlive(a)
		}
	}
}

// TestRewindKeepsOlder is the other half: a Rewind releases nothing from before the mark.
func TestRewindKeepsOlder(t *testing.T) {
	a := arena.NewArena()
	s, w := testkit.NewSentinel()
	p := arena.NewOf(a, s)
	s, k := testkit.NewSentinel()
	a.Mark() // not the same point as m
	a.KeepAlive(s)
	s = nil
	m := a.Mark()
	for range 3 {
		stores["many"](a)
		stores["KeepAlive"](a)
		a.Rewind(m)
	}
	if testkit.Dead(w) || testkit.Dead(k) {
		t.Error("lost by Rewind though it is from before the mark")
	}
	runtime.KeepAlive(p)
	runtime.KeepAlive(a)
}

// TestMaxRetained measures on the heap what Reset keeps.
func TestMaxRetained(t *testing.T) {
	testkit.NeedsReuse(t)
	const much = 32 << 20
	for _, retained := range []int{0, 1 << 20, 5 << 20} {
		for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
			a := arena.NewArena(append(opts, arena.WithMaxRetained(retained))...)
			before := testkit.HeapInUse()
			for a.UsedBytes() < much {
				arena.New[[1000]byte](a)
				arena.New[[100]*int](a)
				arena.MakeSlice[byte](a, 5000, 5000)
			}
			arena.MakeSlice[byte](a, 10<<20, 10<<20)
			arena.MakeSlice[*int](a, 1<<20, 1<<20)
			a.Reset()
			s := a.Stats()
			if s.Reserved > retained || s.Retained != s.Reserved {
				t.Errorf("%d options, WithMaxRetained(%d): %v", len(opts), retained, s)
			}
			if more := testkit.HeapInUse() - before; more > retained+256<<10 {
				t.Errorf("%d options, WithMaxRetained(%d): the heap has grown by %d bytes after Reset", len(opts), retained, more)
			}
			runtime.KeepAlive(a)
		}
	}
}

// TestRegularWorkKeepsItsMemory: resets that release chunks that weren't needed for a
// while must keep those that were.
func TestRegularWorkKeepsItsMemory(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("counts allocations")
	}
	a := arena.NewArena(arena.WithChunkSize(1024), arena.WithMaxChunkSize(4096))
	work := func() {
		for range 300 {
			arena.New[[100]byte](a)
			arena.New[[10]*int](a)
		}
		arena.MakeSlice[byte](a, 100000, 100000)
		a.Reset()
	}
	for range 64 {
		work()
	}
	before := a.Stats()
	if n := testing.AllocsPerRun(64, work); n > 0 || a.Stats().Reserved != before.Reserved {
		t.Errorf("%.1f heap allocations each time; %v at first, then %v", n, before, a.Stats())
	}
}

// TestFreeForgetsUnused: a value from a freed self-contained arena keeps that arena's
// values alive, but not its unused memory.
func TestFreeForgetsUnused(t *testing.T) {
	a := arena.NewArena(arena.WithNoScan())
	before := testkit.HeapInUse()
	for range 200 {
		arena.New[[100000]byte](a)
	}
	for range 20000 {
		arena.New[[500]byte](a)
	}
	a.Reset()
	p := arena.New[int](a)
	a.Free()
	a = nil
	if more := testkit.HeapInUse() - before; more > 1<<20 {
		t.Errorf("one small value of a freed arena keeps %d bytes alive", more)
	}
	runtime.KeepAlive(p)
}

// TestResetKeepsWhatWasNeeded: where there is more than Reset keeps, it keeps the chunks of the life that ends, and not
// those of other types or older ones.
func TestResetKeepsWhatWasNeeded(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(arena.WithMaxRetained(12 << 20))
	lives := map[string]func(){
		"bytes":   func() { a.AllocBytes(8 << 20) },
		"strings": func() { arena.MakeSlice[string](a, 1<<19, 1<<19) },
	}
	for range 2 {
		for name, live := range lives {
			live()
			a.Reset()
			before := a.Stats().Reserved
			live()
			if s := a.Stats(); s.Reserved != before {
				t.Errorf("%s: took %d bytes for what the life before had needed, too", name, s.Reserved-before)
			}
			a.Reset()
			if s := a.Stats(); s.Reserved > 12<<20 {
				t.Errorf("%s: Reset keeps %d bytes", name, s.Reserved)
			}
		}
	}
}
