package services

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/harena-go/arena"
)

// Arenas in structs that a helper makes, and that have methods to be ended by.

type scope struct {
	pool *arena.Pool
	a    *arena.Arena
	b    *arena.Arena
	ctx  context.Context
	w    io.Writer
}

func beginScope(pool *arena.Pool, w io.Writer) *scope {
	return &scope{pool: pool, a: pool.Get(), w: w}
}
func tryScope(pool *arena.Pool, w io.Writer) (*scope, error) {
	if w == nil {
		return nil, errors.New("no writer")
	}
	return beginScope(pool, w), nil
}
func twoScope(pool *arena.Pool) *scope {
	a := pool.Get()
	return &scope{pool: pool, a: a, b: a}
}
func ctxScope(pool *arena.Pool) *scope {
	a := pool.Get()
	return &scope{a: a, ctx: arena.NewContext(context.Background(), a)}
}
func (s *scope) end()              { s.pool.Put(s.a) }
func (s *scope) endOther()         { s.pool.Put(s.b) }
func (s *scope) endContext()       { end(s.ctx) }
func end(ctx context.Context)      { arena.FromContext(ctx).Free() }
func (s *scope) close() error      { defer s.end(); return nil }
func (s *scope) fail(code int)     { fmt.Fprint(s.w, s.text(code)) }
func (s *scope) text(n int) string { return s.a.Sprintf("%d", n) }
func (s *scope) nested(n int) {
	if n > 0 {
		s.nested(n - 1)
	}
	s.text(n)
}
func (s *scope) endIf(n int) {
	if n > 0 {
		s.end()
	}
}

func BadScope(pool *arena.Pool, w io.Writer, ok bool) {
	s := beginScope(pool, w)
	if !ok {
		s.fail(404)
		return
	}
	defer s.end()
	s.text(1)
}
func BadScopeNever(pool *arena.Pool, w io.Writer) {
	s := beginScope(pool, w)
	s.fail(404)
}
func BadScopeTry(pool *arena.Pool, w io.Writer, ok bool) error {
	s, err := tryScope(pool, w)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("not ok")
	}
	s.fail(200)
	return s.close()
}
func BadScopeHere(pool *arena.Pool, w io.Writer, ok bool) {
	s := &scope{pool: pool, a: pool.Get(), w: w}
	s.fail(200)
	if ok {
		s.end()
	}
}
func BadScopeField(pool *arena.Pool, w io.Writer, ok bool) {
	s := beginScope(pool, w)
	if s.text(1); ok {
		return
	}
	pool.Put(s.a)
}

func OKScope(pool *arena.Pool, w io.Writer, ok bool) {
	s := beginScope(pool, w)
	defer s.end()
	if !ok {
		s.fail(404)
		return
	}
	s.text(1)
}
func OKScopePaths(pool *arena.Pool, w io.Writer, ok bool) error {
	s := beginScope(pool, w)
	if !ok {
		s.fail(404)
		s.end()
		return nil
	}
	return s.close()
}
func OKScopeTry(pool *arena.Pool, w io.Writer) error {
	s, err := tryScope(pool, w)
	if err != nil {
		return err
	}
	s.fail(200)
	return s.close()
}
func OKScopeClosure(pool *arena.Pool, w io.Writer, ok bool) {
	s := beginScope(pool, w)
	defer func() { s.end() }()
	if ok {
		s.fail(200)
	}
}
func OKScopeCleanup(pool *arena.Pool, w io.Writer, later func(func())) {
	s := beginScope(pool, w)
	later(s.end)
	s.fail(200)
}
func OKScopeGo(pool *arena.Pool, w io.Writer) {
	s := beginScope(pool, w)
	s.text(1)
	go s.close()
}
func OKScopeKept(pool *arena.Pool, w io.Writer, all map[string]*scope) {
	s := beginScope(pool, w)
	s.text(1)
	all["one"] = s
}
func OKScopeMade(pool *arena.Pool, w io.Writer) *scope {
	s := beginScope(pool, w)
	s.text(1)
	return s
}
func OKScopeTwo(pool *arena.Pool) {
	s := twoScope(pool)
	s.text(1)
	s.endOther()
}
func OKScopeTwoHere(pool *arena.Pool) {
	a := pool.Get()
	s := &scope{pool: pool, a: a, b: a}
	s.text(1)
	s.endOther()
}
func OKScopeContext(pool *arena.Pool) {
	s := ctxScope(pool)
	s.text(1)
	s.endContext()
}
func OKScopeCloser(pool *arena.Pool, w io.Writer, use func(interface{ close() error })) {
	s := beginScope(pool, w)
	s.nested(1)
	use(s)
}
func OKScopeIf(pool *arena.Pool, w io.Writer, n int) {
	s := beginScope(pool, w)
	s.text(1)
	s.endIf(n)
}
