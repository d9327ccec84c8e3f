package promises_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that the limit of a Pool or a Shared gets back the bytes of children, at any end, and with any values
// in use.

// useChild has a child of a child take memory of each kind. The parent has no slab for that.
func useChild(c *arena.Arena) {
	for _, a := range []*arena.Arena{c, c.Child()} {
		arena.New[int](a)
		a.AllocBytes(20_000)
		*arena.New[*int](a) = &testkit.Decoy
		arena.MakeSlice[[3]*int](a, 200, 200)
	}
}

// childEnds are the ways in which a child of a ends.
var childEnds = map[string]func(a *arena.Arena){
	"Free":                func(a *arena.Arena) { c := a.Child(); useChild(c); c.Free() },
	"Reset and Free":      func(a *arena.Arena) { c := a.Child(); useChild(c); c.Reset(); c.Free() },
	"Rewind":              func(a *arena.Arena) { m := a.Mark(); useChild(a.Child()); a.Rewind(m) },
	"Reset of the parent": func(a *arena.Arena) { useChild(a.Child()); a.Reset() },
	"Free of the parent":  func(a *arena.Arena) { c := a.Child(); useChild(c.Child()); c.Free() },
	"Free of a reset parent": func(a *arena.Arena) {
		c := a.Child()
		useChild(c.Child())
		c.Reset()
		c.Free()
	},
}

// childOptions are those that make a difference to where chunks go.
var childOptions = map[string][]arena.Option{
	"default": nil, "nothing kept": {arena.WithMaxRetained(0)}, "self-contained": {arena.WithNoScan()},
	"self-contained, nothing kept": {arena.WithNoScan(), arena.WithMaxRetained(0)},
	"checked":                      arenakit.Checked(arena.CheckResets),
}

const (
	childLimit  = 1 << 20
	childRounds = 300
)

// endless calls f again and again, and fails the test when the limit is met.
func endless(t *testing.T, f func()) {
	t.Helper()
	for round := range childRounds {
		if e := limitOf(t, f); e != nil {
			t.Errorf("round %d: %v", round, e)
			return
		}
	}
}

// TestSharedLimitGetsBackWhatChildrenTook, of a local that lives on, and of locals
// that end with their children.
func TestSharedLimitGetsBackWhatChildrenTook(t *testing.T) {
	for kind, opts := range childOptions {
		opts = append(opts, arena.WithLimit(childLimit))
		for name, end := range childEnds {
			t.Run(kind+"/"+name, func(t *testing.T) {
				local := arena.NewShared(opts...).Local()
				endless(t, func() { end(local) })
			})
		}
		t.Run(kind+"/Free of the local", func(t *testing.T) {
			s := arena.NewShared(opts...)
			endless(t, func() { a := s.Local(); useChild(a.Child()); a.Free() })
		})
		t.Run(kind+"/Reset of the Shared", func(t *testing.T) {
			s := arena.NewShared(opts...)
			endless(t, func() { useChild(s.Local().Child()); s.Reset() })
		})
	}
}

// TestPoolLimitGetsBackWhatChildrenTook while the arena is lent, and when it ends.
func TestPoolLimitGetsBackWhatChildrenTook(t *testing.T) {
	for kind, opts := range childOptions {
		all := []arena.PoolOption{arena.WithPoolLimit(childLimit)}
		for _, o := range opts {
			all = append(all, o)
		}
		for name, end := range childEnds {
			t.Run(kind+"/"+name, func(t *testing.T) {
				p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, all...)...)
				a := p.Get()
				endless(t, func() { end(a) })
				a.Free()
				if s := p.Stats(); s.Reserved != 0 {
					t.Errorf("after Free: %v", s)
				}
			})
		}
		t.Run(kind+"/Free", func(t *testing.T) {
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, all...)...)
			endless(t, func() { a := p.Get(); useChild(a.Child()); a.Free() })
		})
		t.Run(kind+"/Put", func(t *testing.T) {
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, all...)...)
			endless(t, func() { a := p.Get(); useChild(a.Child()); p.Put(a) })
		})
	}
}
