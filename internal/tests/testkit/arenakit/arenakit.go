// Package arenakit has helpers for tests of several packages that need arenas. Other helpers are in package testkit,
// which packages below package arena can use too.
package arenakit

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Kinds are the kinds of arenas on which bad input is tried.
var Kinds = map[string]func() *arena.Arena{
	"nil":                 func() *arena.Arena { return nil },
	"zero":                func() *arena.Arena { return new(arena.Arena) },
	"default":             func() *arena.Arena { return arena.NewArena() },
	"used":                func() *arena.Arena { a := arena.NewArena(); Works(a); return a },
	"reset":               func() *arena.Arena { a := arena.NewArena(); Works(a); a.Reset(); return a },
	"limited":             func() *arena.Arena { return arena.NewArena(arena.WithLimit(1 << 20)) },
	"self-contained":      func() *arena.Arena { return arena.NewArena(arena.WithNoScan()) },
	"self-contained, odd": func() *arena.Arena { return arena.NewArena(arena.WithNoScan(), arena.WithChunkSize(300)) },
	"scrubbed":            func() *arena.Arena { return arena.NewArena(arena.WithScrub()) },
	"child":               func() *arena.Arena { return arena.NewArena().Child() },
}

// Works does a little of everything, and returns an error if something goes wrong.
func Works(a *arena.Arena) error {
	m := a.Mark()
	n := arena.NewOf(a, 7)
	p := arena.NewOf(a, n)
	typed := arena.For[string](a).New()
	*typed = "typed"
	s := arena.Append(a, arena.MakeSlice[uint16](a, 2, 3), 5, 6, 7)
	ptrs := arena.Append(a, arena.Grow[*int](a, nil, 1), n, nil)
	str := a.Sprintf("%d%s", 1, a.AllocString("x"))
	raw := a.Realloc(a.Alloc(3, 1), 3, 100, 64)
	if **p != 7 || *typed != "typed" || fmt.Sprint(s) != "[0 0 5 6 7]" || *ptrs[0] != 7 || ptrs[1] != nil ||
		str != "1x" || uintptr(raw)%64 != 0 || !testkit.AllZero(testkit.BytesAt(raw, 100)) ||
		len(a.AllocBytes(9)) != 9 {
		return fmt.Errorf("got %v, %q, %v, %v, %q", **p, *typed, s, ptrs, str)
	}
	a.Rewind(m)
	return nil
}

// Checked returns options for an arena with checks that report nothing: tests compare
// such arenas with others.
func Checked(c arena.Checks, opts ...arena.Option) []arena.Option {
	return append(opts, arena.WithChecks(c), arena.OnEscape(func(arena.Escape) {}))
}

// PoolOptions returns options of arenas as options of a Pool.
func PoolOptions(opts []arena.Option) []arena.PoolOption {
	p := []arena.PoolOption{arena.WithReuse()}
	for _, o := range opts {
		p = append(p, o)
	}
	return p
}

// Serve lends n arenas in turn, and allocates size(i) bytes from each.
func Serve(p *arena.Pool, n int, size func(i int) int) {
	for i := range n {
		a := p.Get()
		a.AllocBytesUninit(size(i))
		p.Put(a)
	}
}

// Always is a size for Serve.
func Always(size int) func(int) int { return func(int) int { return size } }
