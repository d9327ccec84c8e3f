// Package lasting uses values, and arenas, after Put of a Pool that reuses no memory.
package lasting

import "github.com/harena-go/arena"

type node struct {
	name string
	next *node
}

type server struct {
	pool *arena.Pool
	a    *arena.Arena
}

func newServer() *server { return &server{pool: arena.NewPool(arena.WithLimit(1 << 20))} }

func OKUsed(s *server) int {
	a := s.pool.Get()
	n := arena.New[node](a)
	s.pool.Put(a)
	n.name = "x"
	return len(n.name)
}

func usedArena(s *server) int {
	a := s.pool.Get()
	n := arena.New[node](a)
	s.pool.Put(a)
	n.name = a.AllocString("x") // want `AllocString: the arena is used after Pool.Put in line \d+$`
	return len(n.name)
}

func putTwice(s *server) {
	a := s.pool.Get()
	s.release(a)
	s.pool.Put(a) // want `Put: the arena is used after Pool.Put in line \d+`
}

func (s *server) release(a *arena.Arena) { s.pool.Put(a) }

func OKReleased(s *server) string {
	a := s.pool.Get()
	name := a.AllocString("x")
	s.release(a)
	return name + name
}

func afterDo(s *server) string {
	var kept *arena.Arena
	s.pool.Do(func(a *arena.Arena) error {
		kept = a
		return nil
	})
	return kept.AllocString("x") // want `AllocString: the arena is used after the end of Do`
}

func (s *server) begin() { s.a = s.pool.Get() }

func (s *server) OKEnd() string {
	name := s.a.AllocString("x")
	s.pool.Put(s.a)
	s.a = nil
	return name + "!"
}

func OKTurns(s *server, names []string) (long string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	for _, n := range names {
		m := a.Mark()
		if x := a.Sprintf("%s!", n); len(x) > len(long) {
			long = x
		}
		a.Rewind(m)
	}
	return long
}

func stale(s *server) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	m := a.Mark()
	a.Reset()
	a.Rewind(m) // want `Rewind: the mark is stale after Reset`
}
