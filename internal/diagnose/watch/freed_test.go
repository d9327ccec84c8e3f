package watch_test

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// A leftover is a way to keep a value that Free of some arena leaves valid, and then to reclaim the memory around it.
type leftover struct {
	name string
	run  func(opts []arena.Option) (kept *order)
}

// newOrder returns an order that points to another.
func newOrder(a *arena.Arena, next *order) *order { return arena.NewOf(a, order{id: 7, next: next}) }

var leftovers = []leftover{
	{"freed child", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		c := a.Child()
		kept := newOrder(c, newOrder(a, nil))
		c.Free()
		a.Reset()
		return kept
	}},
	{"freed child, two lives", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		c := a.Child()
		kept := newOrder(c, newOrder(a, nil))
		c.Free()
		for range 3 {
			newOrder(a.Child(), newOrder(a, nil))
			a.Reset()
		}
		return kept
	}},
	{"freed child's child", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		c := a.Child()
		d := c.Child()
		kept := newOrder(d, newOrder(c, newOrder(a, nil)))
		d.Free()
		c.Free()
		a.Reset()
		return kept
	}},
	{"child's freed child", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		c := a.Child()
		d := c.Child()
		kept := newOrder(d, newOrder(c, newOrder(a, nil)))
		d.Free()
		c.Reset()
		newOrder(c, nil)
		a.Reset()
		return kept
	}},
	{"child freed by its parent", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		c := a.Child()
		d := c.Child()
		kept := newOrder(d, newOrder(c, newOrder(a, nil)))
		c.Free()
		a.Reset()
		return kept
	}},
	{"child freed before Rewind", func(opts []arena.Option) *order {
		a := arena.NewArena(opts...)
		newOrder(a, nil)
		m := a.Mark()
		c := a.Child()
		kept := newOrder(c, newOrder(a, nil))
		c.Free()
		a.Rewind(m)
		newOrder(a, nil)
		a.Reset()
		return kept
	}},
	{"freed child in a Pool", func(opts []arena.Option) *order {
		p := arena.NewPool(arenakit.PoolOptions(opts)...)
		a := p.Get()
		c := a.Child()
		kept := newOrder(c, newOrder(a, nil))
		c.Free()
		p.Put(a)
		return kept
	}},
	{"freed local", func(opts []arena.Option) *order {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		kept := newOrder(a, newOrder(b, nil))
		a.Free()
		s.Reset()
		return kept
	}},
	{"local's freed child", func(opts []arena.Option) *order {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		c := a.Child()
		kept := newOrder(c, newOrder(a, newOrder(b, nil)))
		c.Free()
		s.Reset()
		return kept
	}},
	{"freed local's freed child", func(opts []arena.Option) *order {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		newOrder(b, nil)
		c := a.Child()
		kept := newOrder(c, nil)
		c.Free()
		a.Free()
		s.Reset()
		return kept
	}},
	{"local's freed child before its Reset", func(opts []arena.Option) *order {
		s := arena.NewShared(opts...)
		a := s.Local()
		c := a.Child()
		kept := newOrder(c, newOrder(a, nil))
		c.Free()
		a.Reset()
		newOrder(a, nil)
		s.Reset()
		return kept
	}},
}

// TestFreedIsNoEscapeFromParents: values left by a freed child or local may be held for good, and don't make escapes of
// the memory reclaimed around them.
func TestFreedIsNoEscapeFromParents(t *testing.T) {
	for _, k := range checkedKinds {
		for _, l := range leftovers {
			if l.pointsOut(k.opts) {
				continue
			}
			var got escapes
			kept := l.run(append([]arena.Option{got.option()}, k.opts...))
			if list := got.found(); len(list) > 0 {
				t.Errorf("%s, %s: %v", k.name, l.name, list[0])
			}
			if kept.id != 7 && k.name != "objects, scrub" {
				t.Errorf("%s, %s: changed", k.name, l.name)
			}
			runtime.KeepAlive(kept)
		}
	}
}

// pointsOut reports whether the leftover points to dying values where the GC sees it, which makes it an escape.
func (l *leftover) pointsOut(opts []arena.Option) bool {
	a := arena.NewArena(opts...)
	defer a.Free()
	arena.New[order](a)
	return a.Stats().Slabs > 0 && l.name != "freed local's freed child"
}

// TestEscapesAfterFree: a child freed with values hides no escape from its parent, once its values aren't held.
func TestEscapesAfterFree(t *testing.T) {
	forAll(t, func(t *testing.T, e ending, _ bool, opts []arena.Option, found func() []arena.Escape) {
		e.run(opts, func(a *arena.Arena) {
			c := a.Child()
			newOrder(c.Child(), newOrder(c, nil))
			c.Free()
			escaped.order = newOrder(a, nil)
		})
		if list := found(); len(list) != 1 {
			t.Errorf("%d escapes: %v", len(list), list)
		}
		escaped.order = nil
	})
}

// TestEscapesBesideFreed: a held value of a freed child hides no escape from a later life, nor from a sibling.
func TestEscapesBesideFreed(t *testing.T) {
	for _, k := range checkedKinds {
		var got escapes
		a := arena.NewArena(append([]arena.Option{got.option()}, k.opts...)...)
		c := a.Child()
		kept := newOrder(c, nil)
		c.Free()
		a.Reset()
		if list := got.found(); len(list) > 0 {
			t.Errorf("%s: %v", k.name, list[0])
		}
		escaped.order = newOrder(a, nil)
		a.Reset()
		if list := got.found(); len(list) != 1 {
			t.Errorf("%s: %d escapes of the next life: %v", k.name, len(list), list)
		}
		escaped.order = newOrder(a.Child(), nil)
		a.Reset()
		if list := got.found(); len(list) != 1 {
			t.Errorf("%s: %d escapes of a child: %v", k.name, len(list), list)
		}
		escaped.order = nil
		runtime.KeepAlive(kept)
	}
}
