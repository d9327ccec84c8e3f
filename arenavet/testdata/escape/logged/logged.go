// Package logged has loggers and visitors whose types are another package's, and
// package slog's own logger.
package logged

import (
	"log/slog"

	"test/escape/logged/lib"

	"github.com/harena-go/arena"
)

type server struct {
	pool    *arena.Pool
	log     *slog.Logger
	visitor lib.Visitor
}

func newServer(pool *arena.Pool) *server {
	slog.SetDefault(slog.New(&lib.Ring{}))
	return &server{pool, slog.New(&lib.Ring{}), &lib.Names{}}
}

func (s *server) logger(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.log.Info("hello", "name", a.AllocString(name)) // want "s.log.handler.last keeps arena memory.*; arenaslog.Handler copies records for a handler that keeps them"
}

func (s *server) global(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	slog.Info("hello", "name", a.AllocString(name)) // want "the global defaultLogger keeps arena memory.*arenaslog.Handler"
}

func (s *server) derived(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	slog.Default().With("n", 1).Info("hello", "name", a.AllocString(name)) // want "the global defaultLogger keeps arena memory.*arenaslog.Handler"
}

func (s *server) visits(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.visitor.Visit(arena.NewOf(a, name)) // want "s.visitor.all keeps arena memory"
}

func (s *server) right(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	text := a.AllocString(name)
	s.log.Info("hello", "len", len(text))
	slog.Info("hello", "name", name)
	s.visitor.Visit(&name)
}
