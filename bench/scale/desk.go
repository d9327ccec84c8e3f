package scale

import (
	"fmt"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
)

// An answer makes the order of a request, reads it and drops it.
type answer func(request int) uint64

// A desk is where a peer's requests are answered: worker is called by each
// goroutine, for answers of its own; end when all of them are done.
type desk struct {
	worker func() answer
	end    func()
}

func newDesk(peer string) (desk, error) {
	switch peer {
	case suite.Heap:
		return desk{func() answer {
			return func(request int) uint64 { return makeOrder(heap{}, request).sum() }
		}, func() {}}, nil
	case suite.SyncPool:
		return withKits(), nil
	case suite.Harena:
		return withPool(arena.NewPool(arena.WithReuse())), nil
	case suite.SelfContained:
		return withPool(arena.NewPool(arena.WithReuse(), arena.WithNoScan())), nil
	case Shared:
		return withShared(arena.NewShared()), nil
	}
	return desk{}, fmt.Errorf("the suite scale knows no peer %q", peer)
}

func withKits() desk {
	kits := sync.Pool{New: func() any { return new(kit) }}
	return desk{func() answer {
		return func(request int) uint64 {
			k := kits.Get().(*kit)
			defer kits.Put(k)
			return makeOrder(k, request).sum()
		}
	}, func() {}}
}

func withPool(p *arena.Pool) desk {
	return desk{func() answer {
		return func(request int) uint64 {
			a := p.Get()
			defer p.Put(a)
			return makeOrder(inArena{a}, request).sum()
		}
	}, func() {}}
}

// withShared gives each goroutine a local for as long as it works. A request's
// values go back to where the local was before.
func withShared(s *arena.Shared) desk {
	return desk{func() answer {
		a := s.Local()
		return func(request int) uint64 {
			m := a.Mark()
			defer a.Rewind(m)
			return makeOrder(inArena{a}, request).sum()
		}
	}, s.Reset}
}
