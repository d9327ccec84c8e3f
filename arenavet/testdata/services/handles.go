package services

import "github.com/harena-go/arena"

// Handles of arenas: children, and allocators of one type, that are kept where the
// arena's end isn't seen.

type desk struct {
	pool    *arena.Pool
	a       *arena.Arena
	scratch *arena.Arena
	items   *arena.Typed[item]
}

func (d *desk) BadChildOfDo() {
	d.pool.Do(func(a *arena.Arena) error {
		d.scratch = a.Child()
		return nil
	})
	arena.New[item](d.scratch)
}
func (d *desk) BadTypedOfDo() {
	d.pool.Do(func(a *arena.Arena) error {
		d.items = arena.For[item](a)
		d.items.New()
		return nil
	})
	d.items.New()
}
func (d *desk) BadArenaOfDo() {
	d.pool.Do(func(a *arena.Arena) error {
		d.a = a
		return nil
	})
	d.count()
}
func (d *desk) count() { arena.New[item](d.a) }

func (d *desk) begin(a *arena.Arena) { d.scratch, d.items = a.Child(), arena.For[item](a) }
func (d *desk) BadBegin() {
	a := d.pool.Get()
	d.begin(a)
	d.pool.Put(a)
	d.scratch.Mark()
}
func (d *desk) OKBegin() {
	a := d.pool.Get()
	d.begin(a)
	defer d.pool.Put(a)
	d.scratch.Mark()
	d.items.New()
}
func (d *desk) OKChildOfDo() error {
	err := d.pool.Do(func(a *arena.Arena) error {
		d.a, d.scratch, d.items = a, a.Child(), arena.For[item](a)
		d.items.New()
		arena.New[item](d.scratch)
		d.count()
		return nil
	})
	d.a, d.scratch, d.items = nil, nil, nil
	return err
}
func (d *desk) OKNextDo() {
	d.OKChildOfDo()
	a := arena.NewArena()
	d.a, d.scratch = a, a.Child()
	d.count()
	arena.New[item](d.scratch)
}
func (d *desk) OKChildReplaced() {
	d.pool.Do(func(a *arena.Arena) error {
		d.scratch = a.Child()
		arena.New[item](d.scratch)
		return nil
	})
	d.pool.Do(func(a *arena.Arena) error {
		d.begin(a)
		arena.New[item](d.scratch)
		return nil
	})
}

type shelf struct {
	t *arena.Typed[item]
	c *arena.Arena
}

func newShelf(a *arena.Arena) *shelf { return &shelf{t: arena.For[item](a), c: a.Child()} }
func (s *shelf) add() *item          { return s.t.New() }
func (s *shelf) try() *item          { return arena.New[item](s.c) }

func BadShelf(pool *arena.Pool) {
	a := pool.Get()
	s := newShelf(a)
	s.try()
	pool.Put(a)
	s.try()
}
func BadShelfOfDo(pool *arena.Pool) {
	var s *shelf
	pool.Do(func(a *arena.Arena) error {
		s = newShelf(a)
		return nil
	})
	s.try()
}
func BadShelfReset(a *arena.Arena) {
	s := newShelf(a)
	a.Reset()
	s.try()
}
func BadShelfMemory(a *arena.Arena) int {
	s := newShelf(a)
	x := s.try()
	a.Reset()
	return x.n
}
func OKShelfReset(a *arena.Arena) {
	s := newShelf(a)
	a.Reset()
	s.add()
}
func OKShelfOwnReset(a *arena.Arena) int {
	s := newShelf(a)
	x := s.add()
	s.c.Reset()
	s.try()
	return x.n
}
func OKShelves(pool *arena.Pool) {
	for range 3 {
		a := pool.Get()
		s := newShelf(a)
		s.try()
		pool.Put(a)
	}
}

// An arena that comes out of a loop as its own grandchild: the analysis must end.
func OKGrandchildren(n int, other *arena.Arena) {
	var a, c *arena.Arena
	for range n {
		c = a.Child()
		a = c.Child()
	}
	other.Reset()
	c.Mark()
}
