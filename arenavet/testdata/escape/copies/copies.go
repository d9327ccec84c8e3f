// Package copies has what is kept by an assignment, and so can be replaced by a copy.
package copies

import (
	"github.com/harena-go/arena"
)

type user struct {
	name string
	tags []string
}

type server struct {
	pool  *arena.Pool
	name  string
	last  *user
	users map[string]*user
	any   any
}

func (s *server) handle(text string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	u := arena.NewOf(a, user{name: a.AllocString(text)})
	s.name = u.name + ""
	s.name = u.name // want `kept in s.name`
	if text != "" {
		s.last = u // want `kept in s.last`
	}
	s.users[text] = u // want `kept in s.users`
	s.any = u         // want `kept in s.any`
}

// Of a variable that is assigned to nobody knows whether it is this arena.
func (s *server) other(text string, b *arena.Arena) {
	a := s.pool.Get()
	u := arena.New[user](a)
	s.last = u // want `kept in s.last`
	s.pool.Put(a)
	a = b
}

func (s *server) shadowed(text string) {
	a := s.pool.Get()
	u := arena.New[user](a)
	{
		arena := text
		s.last = u // want `kept in s.last`
		s.any = arena
	}
	s.pool.Put(a)
}

func (s *server) two(text string) {
	a := s.pool.Get()
	s.last, s.name = arena.New[user](a), a.AllocString(text) // want `kept in s.last` `kept in s.name`
	s.pool.Put(a)
}
