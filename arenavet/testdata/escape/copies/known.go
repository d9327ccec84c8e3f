package copies

import "strings"

func (s *server) upper(text string) {
	a := s.pool.Get()
	s.name = a.AllocString(strings.ToUpper(text)) // want `kept in s.name`
	s.pool.Put(a)
}

// One line has one finding.
func (s *server) once(text string) {
	a := s.pool.Get()
	s.users[a.AllocString(text)] = &user{name: a.AllocString(text)} // want `kept in s.users`
	s.pool.Put(a)
}
