// Package db lends arenas of Pools whose gear other packages learn by facts.
package db

import "github.com/harena-go/arena"

var (
	Pool   = arena.NewPool(arena.WithLimit(1 << 20))
	Reused = arena.NewPool(arena.WithReuse())
	hidden = newPool(arena.WithName("hidden"))
)

type Store struct{ Pool *arena.Pool }

func Open() *Store { return &Store{Pool: hidden} }

func newPool(opts ...arena.PoolOption) *arena.Pool {
	opts = append(opts, arena.WithPoolLimit(1<<30))
	return arena.NewPool(opts...)
}

func NewPool() *arena.Pool { return arena.NewPool(arena.WithLimit(1 << 20)) }

func Get() (*arena.Arena, func()) {
	a := Pool.Get()
	return a, func() { Pool.Put(a) }
}

func View(f func(a *arena.Arena) error) error { return Pool.Do(f) }

func With[T any](f func(a *arena.Arena) (T, error)) (T, error) {
	a := Pool.Get()
	defer Pool.Put(a)
	return f(a)
}

func Update(f func(a *arena.Arena) error) error {
	a := Reused.Get()
	defer Reused.Put(a)
	return f(a)
}
