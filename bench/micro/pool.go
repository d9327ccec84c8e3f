package micro

import (
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// pools measure the cost of lending an arena, against that of lending anything.
var pools = []lifetime{
	ofLifetime("pool-get-put", "Pool: Get, Put", suite.Seconds, map[string]func(meter) float64{
		suite.SyncPool: func(m meter) float64 {
			bare := sync.Pool{New: func() any { return new(peers.Bytes64) }}
			return m.seconds(batch{objects, func() {
				for i := range objects {
					p := bare.Get().(*peers.Bytes64)
					peers.Keep(p, i)
					bare.Put(p)
				}
			}})
		},
		suite.Harena: pooled(func(p *arena.Pool) {
			for range objects {
				p.Put(p.Get())
			}
		}),
	}),
	ofLifetime("pool-new-64", "Pool: Get, New 64 B, Put", suite.Seconds, map[string]func(meter) float64{
		suite.Harena: pooled(func(p *arena.Pool) {
			for i := range objects {
				a := p.Get()
				//arenavet:ignore the compiler is to believe that it is used; nobody reads it
				peers.Keep(arena.New[peers.Bytes64](a), i)
				p.Put(a)
			}
		}),
	}),
	ofLifetime("pool-keyed", "Pool: GetKeyed, New 64 B, Put", suite.Seconds, map[string]func(meter) float64{
		suite.Harena: pooled(func(p *arena.Pool) {
			for i := range objects {
				a := p.GetKeyed("/search")
				//arenavet:ignore the compiler is to believe that it is used; nobody reads it
				peers.Keep(arena.New[peers.Bytes64](a), i)
				p.Put(a)
			}
		}),
	}),
	ofLifetime("pool-do", "Pool: Do with New 64 B", suite.Seconds, map[string]func(meter) float64{
		suite.Harena: pooled(func(p *arena.Pool) {
			for i := range objects {
				err := p.Do(func(a *arena.Arena) error {
					//arenavet:ignore the compiler is to believe that it is used; nobody reads it
					peers.Keep(arena.New[peers.Bytes64](a), i)
					return nil
				})
				if err != nil {
					panic(err)
				}
			}
		}),
	}),
}

// pooled times a loop that uses a pool in each of objects operations.
func pooled(loop func(*arena.Pool)) func(meter) float64 {
	return func(m meter) float64 {
		var p arena.Pool
		return m.seconds(batch{objects, func() { loop(&p) }})
	}
}
