// Package web keeps values of arenas in variables of all kinds.
package web

import (
	"sync"

	"example/names/store"
)

type Session struct {
	User  string
	Items [3]*store.Item
	Next  *Session
}

type server struct {
	mu       sync.Mutex
	requests int
	config   struct {
		name   string
		latest *Session
	}
	sessions map[string]*Session
}

var (
	byUser        = map[string]*Session{}
	list          []*Session
	one           *Session
	main          server
	anything      any
	table         [8]*Session
	name          string
	first, second *Session
	hidden, decoy *Session
	ready         chan *Session
	hook          func() string
	seen          sync.Map
	behind        = &server{}
)

func keepAddress(s *Session) {
	p := &main
	p.config.latest = s
}

func keepElement(i int, s *Session) {
	table[i] = s
}

func keepInClosure() func(*Session) {
	one := new(Session) // hides the variable
	_ = one
	return func(s *Session) {
		list = append(
			list,
			s,
		)
	}
}

// keepHidden stores to a variable at a line that mentions another one.
//
//go:noinline
func keepHidden(s *Session) {
	p := &hidden
	*p = choose(s, decoy)
}

//go:noinline
func choose(s, otherwise *Session) *Session {
	if s == nil {
		return otherwise
	}
	return s
}
