package micro

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// traffic is what mixed requests take from the Go heap: one in ten uses 1.5 MB, the others 12 KB.
// One Pool should do nearly as well as one for each route.
var traffic = []lifetime{
	ofTraffic("mixed-requests", "one Pool with keys", map[string]func() routes{
		suite.Heap: func() routes { return func(int) (*arena.Pool, *arena.Arena) { return nil, nil } },
		suite.Harena: func() routes {
			p, keys := new(arena.Pool), [...]string{"GET /order", "GET /orders"}
			return func(route int) (*arena.Pool, *arena.Arena) { return p, p.GetKeyed(keys[route]) }
		},
	}),
	ofTraffic("mixed-requests-unkeyed", "one Pool without keys", map[string]func() routes{
		suite.Harena: func() routes {
			p := new(arena.Pool)
			return func(int) (*arena.Pool, *arena.Arena) { return p, p.Get() }
		},
	}),
	ofTraffic("mixed-requests-apart", "a Pool for each route", map[string]func() routes{
		suite.Harena: func() routes {
			var p [2]arena.Pool
			return func(route int) (*arena.Pool, *arena.Arena) { return &p[route], p[route].Get() }
		},
	}),
}

// routes returns an arena for a request to a route, and where it is put back.
type routes func(route int) (*arena.Pool, *arena.Arena)

func ofTraffic(name, how string, of map[string]func() routes) lifetime {
	measured := map[string]func(meter) float64{}
	for peer, get := range of {
		measured[peer] = func(meter) float64 {
			live := make([]byte, 64<<20) // of a program: with less, each cycle of the GC finds idle arenas
			get := get()
			serve(get) // so that the sizes are learned
			before := measure.Allocated()
			serve(get)
			runtime.KeepAlive(live)
			return max(1, float64(measure.Allocated()-before)/requests) // a chart has no 0
		}
	}
	return ofLifetime(name, "mixed requests: heap bytes, "+how, suite.Bytes, measured)
}

// requests is how many there are, from as many goroutines as clients.
const requests, clients = 2000, 4

func serve(get routes) {
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 1))
			for range requests / clients {
				route, objects := 0, 12<<10/64
				if r.IntN(10) == 0 {
					route, objects = 1, 1500<<10/64
				}
				p, a := get(route)
				for i := range objects {
					//arenavet:ignore the compiler is to believe that it is used; nobody reads it
					peers.Keep(arena.New[peers.Bytes64](a), i)
					if i%1000 == 0 {
						runtime.Gosched() // so that others have arenas too
					}
				}
				p.Put(a)
			}
		})
	}
	all.Wait()
}
