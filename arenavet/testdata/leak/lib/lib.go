// Package lib has functions whose duties other packages must know.
package lib

import "github.com/harena-go/arena"

var Pool arena.Pool

func Acquire() *arena.Arena { return Pool.Get() } // the caller has to give it back

func TryAcquire(err error) (*arena.Arena, error) {
	if err != nil {
		return nil, err
	}
	return Pool.Get(), nil
}

func Release(a *arena.Arena) { Pool.Put(a) }

func Borrow(a *arena.Arena) *int { return arena.New[int](a) }

type Holder struct{ a *arena.Arena }

func (h *Holder) Keep(a *arena.Arena) { h.a = a }

func (h *Holder) Look(a *arena.Arena) int { return a.UsedBytes() }
