package promises_test

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests the cost of an arena from which one value comes, as many do: its allocations on the Go heap, which
// say more than measured time.

// TestArenaIsSmall: up to 512 bytes the Go allocator is several times faster than beyond.
func TestArenaIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(arena.Arena{}); n > 512 {
		t.Errorf("an Arena has %d bytes; what most have no use for belongs behind a pointer", n)
	}
}

// TestOneValueCostsLittle: an arena, child or local with one value takes no page.
func TestOneValueCostsLittle(t *testing.T) {
	if !testkit.Countable() || unsafe.Sizeof(uintptr(0)) == 4 {
		t.Skip("the numbers are those of usual builds for 64-bit machines")
	}
	parent, self, shared := arena.NewArena(), arena.NewArena(arena.WithNoScan()), arena.NewShared()
	limited := arena.NewArena(arena.WithLimit(1 << 20))
	give := func(a *arena.Arena) { a.Reset(); a.Free() }
	for _, c := range []struct {
		name          string
		bytes, allocs uint64
		f             func()
	}{
		{"NewArena", 1250, 3, func() { arena.New[[4]int](arena.NewArena()) }},
		{"NewArena, with a pointer", 1850, 6, func() { arena.New[testkit.Node](arena.NewArena()) }},
		{"Child, Free", 1250, 3, func() { a := parent.Child(); arena.New[[4]int](a); a.Free() }},
		{"Child, Reset, Free", 640, 1, func() { a := parent.Child(); arena.New[[4]int](a); give(a) }},
		{"Local, Reset, Free", 640, 1, func() { a := shared.Local(); arena.New[[4]int](a); give(a) }},
		{"Child with a limit, Reset, Free", 760, 3, func() { a := limited.Child(); arena.New[[4]int](a); give(a) }},
		{"self-contained Child, Reset, Free", 850, 2, func() { a := self.Child(); arena.New[[4]int](a); give(a) }},
	} {
		if bytes, allocs := took(c.f); bytes > c.bytes || allocs > c.allocs {
			t.Errorf("%s: %d bytes in %d allocations; at most %d in %d", c.name, bytes, allocs, c.bytes, c.allocs)
		}
	}
}

// took returns what f takes from the Go heap on average.
func took(f func()) (bytes, allocs uint64) {
	const n = 1000
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / n, (after.Mallocs - before.Mallocs) / n
}

// TestDeepChains: no depth of children is too deep, at any operation on their ancestors or on themselves.
func TestDeepChains(t *testing.T) {
	for name, end := range map[string]func(a *arena.Arena, chain []*arena.Arena, m arena.Mark){
		"Reset":      func(a *arena.Arena, _ []*arena.Arena, _ arena.Mark) { a.Reset() },
		"Rewind":     func(a *arena.Arena, _ []*arena.Arena, m arena.Mark) { a.Rewind(m) },
		"Free":       func(a *arena.Arena, _ []*arena.Arena, _ arena.Mark) { a.Free() },
		"last first": func(_ *arena.Arena, chain []*arena.Arena, _ arena.Mark) { freeEach(slices.Backward(chain)) },
		"first first": func(_ *arena.Arena, chain []*arena.Arena, _ arena.Mark) {
			freeEach(slices.All(chain))
		},
	} {
		for kind, opts := range map[string][]arena.Option{
			"default":        nil,
			"self-contained": {arena.WithNoScan()},
			"with a limit":   {arena.WithLimit(1 << 29)},
			"scrubbed":       {arena.WithScrub()},
		} {
			depth := 20_000
			if testing.Short() || testkit.Sanitized {
				depth = 5_000
			} else if opts == nil {
				depth = 100_000
			}
			a := arena.NewArena(opts...)
			m := a.Mark()
			chain := make([]*arena.Arena, depth)
			for i, c := 0, a; i < depth; i++ {
				c = c.Child()
				*arena.New[int](c) = i
				chain[i] = c
			}
			end(a, chain, m)
			for i, c := range chain {
				if !c.Freed() {
					t.Fatalf("%s, %s: arena %d of %d isn't freed", name, kind, i, depth)
				}
			}
		}
	}
}

func freeEach(arenas func(yield func(int, *arena.Arena) bool)) {
	for _, a := range arenas {
		a.Free()
	}
}
