package services

import (
	"errors"
	"strings"

	"github.com/harena-go/arena"
)

// Values of panics of functions that are called, also through fields.

type abort struct {
	code   int
	reason string
}

type guarded struct {
	pool   *arena.Pool
	handle func(a *arena.Arena, path string) string
	harm   func(a *arena.Arena, path string) string
	plain  func(a *arena.Arena, path string) string
	kept   func(x *item)
	saved  *item
}

var savedItem *item

func saves(x *item)  { savedItem = x }
func prints(x *item) { println(x.n) }

func newGuarded(pool *arena.Pool) *guarded {
	return &guarded{pool: pool, handle: aborts, harm: abortsRight, plain: func(a *arena.Arena, path string) string { return a.AllocString(path) }, kept: saves}
}

func aborts(a *arena.Arena, path string) string {
	if path == "" {
		panic(arena.NewOf(a, abort{403, a.Sprintf("no %s", path)}))
	}
	return a.AllocString(path)
}
func abortsRight(a *arena.Arena, path string) string {
	if path == "" {
		panic(&abort{403, strings.Clone(a.Sprintf("no %s", path))})
	}
	if path == "x" {
		panic(errors.New(strings.Clone(a.AllocString(path))))
	}
	return a.AllocString(path)
}
func abortsWithin(a *arena.Arena, path string) (text string, err error) {
	defer func() {
		if r, ok := recover().(*abort); ok {
			err = errors.New(strings.Clone(r.reason))
		}
	}()
	return aborts(a, path), nil
}

func (g *guarded) BadAborts(path string) (n int) {
	g.pool.Do(func(a *arena.Arena) error {
		n = len(aborts(a, path))
		return nil
	})
	return n
}
func (g *guarded) BadAbortsField(path string) (n int) {
	defer func() {
		if r, ok := recover().(*abort); ok {
			n = r.code
		}
	}()
	g.pool.Do(func(a *arena.Arena) error {
		n = len(g.handle(a, path))
		return nil
	})
	return n
}
func (g *guarded) BadAbortsPut(path string) int {
	a := g.pool.Get()
	defer g.pool.Put(a)
	return len(aborts(a, path))
}
func (g *guarded) BadKeptByField() {
	a := g.pool.Get()
	defer g.pool.Put(a)
	g.kept(arena.New[item](a))
}
func (g *guarded) OKAborts(path string) (n int, err error) {
	err = g.pool.Do(func(a *arena.Arena) error {
		text, err := abortsWithin(a, path)
		if err != nil {
			return err
		}
		n = len(text) + len(g.plain(a, path)) + len(g.harm(a, path)) + len(abortsRight(a, path))
		return nil
	})
	return n, err
}
func OKAbortsUncaught(a *arena.Arena, path string) int { return len(aborts(a, path)) }
func (g *guarded) OKFieldSet() {
	a := g.pool.Get()
	defer g.pool.Put(a)
	g.kept = prints
	g.kept(arena.New[item](a))
}
