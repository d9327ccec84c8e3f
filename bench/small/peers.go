package small

import (
	"fmt"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/ortuman/nuke"
)

// The peers that use one arena without a pool.
const (
	Reset = "harena-reset"
	Mark  = "harena-mark"
	Fresh = "harena-fresh"
)

// server returns a function that does a request of n objects with a peer's memory, and gives that back.
func server(peer string) (func(n int) int64, error) {
	switch peer {
	case suite.Heap:
		return func(n int) int64 { return onHeap(n).sum() }, nil
	case suite.SyncPool:
		kits := sync.Pool{New: func() any { return new(kit) }}
		return func(n int) int64 {
			k := kits.Get().(*kit)
			sum := k.make(n).sum()
			kits.Put(k)
			return sum
		}, nil
	case suite.Runtime:
		return inRuntime()
	case suite.Nuke:
		a := nuke.NewMonotonicArena(1<<20, 1)
		return func(n int) int64 {
			sum := inNuke(a, n).sum()
			a.Reset(false)
			return sum
		}, nil
	case suite.FirstGear:
		return lent(arena.NewPool()), nil
	case suite.Harena:
		return lent(arena.NewPool(arena.WithReuse())), nil
	case suite.SelfContained:
		return lent(arena.NewPool(arena.WithReuse(), arena.WithNoScan())), nil
	case Reset:
		a := arena.NewArena()
		return func(n int) int64 {
			sum := inArena(a, n).sum()
			a.Reset()
			return sum
		}, nil
	case Mark:
		a := arena.NewArena()
		return func(n int) int64 {
			m := a.Mark()
			sum := inArena(a, n).sum()
			a.Rewind(m)
			return sum
		}, nil
	case Fresh:
		return func(n int) int64 {
			a := arena.NewArena()
			sum := inArena(a, n).sum()
			a.Free()
			return sum
		}, nil
	}
	return nil, fmt.Errorf("the suite small knows no peer %q", peer)
}

// lent does each request in an arena of a pool.
func lent(p *arena.Pool) func(n int) int64 {
	return func(n int) int64 {
		a := p.Get()
		sum := inArena(a, n).sum()
		p.Put(a)
		return sum
	}
}
