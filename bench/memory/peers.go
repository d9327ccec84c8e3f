package memory

import (
	"fmt"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/ortuman/nuke"
	wundergraph "github.com/wundergraph/go-arena"
)

// server returns a function that does a request of a number of bytes with a
// peer's memory, and gives that back. No request takes more than most bytes.
func server(peer string, most int) (func(size int) int64, error) {
	switch peer {
	case suite.Heap:
		return func(size int) int64 { return serve(heap{}, size) }, nil
	case suite.SyncPool:
		kits := sync.Pool{New: func() any { return new(kit) }}
		return func(size int) int64 {
			k := kits.Get().(*kit)
			sum := serve(k, size)
			k.used = 0
			kits.Put(k)
			return sum
		}, nil
	case suite.Nuke:
		const buffer = 1 << 20
		a := nuke.NewMonotonicArena(buffer, most*5/4/buffer+1) // a buffer takes memory when it is needed
		return func(size int) int64 {
			sum := serve(inNuke{a}, size)
			a.Reset(false)
			return sum
		}, nil
	case suite.Wundergraph:
		p := wundergraph.NewArenaPool()
		return func(size int) int64 {
			item := p.Acquire(0)
			sum := serve(inWundergraph{item.Arena}, size)
			p.Release(item)
			return sum
		}, nil
	case suite.Harena:
		return lent(arena.NewPool(arena.WithReuse())), nil
	case suite.SelfContained:
		return lent(arena.NewPool(arena.WithReuse(), arena.WithNoScan())), nil
	}
	return nil, fmt.Errorf("the suite memory knows no peer %q", peer)
}

// lent does each request in an arena of a pool.
func lent(p *arena.Pool) func(size int) int64 {
	return func(size int) int64 {
		a := p.Get()
		sum := serve(inArena{a}, size)
		p.Put(a)
		return sum
	}
}
