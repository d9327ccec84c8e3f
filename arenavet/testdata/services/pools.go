package services

import "github.com/harena-go/arena"

// An arena goes back to the pool that has lent it. There may be several pools.

type sized struct {
	small, large *arena.Pool
	bySize       map[int]*arena.Pool
	a, b         *arena.Pool
}

func newSized() *sized {
	one := arena.NewPool(arena.WithReuse())
	return &sized{small: arena.NewPool(arena.WithReuse()), large: arena.NewPool(arena.WithReuse()), bySize: map[int]*arena.Pool{}, a: one, b: one}
}

func (s *sized) matched(n int) (*arena.Pool, *arena.Arena) {
	if n > 1000 {
		return s.large, s.large.Get()
	}
	return s.small, s.small.Get()
}
func (s *sized) big() *arena.Arena { return s.large.Get() }

func (s *sized) OKPoolOfTwo(n int) {
	pool, a := s.matched(n)
	defer pool.Put(a)
	a.AllocString("x")
	b := s.big()
	defer s.large.Put(b)
}

// Both fields have one pool, and so may have all in a map.
func (s *sized) OKSamePool(n int) {
	a := s.a.Get()
	defer s.b.Put(a)
	b := s.bySize[n].Get()
	defer s.bySize[len(b.AllocString("x"))].Put(b)
}
func (s *sized) OKPoolInTurn() {
	for _, p := range []*arena.Pool{s.small, s.large} {
		a := p.Get()
		a.AllocString("x")
		p.Put(a)
	}
}
